/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/sink.h"

static size_t
count_rows(const struct gateway *g)
{
	size_t n = 0;

	while (g->sinks != NULL && g->sinks[n] != NULL)
		n++;
	return n;
}

static void **
new_data(const struct gateway *g, struct arena *mem)
{
	return arena_alloc(mem, (count_rows(g) + 1) * sizeof(void *));
}

void
sinks_set(struct gateway *g, const struct sink_ops *const *rows)
{
	g->sinks = rows;
	g->sinks_shared = new_data(g, g->mem);
}

void
sinks_open(struct session *s)
{
	s->sinks = new_data(s->gateway, s->mem);
}

static size_t
find_row(const struct gateway *g, const struct sink_ops *ops)
{
	size_t i = 0;

	while (g->sinks[i] != ops)
		i++;
	return i;
}

void **
sink_state(const struct session *s, const struct sink_ops *ops)
{
	return &s->sinks[find_row(s->gateway, ops)];
}

void **
sink_shared(const struct gateway *g, const struct sink_ops *ops)
{
	return &g->sinks_shared[find_row(g, ops)];
}

/* The first row from *i on that the session has; NULL: none. */
static const struct sink_ops *
next_row(const struct session *s, size_t *i)
{
	const struct sink_ops *const *rows = s->gateway->sinks;

	while (rows != NULL && rows[*i] != NULL) {
		const struct sink_ops *k = rows[(*i)++];

		if ((s->channel != NULL || !k->of_channels) &&
		    (s->guest == NULL || !k->of_owner))
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

bool
sinks_start(struct gateway *g)
{
	bool good = true;

	for (size_t i = 0; good && g->sinks[i] != NULL; i++)
		good = g->sinks[i]->start == NULL || g->sinks[i]->start(g);
	return good;
}

bool
sinks_stop(struct gateway *g)
{
	bool good = true;

	for (size_t i = 0; g->sinks[i] != NULL; i++)
		if (g->sinks[i]->stop != NULL)
			good &= g->sinks[i]->stop(g);
	return good;
}

void
sinks_follow(struct session *s, const char *broadcast, const struct list *languages)
{
	CALL_ROWS(s, follow, s, broadcast, languages);
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
sinks_send_text(
    struct session *s, const struct task *t, const struct pipeline_event *event)
{
	CALL_ROWS(s, send_text, s, t, event);
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
