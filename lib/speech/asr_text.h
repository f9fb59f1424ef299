/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_TEXT_H
#define SPEECH_ASR_TEXT_H

#include "base/arena.h"

/*
 * Remove typical faults of a neural recognizer from its text: notes and text in
 * brackets, which describe sounds; all repetitions of a part that it repeats endlessly
 * but the first.
 */
const char *asr_text_clean(struct arena *, const char *);
/* Remove only repetitions: a speaker's words may be in brackets. */
const char *asr_text_cut_loops(struct arena *, const char *);

#endif
