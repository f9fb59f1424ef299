/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CAPTION_INTERNAL_H
#define CHANNEL_CAPTION_INTERNAL_H

#include "session/session.h"
#include "store/channel_outputs.h"

/*
 * Shared by the files of outputs of captions.
 *
 *	caption_outputs.c  which outputs a channel has, and which texts they get
 *	caption_feed.c     one of them: what waits, and the body that is being posted
 */
struct caption_waiting;
struct caption_body;

/* Times are monotonic_us() unless stated otherwise. */
struct caption_feed {
	struct caption_feed *next; /* of the same channel */
	struct arena *mem;         /* owned */
	struct session *session;
	const char *url, *language;
	struct channel_output is; /* as it is to be in the database */
	char why[160];            /* is.error, if that is not NULL */
	bool unwritten;           /* the database does not have that */
	int64_t saved_us;         /* last write */
	/* Captions, oldest first, each in an arena of its own. */
	struct caption_waiting *first, **last;
	int n;
	struct caption_body *body; /* not taken yet; owned unless it is under way */
	bool under_way;
	int tries;        /* that failed in a row */
	int64_t due_us;   /* the next one */
	int64_t ahead_us; /* of the server's clock */
	int64_t last_us;  /* time of the last caption, by that clock; 0: none */
};

/* ---- caption_feed.c ---- */

/* Add a caption; takes the arena that the text is in. */
void caption_feed_put(struct caption_feed *, struct arena *, const char *text,
    int64_t start_us, int64_t now_us);
/* Drop what is late, and post what waits if that can be now. */
void caption_feed_step(struct caption_feed *, int64_t now_us);
/* Set is.error; NULL: none. */
void caption_feed_set_why(struct caption_feed *, const char *);
void caption_feed_free(struct caption_feed *);

#endif
