/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_GAP_H
#define PIPELINE_GAP_H

#include <stdbool.h>
#include <stdint.h>

#include "audio/pcm.h"

/*
 * Separates the sentences of one language by silence. Players play sentences without a
 * pause between them, and engines add silence of any length before and after, or none.
 * Zero-initialise.
 */
#define GAP_US INT64_C(200000)

struct gap {
	/* time at which the player has played the sound so far, if it plays at once */
	int64_t until_us;
	int64_t quiet_us; /* duration of the silence at the end of the sound */
};

/*
 * Returns the silence to insert before a sentence that begins with this sound, in
 * microseconds. 0: none, because the player has been silent long enough. queued:
 * earlier sound still waits.
 */
int64_t gap_before(const struct gap *, const struct pcm *, int64_t now_us, bool queued);
/* Count sound of the current sentence. */
void gap_add_sound(struct gap *, const struct pcm *);
/* Count sound that has been sent to the player. */
void gap_sent(struct gap *, int64_t us, int64_t now_us);

#endif
