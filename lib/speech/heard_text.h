/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_HEARD_TEXT_H
#define SPEECH_HEARD_TEXT_H

#include "base/arena.h"

/*
 * The text of a neural recognizer without its faults: notes and text in brackets, which
 * describe sounds, are removed; a part that is repeated without end stays once.
 */
const char *heard_text_clean(struct arena *, const char *);

#endif
