/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts listeners by language: of the channels of events for their organisers, of
 * any session for its speaker.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "gateway/listener_count.h"
#include "session/session.h"
#include "store/listening.h"

/*
 * A listener count is cached for LISTENER_US per listener, so counting 10,000 listeners
 * (some milliseconds) happens at most once a second.
 */
#define LISTENER_US 100

/* A connection that is counted; a listener of an event may have two connections. */
struct heard_by {
	const char *language, *listener; /* listener: "" for a session's subscriber */
};

/* True for a listener. In a channel only listeners of its event count, not other
   subscribers. */
static bool
is_listener(const struct connection *c)
{
	const struct connection_request *v = c->request;

	return !v->writes && !v->bystander &&
	       (v->listener != NULL || c->session->channel == NULL);
}

const char *
listeners_language(const struct connection *c)
{
	const char *code = c->tuned.language;
	const struct task *t = session_task(c->session);

	if (language_code_is_no_target(code))
		return "original";
	if (code[0] != '\0')
		return code;
	return t != NULL && t->n_targets > 0 ? t->targets[0].language.code : NULL;
}

static int
by_language(const void *a, const void *b)
{
	const struct heard_by *x = a, *y = b;
	int order = strcmp(x->language, y->language);

	return order != 0 ? order : strcmp(x->listener, y->listener);
}

/* Connections of a session, sorted; the array is in mem. */
static struct list
listeners_of(struct arena *mem, const struct session *s)
{
	struct buf b = { .mem = mem };

	for (const struct connection *c = s->connections; c != NULL; c = c->next) {
		struct heard_by one = { listeners_language(c), c->request->listener };

		if (one.listener == NULL)
			one.listener = "";
		if (is_listener(c) && one.language != NULL)
			buf_put(&b, &one, sizeof(one));
	}
	if (b.len > 0)
		qsort(b.p, b.len / sizeof(struct heard_by), sizeof(struct heard_by),
		    by_language);
	return (struct list){ b.p, b.len / sizeof(struct heard_by) };
}

/* Returns how many of the first n connections have the same language as the first. */
static size_t
same_language(const struct heard_by *one, size_t n)
{
	size_t i = 1;

	while (i < n && strcmp(one[i].language, one->language) == 0)
		i++;
	return i;
}

static int64_t
distinct(const struct heard_by *one, size_t n)
{
	int64_t listeners = 1;

	for (size_t i = 1; i < n; i++)
		listeners += one[i].listener[0] == '\0' ||
			     strcmp(one[i].listener, one[i - 1].listener) != 0;
	return listeners;
}

/* Append a struct listening for each language. */
static void
count_session(const struct session *s, struct buf *to)
{
	struct arena *mem = arena_new();
	const struct list all = listeners_of(mem, s);

	for (size_t i = 0, n; i < all.n; i += n) {
		const struct heard_by *one = (const struct heard_by *)all.items + i;

		n = same_language(one, all.n - i);
		buf_put(to,
		    &(const struct listening){ arena_str(to->mem, s->event),
			arena_str(to->mem, s->id), arena_str(to->mem, one->language),
			distinct(one, n) },
		    sizeof(struct listening));
	}
	arena_free(mem);
}

void
listeners_changed(struct session *s)
{
	s->listeners.changed = s->gateway->listeners_changed = true;
}

void
listeners_free(struct session *s)
{
	arena_free(s->listeners.mem);
}

static void
count(struct session *s, int64_t now)
{
	struct buf rows = { .mem = NULL };
	const struct listening *one;
	int64_t n = 0;

	if (!s->listeners.changed)
		return;
	arena_free(s->listeners.mem);
	rows.mem = arena_new();
	count_session(s, &rows);
	one = (const struct listening *)(const void *)rows.p;
	for (size_t i = 0; i < rows.len / sizeof(*one); i++)
		n += one[i].listeners;
	s->listeners = (struct listeners_counted){ .mem = rows.mem,
		.rows = { rows.p, rows.len / sizeof(*one) },
		.until_us = now + n * LISTENER_US };
}

const char *
listeners_describe(struct arena *mem, struct session *s)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	const struct listening *one;
	int64_t now = monotonic_us();

	if (now >= s->listeners.until_us)
		count(s, now);
	one = s->listeners.rows.items;
	jw_open(&j, NULL);
	for (size_t i = 0; i < s->listeners.rows.n; i++)
		jw_int(&j, one[i].language, one[i].listeners);
	jw_close(&j);
	return buf_text(&b);
}

/* Copy the listeners of a session for another thread. */
static void
copy(const struct list *from, struct buf *to)
{
	const struct listening *one = from->items;

	for (size_t i = 0; i < from->n; i++, one++)
		buf_put(to,
		    &(const struct listening){ arena_str(to->mem, one->event),
			arena_str(to->mem, one->channel),
			arena_str(to->mem, one->language), one->listeners },
		    sizeof(*one));
}

void
listeners_tick(struct gateway *g, int64_t now)
{
	struct listener_count *l;
	struct buf rows;

	if (!g->listeners_changed || now < g->listeners_us + S_US)
		return;
	g->listeners_changed = false;
	g->listeners_us = now;
	l = THREAD_CALL(struct listener_count);
	rows = (struct buf){ .mem = l->call.message.mem };
	for (struct session *s = g->sessions; s != NULL; s = s->next)
		if (s->event != NULL) {
			count(s, now);
			copy(&s->listeners.rows, &rows);
		}
	l->rows = (struct list){ rows.p, rows.len / sizeof(struct listening) };
	l->call.run = listener_count_receive;
	mailbox_send(g->to_db_thread, &l->call.message);
}
