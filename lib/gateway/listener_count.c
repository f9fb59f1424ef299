/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/listener_count.h"

#include "store/listening.h"

static const struct list no_rows;

static const struct list *
rows_of(const struct gateway *g)
{
	return g->listening != NULL ? &g->listening->rows : &no_rows;
}

static int64_t
minute_of(int64_t now_us)
{
	return now_us / LISTENING_MINUTE_US * LISTENING_MINUTE_US;
}

static bool
is_new_minute(const struct gateway *g, int64_t now_us)
{
	return rows_of(g)->n > 0 && g->minute_us != minute_of(now_us);
}

void
listener_count_receive(struct gateway *g, struct thread_call *e)
{
	if (g->listening != NULL)
		arena_free(g->listening->call.message.mem);
	g->listening = (struct listener_count *)e;
	g->listening_put = false;
}

bool
listener_count_is_due(const struct gateway *g, int64_t now_us)
{
	return !g->listening_put || is_new_minute(g, now_us);
}

enum err
listener_count_write(struct gateway *g, int64_t now_us)
{
	enum err e = OK;

	if (!g->listening_put)
		e = listening_put(g->app.db, g->conf->node, rows_of(g));
	if (e == OK)
		e = listening_store(g->app.db, minute_of(now_us), rows_of(g));
	return e;
}

void
listener_count_written(struct gateway *g, int64_t now_us)
{
	g->listening_put = true;
	g->minute_us = minute_of(now_us);
}
