/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CAPTION_POST_H
#define SERVICE_CAPTION_POST_H

#include "base/buf.h"
#include "base/conf.h"

/*
 * Sends captions by HTTP POST. seq= in the query counts bodies, not tries. In YouTube's
 * format for live streams a body has two lines for each caption: a time of UTC,
 * "2026-11-23T09:00:01.250", and a text with "<br>" between its rows. The answer is the
 * server's time in the same format. Source: "Closed Captions over HTTP for YouTube Live
 * Streams", support.google.com/youtube/answer/6077032. Zoom takes one caption in each
 * body, the text alone, a line feed between its rows. Source: "Using a third-party
 * closed captioning service", support.zoom.us, article 115002212983.
 */
#define CAPTION_POST_MS 4000     /* time limit of a try */
#define CAPTION_POST_CAPTIONS 20 /* captions in a body of YouTube's format */

struct caption_post_try {
	const char *url; /* address of the output; secret, never logged */
	int64_t seq;
	const char *body;
};

/* The result of a try. */
struct caption_post_result {
	const char *why; /* the error, a sentence; NULL: accepted */
	bool again;      /* the server may accept it later */
	int64_t after_s; /* the server asks to wait this long; 0: it does not */
	/* by how much the server's clock is ahead of ours; NULL_INT: unknown */
	int64_t ahead_us;
};

/* Returns how many captions a body for that address may have: 1 for Zoom. */
int caption_post_most(const char *url);
/* Add a caption to a body for that address; text: its rows, a line feed between them.
 */
void caption_post_put(
    struct buf *, const char *url, int64_t start_us, const char *text);
/* Send a body; a private address is refused unless the settings allow it. */
struct caption_post_result caption_post_send(
    const struct conf *, struct arena *, const struct caption_post_try *) MUST_CHECK;

#endif
