#ifndef PIPELINE_GAP_H
#define PIPELINE_GAP_H

#include <stdbool.h>
#include <stdint.h>

#include "media/pcm.h"

/*
 * The silence between two sentences of one language: players play their sounds one
 * directly after the other, and engines put a pause of any length at the edges, or
 * none.  Zeroed at first.
 */
#define GAP_US INT64_C(200000)

struct gap {
	int64_t until_us; /* when what was made would have been played, if at once */
	int64_t quiet_us; /* silence at its end */
};

/*
 * The silence that belongs before a sentence with this first sound, in microseconds.
 * 0: none, since the player has been silent for long enough anyway.  queued: sound of
 * before is known to wait.
 */
int64_t gap_before(const struct gap *, const struct pcm *, int64_t now_us, bool queued);
/* Of a sentence this sound was made. */
void gap_heard(struct gap *, const struct pcm *);
/* So much of it goes to the player. */
void gap_sent(struct gap *, int64_t us, int64_t now_us);

#endif
