/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends one language to Icecast: a PUT whose body is endless MP3. Nothing here blocks;
 * sound is dropped while the server does not accept it.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "egress/egress.h"
#include "egress/stream_push.h"
#include "net/http.h"
#include "net/url.h"

#define WAITING_BYTES 65536 /* bytes of sound that may wait; some seconds */
#define ANSWER_BYTES 65536  /* longest answer, which is ignored */

struct icecast_push {
	const struct egress_order *order;
	/* Members of one attempt: */
	struct arena *mem;
	struct http_call call;
	const char *headers[4];
	struct http_exchange *exchange; /* NULL: no call is running */
	bool accepted;
	char waiting[WAITING_BYTES];
	size_t n;             /* bytes in waiting */
	int64_t since_us;     /* monotonic: last progress of the server */
	const char *http_why; /* error of the call */
	/* Members that last across attempts: */
	int64_t again_us; /* monotonic: earliest next attempt */
	int64_t bytes;
	const char *why;
	char text[160]; /* text of why */
};

/* ---- the call ---- */

static size_t
read_body(void *arg, void *to, size_t most)
{
	struct icecast_push *s = arg;
	size_t n = s->n < most ? s->n : most;

	if (n == 0)
		return 0;
	memcpy(to, s->waiting, n);
	memmove(s->waiting, s->waiting + n, s->n - n);
	s->n -= n;
	s->bytes += (int64_t)n;
	s->since_us = monotonic_us();
	return n;
}

static bool
ignore_answer(void *arg, const void *bytes, size_t n)
{
	(void)arg, (void)bytes, (void)n;
	return true;
}

/* The URL of the mount at the server's host and port; NULL: it is invalid. */
static const char *
address_of(struct arena *mem, const struct egress_order *o)
{
	const char *host = strstr(o->server, "://"), *mount = o->mount, *url;
	size_t n;

	if (!url_is_http(mem, o->server) || mount == NULL)
		return NULL;
	n = (size_t)(host - o->server) + 3;
	n += strcspn(o->server + n, "/?#");
	mount += strspn(mount, "/");
	url = http_join(mem, arena_printf(mem, "%.*s/", (int)n, o->server),
	    arena_printf(mem, "/%s", mount));
	return url != NULL && url_is_http(mem, url) ? url : NULL;
}

static const char *
password_header(struct arena *mem, const struct egress_order *o)
{
	const char *both =
	    arena_printf(mem, "source:%s", o->stream_key != NULL ? o->stream_key : "");

	return arena_printf(
	    mem, "Authorization: Basic %s", base64(mem, both, strlen(both)));
}

static void
begin(struct icecast_push *s)
{
	struct arena *mem = s->mem = arena_new();
	const char *url = address_of(mem, s->order);

	s->again_us = monotonic_us() + PUSH_AGAIN_US;
	if (url == NULL) {
		s->why = url_is_http(mem, s->order->server)
			     ? "The mount cannot be part of an address."
			     : PUSH_OTHER_PROTOCOL;
		arena_free(mem);
		return;
	}
	s->headers[0] = "Content-Type: audio/mpeg";
	s->headers[1] = "Ice-Public: 0";
	s->headers[2] = password_header(mem, s->order);
	s->call = (struct http_call){ .method = "PUT",
		.url = url,
		.headers = s->headers,
		.timeout_ms = INT_MAX,
		.max_bytes = ANSWER_BYTES,
		.cut = true,
		.allow_private = s->order->allow_private,
		.once = true,
		.give = read_body,
		.take = ignore_answer,
		.arg = s,
		.why = &s->http_why };
	s->accepted = false;
	s->n = 0;
	s->since_us = monotonic_us();
	s->exchange = http_begin(mem, &s->call);
}

/* ---- its end ---- */

static const char *
meaning(int status)
{
	if (status == 401)
		return "The server refuses the password.";
	if (status == 403)
		return "The server refuses the mount, which may be in use.";
	return status < 400 ? "The server redirects the stream, which is not followed."
			    : PUSH_REFUSED;
}

static void
end(struct icecast_push *s, int status, bool late)
{
	struct http_answer a;
	enum err e = http_end(s->exchange, &a);

	if (status >= 300)
		s->why = meaning(status);
	else if (s->accepted)
		s->why = PUSH_LOST;
	else if (late || e == OK || e == ERR_TIMEOUT)
		s->why = PUSH_NO_ANSWER;
	else {
		snprintf(s->text, sizeof(s->text), "The server cannot be called: %s.",
		    s->http_why);
		s->why = s->text;
	}
	s->exchange = NULL;
	s->again_us = monotonic_us() + PUSH_AGAIN_US;
	arena_free(s->mem);
}

/* ---- as a sink ---- */

static enum err
open_push(struct arena *mem, const struct egress_order *o,
    const AVCodecContext *const *encoders, void **to)
{
	struct icecast_push *s = arena_alloc(mem, sizeof(*s));

	(void)encoders;
	s->order = o;
	*to = s;
	return OK;
}

static void
step(void *sink, int64_t now)
{
	struct icecast_push *s = sink;
	bool goes_on, late;
	int status;

	(void)now;
	if (s->exchange == NULL) {
		if (monotonic_us() >= s->again_us)
			begin(s);
		return;
	}
	goes_on = http_step(s->exchange);
	status = http_status(s->exchange);
	if (!s->accepted && (status == 100 || http_verdict(status) == OK)) {
		s->accepted = true;
		s->why = NULL;
	}
	if (s->accepted && s->n == 0)
		s->since_us = monotonic_us();
	late = monotonic_us() > s->since_us + PUSH_PATIENCE_US;
	if (!goes_on || late || status >= 300)
		end(s, status, late);
}

/* An MP3 file is a sequence of frames. */
static void
put_sound(void *sink, size_t language, const AVPacket *p)
{
	struct icecast_push *s = sink;
	size_t n = (size_t)p->size;

	(void)language;
	if (s->exchange == NULL || !s->accepted || n > sizeof(s->waiting) - s->n)
		return;
	memcpy(s->waiting + s->n, p->data, n);
	s->n += n;
}

static bool
get_status(const void *sink, int64_t *bytes, const char **why)
{
	const struct icecast_push *s = sink;

	*bytes = s->bytes;
	*why = s->why;
	return s->exchange != NULL && s->accepted;
}

const struct egress_sink icecast_push = { "icecast_push", AV_CODEC_ID_MP3, open_push,
	put_sound, NULL, NULL, step, get_status };
