#ifndef EGRESS_BUCKET_QUEUE_H
#define EGRESS_BUCKET_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * What is to be done in a bucket, and what may be done next.  Pure: its caller locks,
 * and makes the calls, several at a time.
 *
 * Names are those of hls_internal.h.  A segment or a head may always go; a playlist
 * when no segment or head of its rendition is before it, an index when no playlist is.
 * Of a playlist that may go twice only the newest goes.  A segment that a new playlist
 * names no more will not be put, nor the playlists before that one, which name it.
 */
#define BUCKET_QUEUE_MOST 8192 /* items: all of 68 languages are 4,000 */

struct bucket_item {
	struct bucket_item *next;
	struct arena *mem; /* owned */
	const char *name;
	int rank;      /* 0: segment or head, 1: playlist, 2: index */
	size_t n_code; /* of ranks 0 and 1: bytes of the name that say whose it is */
	const char *bytes; /* of a playlist; NULL: they are in the file */
	size_t n;
	/* GOES: it is being put; LEAVES: removed.  Of a segment: THERE: it is in the
	   bucket; LATE: it will not be put. */
	enum { WAITS, GOES, LEAVES, THERE, LATE } state;
	bool tried;   /* it may be in the bucket */
	bool removes; /* it is to be removed from there */
};

struct bucket_queue {
	struct bucket_item *first, **last;
	size_t n;
};

void bucket_queue_init(struct bucket_queue *);
/* A file is to be put; bytes: of a playlist, copied.  False: there is no room. */
bool bucket_queue_put(struct bucket_queue *, const char *name, const void *, size_t n);
/* A segment is to be removed, which may be one of a former child. */
void bucket_queue_remove(struct bucket_queue *, const char *name);
/* What may be done now, GOES or LEAVES from then on; NULL: nothing. */
struct bucket_item *bucket_queue_take(struct bucket_queue *);
/* The call for it has ended; done: it did what it should, else it is tried again. */
void bucket_queue_end(struct bucket_queue *, struct bucket_item *, bool done);
void bucket_queue_free(struct bucket_queue *);

#endif
