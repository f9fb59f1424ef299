/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CAPTION_INTERNAL_H
#define CHANNEL_CAPTION_INTERNAL_H

#include "session/session.h"
#include "store/channel_outputs.h"

/*
 * Shared by the files of outputs of captions.
 *
 *	caption_outputs.c  which outputs a channel has, and which texts they get
 *	caption_feed.c one output: waiting captions, and the body that is sent
 */
struct caption_waiting;
struct caption_body;

/* Times are monotonic_us() unless stated otherwise. */
struct caption_feed {
	struct caption_feed *next; /* next feed of the same channel */
	struct arena *mem;         /* owned */
	struct session *session;
	const char *url, *language;
	struct channel_output is; /* state to be stored */
	char why[160];            /* is.error, if that is not NULL */
	bool unwritten;           /* the state differs from the stored one */
	int64_t saved_us;         /* last write */
	/* Waiting captions, oldest first, each in its own arena. */
	struct caption_waiting *first, **last;
	int n;
	/* body that was not accepted yet; owned unless it is being sent */
	struct caption_body *body;
	bool under_way;
	int tries;        /* successive failed tries */
	int64_t due_us;   /* time of the next try */
	int64_t ahead_us; /* by how much the server's clock is ahead */
	int64_t last_us;  /* time of the last caption, by the server's clock; 0: none */
};

/* ---- caption_feed.c ---- */

/* Add a caption; takes ownership of the text's arena. */
void caption_feed_put(struct caption_feed *, struct arena *, const char *text,
    int64_t start_us, int64_t now_us);
/* Drop captions that are too old, and post the others if that is possible now. */
void caption_feed_step(struct caption_feed *, int64_t now_us);
/* Set is.error; NULL: none. */
void caption_feed_set_why(struct caption_feed *, const char *);
void caption_feed_free(struct caption_feed *);

#endif
