/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "ingress/hls_player.h"
#include "ingress/hls_read.h"
#include "ingress/stream_source.h"

/* time after a failure; each further failure doubles it */
#define AGAIN_US (2 * S_US)
#define AGAIN_MOST_US (10 * S_US)
/* Successive failures until the process exits: a new process can read an
   /etc/resolv.conf that was replaced. */
#define FAILURES 5
/* a stream with fewer than SLOW_BYTES in this time has no sound */
#define SLOW_US (10 * S_US)
#define SLOW_BYTES 1000

#define RADIO_LISTS 3 /* playlists that name another one, at most */
#define ERROR_BYTES 256

struct http_player {
	struct pull pull;
	struct hls_player hls;
	pthread_t thread;
	int from;             /* the pipe's other end; -1: no thread */
	pthread_mutex_t lock; /* guards error and is_new */
	char error[ERROR_BYTES];
	bool is_new;
	char reported[ERROR_BYTES]; /* copy for the reader */
};

/* The answer of the address. */
struct first {
	struct http_player *player;
	enum { UNKNOWN, PLAYLIST, STREAM } is;
	struct buf text;  /* content until it is known to be a stream */
	int64_t since_us; /* monotonic */
	size_t bytes;     /* bytes since then */
};

/* ---- the thread ---- */

static void
set_error(struct http_player *p, const char *error)
{
	p->pull.plays = false;
	pthread_mutex_lock(&p->lock);
	snprintf(p->error, sizeof(p->error), "%s", error);
	p->is_new = true;
	pthread_mutex_unlock(&p->lock);
}

static bool
receive_bytes(void *arg, const void *bytes, size_t n)
{
	struct first *f = arg;

	f->bytes += n;
	if (f->is == STREAM)
		return pull_put(&f->player->pull, bytes, n);
	buf_put(&f->text, bytes, n);
	if (f->is == PLAYLIST || f->text.len < HLS_MARK_BYTES)
		return f->text.len <= HLS_PLAYLIST_MOST;
	f->is = hls_is_playlist(f->text.p, f->text.len) ||
			radio_list_begins(f->text.p, f->text.len)
		    ? PLAYLIST
		    : STREAM;
	return f->is == PLAYLIST || pull_put(&f->player->pull, f->text.p, f->text.len);
}

static bool
is_unwanted(void *arg)
{
	struct first *f = arg;
	bool late = monotonic_us() > f->since_us + SLOW_US, slow = false;

	if (late) {
		slow = f->is != STREAM || f->bytes < SLOW_BYTES;
		f->since_us = monotonic_us();
		f->bytes = 0;
	}
	return slow || pull_is_left(&f->player->pull);
}

/* Fetch *url. A stream is played, and *text is NULL; else *text is a playlist.
   Returns the error, or NULL. */
static const char *
open_url(struct http_player *p, struct arena *mem, const char **url, const char **text)
{
	struct first first = {
		.player = p, .text.mem = mem, .since_us = monotonic_us()
	};
	struct fetch f = { .url = *url,
		.allow_private = p->pull.order->allow_private,
		.cookies = p->pull.cookies,
		.timeout_ms = INT_MAX,
		.max_bytes = SIZE_MAX,
		.take = receive_bytes,
		.unwanted = is_unwanted,
		.arg = &first };
	struct http_answer a;
	const char *why = fetch_get(mem, &f, &a);

	*url = f.url;
	*text = NULL;
	if (first.is == STREAM) {
		if (why != NULL)
			set_error(p, why);
		return NULL;
	}
	if (first.text.len > HLS_PLAYLIST_MOST)
		return "The playlist is too large.";
	if (why != NULL)
		return why;
	if (first.is == UNKNOWN)
		return "The address has no stream.";
	*text = buf_text(&first.text);
	return NULL;
}

/* Play until the end. NULL: it is over; else the error. */
static const char *
play(struct http_player *p, struct arena *mem)
{
	const char *url = p->pull.order->url, *text = NULL;
	const char *why = open_url(p, mem, &url, &text);
	int lists = 0;

	for (; why == NULL && text != NULL && radio_list_is(text); lists++) {
		const char *to = radio_list_first(mem, text);

		url = to != NULL ? http_join(mem, url, to) : NULL;
		why = url == NULL            ? "It names no stream."
		      : lists == RADIO_LISTS ? "It names another playlist too often."
					     : open_url(p, mem, &url, &text);
	}
	if (why == NULL && text != NULL)
		return hls_player_run(&p->hls, mem, url, text);
	return why != NULL && lists > 0
		   ? arena_printf(mem, "The address has a radio playlist. %s", why)
		   : why;
}

static void *
pull(void *arg)
{
	struct http_player *p = arg;
	bool goes_on = true;

	for (int failures = 1; goes_on; failures++) {
		struct arena *mem = arena_new();
		const char *why = play(p, mem);
		int64_t wait_us;

		failures = p->pull.plays ? 1 : failures;
		wait_us = AGAIN_US << (failures - 1);
		if (why != NULL)
			set_error(p, why);
		arena_free(mem);
		goes_on = why != NULL && failures < FAILURES &&
			  pull_rest(&p->pull,
			      wait_us < AGAIN_MOST_US ? wait_us : AGAIN_MOST_US);
	}
	close(p->pull.to);
	return NULL;
}

/* ---- the source ---- */

static enum err
open_player(
    struct arena *mem, const struct ingress_order *o, void **to, const char **why)
{
	struct http_player *p = arena_alloc(mem, sizeof(*p));
	int ends[2];

	*to = p;
	*why = NULL;
	p->pull.order = o;
	p->pull.cookies = http_cookies_new();
	p->hls = (struct hls_player){ .pull = &p->pull, .mem = mem, .failed = -1 };
	p->from = -1;
	pthread_mutex_init(&p->lock, NULL);
	if (pipe(ends) != 0)
		return ERR_REFUSED;
	p->pull.to = ends[1];
	if (pthread_create(&p->thread, NULL, pull, p) != 0)
		return ERR_REFUSED;
	p->from = ends[0];
	return OK;
}

static enum err
read_some(void *source, char to[STREAM_SOURCE_BYTES], size_t *n)
{
	struct http_player *p = source;
	struct pollfd in = { .fd = p->from, .events = POLLIN };
	ssize_t did;

	*n = 0;
	if (poll(&in, 1, STREAM_SOURCE_WAIT_MS) <= 0)
		return OK;
	did = TEMP_FAILURE_RETRY(read(p->from, to, STREAM_SOURCE_BYTES));
	*n = did > 0 ? (size_t)did : 0;
	return did > 0 ? OK : ERR_FAILED;
}

static bool
has_sound(const void *source)
{
	return ((const struct http_player *)source)->pull.plays;
}

static const char *
fetch_error(void *source)
{
	struct http_player *p = source;
	bool is_new;

	pthread_mutex_lock(&p->lock);
	if ((is_new = p->is_new))
		memcpy(p->reported, p->error, sizeof(p->reported));
	p->is_new = false;
	pthread_mutex_unlock(&p->lock);
	return is_new ? p->reported : NULL;
}

static void
close_player(void *source)
{
	struct http_player *p = source;

	if (p->from >= 0) {
		close(p->from);
		pthread_join(p->thread, NULL);
	}
	http_cookies_free(p->pull.cookies);
}

const struct stream_source http_player = { .protocol = "hls_pull",
	.demuxer = NULL,
	.open = open_player,
	.read = read_some,
	.admitted = has_sound,
	.refused = fetch_error,
	.close = close_player };
