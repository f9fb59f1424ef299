/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_GAP_H
#define PIPELINE_GAP_H

#include <stdbool.h>
#include <stdint.h>

#include "audio/pcm.h"

/*
 * The silence between two sentences of one language. Players play their sounds directly
 * one after the other, and engines add silence of any length at the edges, or none.
 * Zero-initialise.
 */
#define GAP_US INT64_C(200000)

struct gap {
	int64_t until_us; /* when the sound so far has been played, if at once */
	int64_t quiet_us; /* silence at its end */
};

/*
 * The silence to put before a sentence with this first sound, in microseconds.  0:
 * none, as the player has been silent long enough.  queued: earlier sound is known to
 * wait.
 */
int64_t gap_before(const struct gap *, const struct pcm *, int64_t now_us, bool queued);
/* Note sound of the current sentence. */
void gap_add_sound(struct gap *, const struct pcm *);
/* Note how much of it has been sent to the player. */
void gap_sent(struct gap *, int64_t us, int64_t now_us);

#endif
