/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognizes over a WebSocket while the phrase is spoken. Each phrase has a connection,
 * which is opened when its sound begins; the sound waits until it is open. The sound is
 * stored, so that after a broken connection the phrase can be sent again.
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"
#include "base/text.h"
#include "net/websocket_client.h"
#include "speech/asr_websocket.h"
#include "speech/engine.h"

#define TRIES 3                 /* connections for a phrase at most */
#define PIECE (ASR_RATE_HZ / 5) /* samples in a message; an even number */
#define PROMPT_BYTES 800
#define TEXT_BYTES (4 << 20) /* bytes that a server may send for a phrase */
#define BLANK " \t\r\n"

struct asr {
	struct arena *mem;
	const struct asr_dialect *dialect;
	struct asr_socket socket;
	const char *lang; /* language as requested */
	int16_t *s;       /* the phrase, room for ASR_PHRASE_MAX_S */
	size_t n, sent;
	struct websocket_client *client; /* NULL: no phrase has begun */
	int tries;
	pthread_mutex_t lock; /* guards the following members */
	pthread_cond_t changed;
	bool ended; /* the connection has ended */
	enum websocket_client_end how;
	size_t received; /* bytes that the server has sent */
	struct asr_socket_text text;
};

static bool
knows(const struct engine_at *at, const char *lang)
{
	return asr_dialect_find(at->protocol) != NULL &&
	       (lang_is_auto(lang) || lang_covered(at->languages, lang));
}

/* ---- on the thread of the connections ---- */

static void
receive_message(void *arg, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	struct asr *a = arg;
	const char *why;
	const struct json *v = json_read(mem, p, n, &why);

	pthread_mutex_lock(&a->lock);
	a->received += n;
	if (a->received > TEXT_BYTES)
		a->text.failed = true;
	else
		a->dialect->read(
		    &a->text, v != NULL && v->type == JSON_OBJ ? v : NULL, p);
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	arena_free(mem);
}

static void
note_end(void *arg, enum websocket_client_end how)
{
	struct asr *a = arg;

	pthread_mutex_lock(&a->lock);
	a->ended = true;
	a->how = how;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

/* Forget the text of the phrase. */

static void
forget_text(struct asr *a)
{
	arena_reset(a->text.mem);
	a->text = (struct asr_socket_text){
		.mem = a->text.mem, .settled.mem = a->text.mem, .running = ""
	};
	a->ended = false;
	a->received = 0;
}

/* Connect for the first time, or again. */
static void
connect_phrase(struct asr *a)
{
	const struct asr_dialect *d = a->dialect;
	const struct engine_at *at = a->socket.at;
	struct arena *mem = arena_new();
	const struct websocket_client_call call = {
		.url = arena_printf(mem, "%s%s", at->url, d->path(mem, &a->socket)),
		.header = at->key != NULL ? d->header : NULL,
		.value = d->header != NULL && at->key != NULL
			     ? arena_printf(mem, "%s%s", d->scheme, at->key)
			     : NULL,
		.message = receive_message,
		.ended = note_end,
		.arg = a
	};
	const char *hello = d->hello != NULL ? d->hello(mem, &a->socket) : NULL;

	websocket_client_close(a->client);
	forget_text(a);
	a->sent = 0;
	a->tries++;
	if ((a->client = websocket_client_open(&call)) == NULL)
		a->ended = true;
	else if (hello != NULL)
		websocket_client_send(a->client, true, hello, strlen(hello));
	arena_free(mem);
}

static void
send_piece(struct asr *a, size_t n)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	bool text = a->dialect->encode(&b, a->s + a->sent, n);

	websocket_client_send(a->client, text, b.p, b.len);
	a->sent += n;
	arena_free(mem);
}

/* Send the sound in pieces; all: also the last, incomplete one. */
static void
send_sound(struct asr *a, bool all)
{
	while (a->client != NULL && a->sent < a->n && (all || a->n - a->sent >= PIECE))
		send_piece(a, a->n - a->sent < PIECE ? a->n - a->sent : PIECE);
}

/* True if the connection broke: it was closed before `end` was sent. */
static bool
has_broken(struct asr *a)
{
	bool broken;

	pthread_mutex_lock(&a->lock);
	broken = a->ended || a->text.failed;
	pthread_mutex_unlock(&a->lock);
	return broken;
}

/* True if the server has refused, at the upgrade or later, so that another try is
   useless. */
static bool
is_refused(struct asr *a)
{
	bool refused;

	pthread_mutex_lock(&a->lock);
	refused = a->ended && a->how == WEBSOCKET_CLIENT_REFUSED;
	pthread_mutex_unlock(&a->lock);
	return refused;
}

static bool
has_failed(struct asr *a)
{
	bool failed;

	pthread_mutex_lock(&a->lock);
	failed = a->text.failed;
	pthread_mutex_unlock(&a->lock);
	return failed;
}

static enum err
feed(struct asr *a, const int16_t *s, size_t n)
{
	size_t room = ASR_PHRASE_MAX_S * ASR_RATE_HZ - a->n;

	n = n < room ? n : room;
	memcpy(a->s + a->n, s, n * sizeof(*s));
	a->n += n;
	if (a->tries == 0 || (a->tries < TRIES && has_broken(a) && !is_refused(a)))
		connect_phrase(a);
	send_sound(a, false);
	return OK;
}

static void
drop(struct asr *a)
{
	websocket_client_close(a->client);
	a->client = NULL;
	a->n = a->sent = 0;
	a->tries = 0;
	forget_text(a);
}

/* With the lock held: returns the settled and running text. */
static const char *
text_now(const struct asr *a, struct arena *mem)
{
	return text_trim(mem,
	    arena_printf(mem, "%.*s %s", (int)a->text.settled.len,
		a->text.settled.len > 0 ? a->text.settled.p : "", a->text.running),
	    BLANK);
}

static enum err
partial(struct asr *a, struct arena *mem, struct asr_result *to)
{
	*to = (struct asr_result){ .text = "", .lang = a->lang };
	pthread_mutex_lock(&a->lock);
	if (a->client != NULL)
		to->text = text_now(a, mem);
	pthread_mutex_unlock(&a->lock);
	return OK;
}

/* Wait until the server has sent everything, the connection ends, or time is up.
   Returns true if the server has sent everything. */
static bool
await_rest(struct asr *a, int64_t until_us)
{
	const struct timespec until = { until_us / S_US, until_us % S_US * 1000 };
	int how = 0;
	bool done;

	pthread_mutex_lock(&a->lock);
	while (how == 0 && !a->ended && !a->text.done && !a->text.failed)
		how = pthread_cond_timedwait(&a->changed, &a->lock, &until);
	done = !a->text.failed &&
	       (a->text.done || (a->ended && a->how == WEBSOCKET_CLIENT_CLOSED));
	pthread_mutex_unlock(&a->lock);
	return done;
}

/* Send the remaining sound and await the rest of the text, with another connection if
   this one breaks. */
static enum err
finish_phrase(struct asr *a)
{
	int64_t until_us = monotonic_us() + a->socket.at->timeout_ms * INT64_C(1000);
	bool broken;

	do {
		if (is_refused(a))
			return ERR_REFUSED;
		if ((broken = has_broken(a)) && a->tries < TRIES)
			connect_phrase(a);
		else if (broken)
			return has_failed(a) ? ERR_REFUSED : ERR_TIMEOUT;
		if (a->client == NULL)
			return ERR_TIMEOUT;
		send_sound(a, true);
		websocket_client_send(
		    a->client, true, a->dialect->end, strlen(a->dialect->end));
		if (await_rest(a, until_us))
			return OK;
	} while (monotonic_us() < until_us);
	return ERR_TIMEOUT;
}

static enum err
finish(struct asr *a, struct arena *mem, struct asr_result *to)
{
	enum err e = OK;

	*to = (struct asr_result){ .text = "", .lang = a->lang };
	if (a->n > 0) {
		if ((e = finish_phrase(a)) == OK)
			partial(a, mem, to);
		else
			log_warn(
			    "engine %s: a phrase was not recognized", a->socket.at->id);
	}
	drop(a);
	return e;
}

/* ---- opening ---- */

static const char *
join_hints(struct arena *mem, const struct list *hints)
{
	const char *const *h = hints->items;
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < hints->n && b.len + strlen(h[i]) < PROMPT_BYTES; i++)
		buf_printf(&b, "%s%s", i > 0 ? ", " : "", h[i]);
	return buf_text(&b);
}

static void
init_lock(struct asr *a)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&a->changed, &attr);
	pthread_condattr_destroy(&attr);
}

static enum err
open_one(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	struct arena *mem = arena_new();
	struct asr *a = arena_alloc(mem, sizeof(*a));

	a->mem = mem;
	a->dialect = asr_dialect_find(at->protocol);
	a->lang = asr_choose(mem, &asr_websocket, at, want);
	if (a->lang == NULL || a->dialect == NULL || !at->allow_private) {
		arena_free(mem);
		return ERR_UNSUPPORTED;
	}
	a->socket = (struct asr_socket){ at, lang_base(mem, lang_fold(mem, a->lang)),
		join_hints(mem, &want->hints) };
	a->s = arena_alloc(mem, ASR_PHRASE_MAX_S * ASR_RATE_HZ * sizeof(*a->s));
	a->text.mem = arena_new();
	forget_text(a);
	init_lock(a);
	*to = a;
	return OK;
}

static void
close_one(struct asr *a)
{
	if (a == NULL)
		return;
	drop(a);
	arena_free(a->text.mem);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	arena_free(a->mem);
}

const struct asr_engine asr_websocket = { ASR_STREAM | ASR_HINTS, knows, open_one, feed,
	partial, finish, drop, close_one };
