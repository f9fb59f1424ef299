#ifndef PROTOCOL_LIMIT_H
#define PROTOCOL_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How often something may be done.  Some limits are buckets: so many at once, then
 * one each interval.  Others are windows: so many in any stretch of that length.
 * Zero-initialise, and use each object for one kind only.
 */
enum limit_kind {
	LIMIT_CONNECTIONS, /* per credential, or per address of subscribers */
	LIMIT_SET_TASK,
	LIMIT_PAUSE_TASK,
	LIMIT_GET_TASK, /* only after a current_task, see state_asks_freely() */
	LIMIT_FLUSH_TASK,
	LIMIT_TTS_TASK,
	LIMIT_AUDIO,
	LIMIT_TTS_TEXT,
	LIMIT_BAD, /* messages without sense; the one over it closes the socket */
	LIMIT_KINDS
};

#define LIMIT_MOST 100 /* of a window */

struct limit {
	unsigned n, next; /* windows: how many are known, where the oldest is */
	int64_t at_us[LIMIT_MOST]; /* when they were; buckets: [0], when it is full */
};

/* Whether it may be done now; then it counts.  What was refused does not count. */
bool limit_take(struct limit *, enum limit_kind, int64_t now_us);
/* "set_task: at most 5 at once, then 1 per 2 s"; for RATE_LIMIT_EXCEEDED. */
const char *limit_text(enum limit_kind);

#endif
