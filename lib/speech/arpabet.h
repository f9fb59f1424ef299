/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ARPABET_H
#define SPEECH_ARPABET_H

#include "base/arena.h"

/*
 * eSpeak's mnemonics of an American English word, with blanks between ("k ,u: b 3:"),
 * as the phones of the CMU pronouncing dictionary without stress ("K UW B ER").  The
 * mnemonics are those of phsource/ph_english_us and what it is based on.  NULL: one of
 * them is not English, or there are none.
 */
const char *arpabet_phones(struct arena *, const char *mnemonics);

#endif
