/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/sink.h"

#include <string.h>

static size_t
count_rows(const struct gateway *g)
{
	size_t n = 0;

	while (g->sinks != NULL && g->sinks[n] != NULL)
		n++;
	return n;
}

void
sinks_open(struct session *s)
{
	size_t bytes = (count_rows(s->gateway) + 1) * sizeof(*s->sinks);

	s->sinks = memset(arena_alloc(s->mem, bytes), 0, bytes);
}

void **
sink_state(const struct session *s, const struct sink_ops *ops)
{
	size_t i = 0;

	while (s->gateway->sinks[i] != ops)
		i++;
	return &s->sinks[i];
}

/* The first row from *i on that the session has; NULL: none. */
static const struct sink_ops *
next_row(const struct session *s, size_t *i)
{
	const struct sink_ops *const *rows = s->gateway->sinks;

	while (rows != NULL && rows[*i] != NULL) {
		const struct sink_ops *k = rows[(*i)++];

		if (s->channel != NULL || !k->of_channels)
			return k;
	}
	return NULL;
}

/* Call the function of each row of s that has it. */
#define CALL_ROWS(s, function, ...)                                                    \
	do {                                                                           \
		const struct sink_ops *k;                                              \
		for (size_t i = 0; (k = next_row(s, &i)) != NULL;)                     \
			if (k->function != NULL)                                       \
				k->function(__VA_ARGS__);                              \
	} while (0)

enum err
sinks_prepare(struct gateway *g, const struct session *s, struct pipeline_config *w)
{
	const struct sink_ops *k;
	enum err e = OK;

	for (size_t i = 0; e == OK && (k = next_row(s, &i)) != NULL;)
		if (k->prepare != NULL)
			e = k->prepare(g, s, w);
	return e;
}

void
sinks_begin(struct session *s, const struct pipeline_config *w)
{
	CALL_ROWS(s, begin, s, w);
}

bool
sinks_are_ready(const struct session *s)
{
	const struct sink_ops *k;
	bool ready = true;

	for (size_t i = 0; ready && (k = next_row(s, &i)) != NULL;)
		ready = k->is_ready == NULL || k->is_ready(s);
	return ready;
}

void
sinks_take(struct session *s, const struct task *t, const struct pipeline_event *event)
{
	CALL_ROWS(s, take, s, t, event);
}

void
sinks_play(struct session *s, const struct sink_audio *a)
{
	CALL_ROWS(s, play, s, a);
}

void
sinks_flush(struct session *s, const struct task *t, int target)
{
	CALL_ROWS(s, flush, s, t, target);
}

void
sinks_report(struct session *s, const char *why)
{
	CALL_ROWS(s, report, s, why);
}

void
sinks_enter(struct connection *c)
{
	CALL_ROWS(c->session, enter, c);
}

void
sinks_leave(struct session *s)
{
	CALL_ROWS(s, leave, s);
}

void
sinks_tick(struct session *s, int64_t now)
{
	CALL_ROWS(s, tick, s, now);
}

void
sinks_turn(struct gateway *g, int64_t now)
{
	for (size_t i = 0, n = count_rows(g); i < n; i++)
		if (g->sinks[i]->turn != NULL)
			g->sinks[i]->turn(g, now);
}

const char *
sinks_describe(const struct session *s, struct arena *mem, bool speaks)
{
	const struct sink_ops *k;
	const char *is = NULL;

	for (size_t i = 0; is == NULL && (k = next_row(s, &i)) != NULL;)
		if (k->describe != NULL)
			is = k->describe(s, mem, speaks);
	return is;
}

void
sinks_forget(struct session *s)
{
	CALL_ROWS(s, forget, s);
}
