/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records which languages the subscribers of an event's channels use, for the event's
 * statistics.  While one batch is written the next one gathers.
 */
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"
#include "channel/channel_internal.h"
#include "store/listener_joins.h"

#define TRIES 5    /* tries of one batch, each as long as db.busy_ms */
#define MOST 10000 /* joins that wait; more are not counted */

struct entry {
	struct listener_join is;
	struct entry *next;
};

struct join_batch {
	struct thread_call call;
	struct entry *first, **last;
	size_t n;
	int tries; /* so far */
	enum err how;
};

/* ---- on the database thread ---- */

static void written(struct gateway *, struct thread_call *);

static void
write_batch(struct gateway *g, struct thread_call *e)
{
	struct join_batch *b = (struct join_batch *)e;
	struct listener_join *all = arena_alloc(e->message.mem, b->n * sizeof(*all));
	size_t n = 0;

	for (const struct entry *i = b->first; i != NULL; i = i->next)
		all[n++] = i->is;
	b->how = g->app.db == NULL ? ERR_BUSY
				   : listener_joins_record(g->app.db, all, n, now_us());
	session_answer(g, e, written);
}

/* ---- on the event loop ---- */

static void
send(struct gateway *g, struct join_batch *b)
{
	b->call.run = write_batch;
	g->joins_writing = true;
	mailbox_send(g->to_db_thread, &b->call.message);
}

static void
written(struct gateway *g, struct thread_call *e)
{
	struct join_batch *b = (struct join_batch *)e, *next = g->joins;

	if (b->how == ERR_BUSY && ++b->tries < TRIES) {
		send(g, b);
		return;
	}
	if (b->how != OK)
		log_warn("the languages of %zu listeners were not counted: %s", b->n,
		    err_name(b->how));
	arena_free(e->message.mem);
	g->joins = NULL;
	g->joins_writing = false;
	if (next != NULL)
		send(g, next);
}

static struct join_batch *
gathering(struct gateway *g)
{
	if (g->joins == NULL) {
		g->joins = THREAD_CALL(struct join_batch);
		g->joins->last = &g->joins->first;
	}
	return g->joins;
}

static void
add(struct join_batch *b, const struct listener_join *is)
{
	struct arena *mem = b->call.message.mem;
	struct entry *i;

	if (b->n == MOST)
		return;
	i = arena_alloc(mem, sizeof(*i));
	i->is = (struct listener_join){ arena_str(mem, is->event),
		arena_str(mem, is->listener), arena_str(mem, is->language) };
	*b->last = i;
	b->last = &i->next;
	b->n++;
}

void
listener_joins_count(struct connection *c)
{
	struct gateway *g = c->session->gateway;
	const struct listener_join is = { c->session->event, c->request->listener,
		c->tuned.language };
	struct join_batch *b;

	if (is.event == NULL || is.listener == NULL || c->request->bystander ||
	    (!language_code_known(is.language) && strcmp(is.language, "original") != 0))
		return;
	add(b = gathering(g), &is);
	if (g->joins_writing)
		return;
	g->joins = NULL;
	send(g, b);
}
