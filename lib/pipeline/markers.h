/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_MARKERS_H
#define PIPELINE_MARKERS_H

#include "base/arena.h"

/*
 * Recognizers write noises as text: [BLANK_AUDIO], (applause), *coughs*, ♪.  Returns
 * the text without these, in mem; "" if nothing is left.  Brackets are removed only if
 * all words in them name noises; others are part of the speech.
 */
const char *markers_remove(struct arena *, const char *text);

#endif
