/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROTOCOL_LIMIT_H
#define PROTOCOL_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Rate limits.  A bucket allows a burst, then one action per interval.  A window allows
 * a number of actions in any period of its length.  Zero-initialise; use each object
 * for one kind only.
 */
enum limit_kind {
	LIMIT_CONNECTIONS, /* per credential, or per address of subscribers */
	LIMIT_SET_TASK,
	LIMIT_PAUSE_TASK,
	/* limit of get_task, except after a current_task, see state_asks_freely() */
	LIMIT_GET_TASK,
	LIMIT_FLUSH_TASK,
	LIMIT_TTS_TASK,
	LIMIT_AUDIO,
	LIMIT_TTS_TEXT,
	LIMIT_SIGNAL,      /* messages of signalling */
	LIMIT_OFFERS,      /* descriptions among them */
	LIMIT_DATA,        /* messages by data channel */
	LIMIT_LIVE_VOICES, /* voices of speakers at servers, of one gateway */
	LIMIT_BAD, /* invalid messages; exceeding this limit closes the socket */
	LIMIT_KINDS
};

#define LIMIT_MOST 100 /* actions per window */

struct limit {
	unsigned n, next;          /* windows: number of times, index of the next */
	int64_t at_us[LIMIT_MOST]; /* times of the actions; buckets: [0], when full */
};

/*
 * True if the action may be done now; then it is counted. Refused actions do not count.
 */
bool limit_admit(struct limit *, enum limit_kind, int64_t now_us);
/* "set_task: at most 5 at once, then 1 per 2 s"; for RATE_LIMIT_EXCEEDED. */
const char *limit_text(enum limit_kind);

#endif
