/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_PLAYBACK_H
#define PIPELINE_PLAYBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most sound that a player holds, in microseconds. */
#define PLAYBACK_AHEAD_US INT64_C(3000000)

/*
 * Paces the chunks of one language by a model of a subscriber's player, which starts
 * with its first chunk, plays without a pause while it has sound, and waits while it
 * has none. Chunks are sent in order. A chunk is sent when the player then holds at
 * most PLAYBACK_AHEAD_US.
 *
 * The caller owns groups and chunks.  They must be zeroed, and stay valid until
 * playback_next() has returned the group's last chunk.  A group is one part of a
 * segment.  Nothing is allocated here and no clock is read.
 */
struct playback_chunk {
	struct playback_chunk *next;
	int64_t us; /* duration in microseconds */
	bool last;  /* last chunk of its group */
	void *what; /* for the caller */
};

struct playback_group {
	struct playback_group *next;
	struct playback_chunk *first, *end; /* chunks not sent yet */
	int64_t us;  /* duration of these chunks, up to the cut */
	size_t sent; /* chunks sent, the last one included */
	bool cut; /* the chunks from cut_at on are replaced by one empty last chunk */
	/* first chunk that is cut; NULL: only those added later */
	struct playback_chunk *cut_at;
	bool done;  /* the last chunk was returned */
	void *what; /* for the caller */
};

struct playback {
	struct playback_group *first, *end; /* in the order of their segments */
	int64_t until_us;                   /* when all sent sound will be played */
	bool unpaced; /* send chunks at once: during a pause, or at the end */
};

/* A chunk to send.  chunk NULL: the empty last chunk of a group that was cut. */
struct playback_output {
	struct playback_group *group;
	struct playback_chunk *chunk;
	bool last;
};

/* Append a group. */
void playback_open(struct playback *, struct playback_group *);
/* Append a chunk to its group; false: the group is cut or done, nothing was added. */
bool playback_add(struct playback *, struct playback_group *, struct playback_chunk *);
/*
 * The next chunk to send now; it counts as sent.  False: none yet; *again_us is the
 * time to call again, INT64_MAX: after a chunk was added or a group cut.
 */
bool playback_next(
    struct playback *, int64_t now_us, struct playback_output *, int64_t *again_us);
/* Queue level: sound synthesized and not played yet. */
int64_t playback_level_ms(const struct playback *, int64_t now_us);
/*
 * If the level is over max_ms, cut a group and return it; NULL: nothing to do, or the
 * playback is unpaced. Call until NULL. It first cuts the oldest groups without a sent
 * chunk entirely, but never the newest group; then it cuts the end of what remains.
 */
struct playback_group *playback_shed(struct playback *, int64_t now_us, int64_t max_ms);
/* Cut all groups entirely. */
void playback_flush(struct playback *);

#endif
