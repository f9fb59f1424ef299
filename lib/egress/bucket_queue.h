/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EGRESS_BUCKET_QUEUE_H
#define EGRESS_BUCKET_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * The calls that a bucket still needs, and their order. The caller holds the lock and
 * makes the calls, several at a time. File names are those of hls_internal.h. A segment
 * or a head may be sent at any time; a playlist only when no segment or head of its
 * rendition waits before it; an index only when no playlist waits before it. If two
 * versions of a playlist wait, only the newest is sent. A waiting segment that a new
 * playlist no longer names is skipped, and so are the older playlists that name it.
 */
#define BUCKET_QUEUE_MOST 16384 /* items: all of 68 languages are 10,000 */

struct bucket_item {
	struct bucket_item *next;
	struct arena *mem; /* owned */
	const char *name;
	int rank; /* 0: segment or head, 1: playlist, 2: index */
	/* ranks 0 and 1: length of the language code at the beginning of the name */
	size_t n_code;
	const char *bytes; /* content of a playlist; NULL: it is in the file */
	size_t n;
	/*
	 * GOES: being uploaded. LEAVES: being removed. For a segment: THERE: in the
	 * bucket; LATE: skipped.
	 */
	enum { WAITS, GOES, LEAVES, THERE, LATE } state;
	bool tried;   /* it may already be in the bucket */
	bool removes; /* must be removed from the bucket */
};

struct bucket_queue {
	struct bucket_item *first, **last;
	size_t n;
};

void bucket_queue_init(struct bucket_queue *);
/* Add a file to upload; bytes: content of a playlist, copied. False: the queue is
   full. */
bool bucket_queue_put(struct bucket_queue *, const char *name, const void *, size_t n);
/* Add a segment to remove, possibly one of a previous child. */
void bucket_queue_remove(struct bucket_queue *, const char *name);
/* The next item that may be processed, which becomes GOES or LEAVES; NULL: none. */
struct bucket_item *bucket_queue_next(struct bucket_queue *);
/* The call for an item has ended; done: it succeeded, otherwise the item is tried
   again. */
void bucket_queue_end(struct bucket_queue *, struct bucket_item *, bool done);
void bucket_queue_free(struct bucket_queue *);

#endif
