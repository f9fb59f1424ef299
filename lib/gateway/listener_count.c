/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/listener_count.h"

#include "gateway/hls_listeners.h"
#include "store/listening.h"

/* The counts of sockets, and of listeners by HLS. */
static struct list
rows_of(const struct gateway *g, struct arena *mem)
{
	struct list rows =
	    g->listening != NULL ? g->listening->rows : (struct list){ 0 };

	return g->hls_listeners != NULL
		   ? hls_listeners_counts(g->hls_listeners, mem, &rows)
		   : rows;
}

static int64_t
minute_of(int64_t now_us)
{
	return now_us / LISTENING_MINUTE_US * LISTENING_MINUTE_US;
}

static bool
is_new_minute(const struct gateway *g, int64_t now_us)
{
	return g->listening_rows > 0 && g->minute_us != minute_of(now_us);
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
	bool changed =
	    g->hls_listeners != NULL && hls_listeners_expire(g->hls_listeners, now_us);

	return !g->listening_put || changed || is_new_minute(g, now_us);
}

enum err
listener_count_write(struct gateway *g, int64_t now_us)
{
	struct arena *mem = arena_new();
	struct list rows = rows_of(g, mem);
	enum err e;

	/* a failure must not leave the counts of HLS unwritten */
	g->listening_put = false;
	g->listening_rows = rows.n;
	e = listening_put(g->app.db, g->conf->node, &rows);
	if (e == OK)
		e = listening_store(g->app.db, minute_of(now_us), &rows);
	arena_free(mem);
	return e;
}

void
listener_count_written(struct gateway *g, int64_t now_us)
{
	g->listening_put = true;
	g->minute_us = minute_of(now_us);
}
