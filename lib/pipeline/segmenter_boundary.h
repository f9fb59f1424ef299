/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_SEGMENTER_BOUNDARY_H
#define PIPELINE_SEGMENTER_BOUNDARY_H

#include <stdbool.h>
#include <stddef.h>

#define BOUNDARY_FRAME_US 20000

/*
 * Finds the best place to cut talk without a pause: between two words, in a long gap,
 * where the sound is soft, before a word that begins a clause, and not after an article
 * or a preposition. Without times of words, where the sound is softest. All positions
 * are frames of BOUNDARY_FRAME_US since the segment began.
 */
struct boundary_word {
	const char *text; /* borrowed */
	int from, to;     /* its first frame, and the frame after its last */
};

struct boundary_talk {
	const float *db;                   /* level of each frame, dBFS */
	int n;                             /* frames */
	const struct boundary_word *words; /* in order; may be empty */
	int n_words;
	int least; /* first frame that a boundary may be before, above 0 */
};

/*
 * Returns the frame before which to cut. -1: no boundary has the value `worth`; about
 * 15 is a short pause, 0 any boundary between words. With -INFINITY there is always one
 * if n > least.
 */
int boundary_find(const struct boundary_talk *, float worth);

#endif
