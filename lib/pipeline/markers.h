/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_MARKERS_H
#define PIPELINE_MARKERS_H

#include "base/arena.h"

/*
 * Remove noises that a recognizer has written as text: [BLANK_AUDIO], (applause),
 * *coughs*, ♪. Returns the rest, in mem; it may be "". Brackets are removed only if all
 * words in them name noises; else they are part of the speech.
 */
const char *markers_remove(struct arena *, const char *text);

#endif
