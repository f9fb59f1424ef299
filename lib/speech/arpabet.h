/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ARPABET_H
#define SPEECH_ARPABET_H

#include "base/arena.h"

/*
 * eSpeak's mnemonics of an American English word, with blanks between ("k ,u: b 3:"),
 * as the phones of the CMU pronouncing dictionary without stress ("K UW B ER"). The
 * mnemonics are those of phsource/ph_english_us and of the files that it is based on.
 * NULL: a mnemonic is not English, or there is none.
 */
const char *arpabet_phones(struct arena *, const char *mnemonics);

#endif
