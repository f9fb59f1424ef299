#ifndef PIPELINE_PLAYBACK_H
#define PIPELINE_PLAYBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAYBACK_AHEAD_US INT64_C(3000000) /* that may be sent and not played yet */

/*
 * When the chunks of one language leave.  A listener's player is modelled: it
 * starts with its first chunk, plays what it has and waits when it has nothing.
 * Chunks leave in their order, each as soon as the player has at most
 * PLAYBACK_AHEAD_US with it.
 *
 * Groups and chunks are the caller's, zeroed, one group for each phrase and part;
 * they must stay until playback_next() has told the group's last chunk.  Nothing
 * is allocated here and no clock is read.
 */
struct playback_chunk {
	struct playback_chunk *next;
	int64_t us;
	bool last;  /* of its group */
	void *what; /* the caller's */
};

struct playback_group {
	struct playback_group *next;
	struct playback_chunk *first, *end; /* not sent yet */
	int64_t us;                         /* of these */
	size_t sent; /* chunks that left, its last one included */
	bool mute;   /* its audio is lost: only an end leaves, and first is not used */
	bool done;   /* its last chunk was told */
	void *what;  /* the caller's */
};

struct playback {
	struct playback_group *first, *end; /* in the order of their phrases */
	int64_t until_us;                   /* when all that was sent has been played */
	bool unpaced;                       /* chunks leave at once: pause, end */
};

/* What leaves: a chunk, or, chunk NULL, the empty last chunk of a mute group. */
struct playback_output {
	struct playback_group *group;
	struct playback_chunk *chunk;
	bool last;
};

/* A phrase will be spoken behind those there are. */
void playback_open(struct playback *, struct playback_group *);
/* The next chunk of a group; of a mute or done one it is left out: false. */
bool playback_add(struct playback *, struct playback_group *, struct playback_chunk *);
/*
 * What may leave now, which then counts as sent.  False: nothing; *again_us is
 * when to ask again, INT64_MAX: when something was added or muted.
 */
bool playback_next(
    struct playback *, int64_t now_us, struct playback_output *, int64_t *again_us);
/* Queue level: what was synthesised and not played yet. */
int64_t playback_level_ms(const struct playback *, int64_t now_us);
/*
 * While the level is over max_ms, the oldest group of which nothing was sent loses
 * its audio: it becomes mute and is the answer; NULL: that was all.  The newest is
 * spared, or phrases longer than max_ms would never be heard.
 */
struct playback_group *playback_shed(struct playback *, int64_t now_us, int64_t max_ms);
/* Make all groups mute: those of which nothing was sent too (sent is 0). */
void playback_flush(struct playback *);

#endif
