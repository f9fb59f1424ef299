/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/channel_leases.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "channel/channel_internal.h"
#include "channel/relay.h"
#include "gateway/leases.h"

#define RENEW_US (2 * S_US)

/* Renew the leases of all open channels, or give up one. */
struct lease_call {
	struct thread_call call;
	struct list used;   /* struct lease */
	struct list kept;   /* result: struct lease */
	struct list gone;   /* result: the same, of channels that are deleted */
	enum err how;       /* result */
	const char *guests; /* see relay_guests() */
};

static bool
has_lease(const struct session *s)
{
	return s->channel != NULL && s->owned.epoch != 0 && !s->closed;
}

static void
lose(struct session *s, const char *why)
{
	log_warn("channel %s: %s; it ends here", s->id, why);
	if (!relay_follow(s))
		lifecycle_move(s);
}

/* ---- renewing ---- */

static const struct lease *
find(const struct list *all, const char *id, int64_t epoch)
{
	const struct lease *l = all->items;

	for (size_t i = 0; i < all->n; i++)
		if (l[i].epoch == epoch && strcmp(l[i].id, id) == 0)
			return &l[i];
	return NULL;
}

static void
apply_one(struct session *s, const struct lease_call *c)
{
	const struct lease *l = find(&c->kept, s->id, s->owned.epoch);

	if (l != NULL) {
		s->owned.until_us = l->until_us;
		s->channel->moved |= l->handed;
	} else if (find(&c->gone, s->id, s->owned.epoch) != NULL)
		channel_row_poll(s); /* which ends it */
	else
		lose(s, "another node has taken it");
}

static void
apply(struct gateway *g, struct thread_call *e)
{
	const struct lease_call *c = (const struct lease_call *)e;

	for (struct session *s = session_all(g); s != NULL; s = s->next)
		if (has_lease(s) && find(&c->used, s->id, s->owned.epoch) != NULL)
			apply_one(s, c);
	arena_free(e->message.mem);
}

/* A lease of a deleted channel is not renewed, either. */
static void
find_gone(struct gateway *g, struct lease_call *c)
{
	struct buf b = { .mem = c->call.message.mem };
	const struct lease *l = c->used.items;
	struct channel row;

	for (size_t i = 0; i < c->used.n; i++)
		if (find(&c->kept, l[i].id, l[i].epoch) == NULL &&
		    channel_on_air(g->app.db, b.mem, l[i].id, &row) == ERR_NOT_FOUND)
			buf_put(&b, &l[i], sizeof(*l));
	c->gone = (struct list){ b.p, b.len / sizeof(*l) };
}

static void
renew(struct gateway *g, struct thread_call *e)
{
	struct lease_call *c = (struct lease_call *)e;

	if (g->app.db != NULL &&
	    leases_renew(g, e->message.mem, &c->used, &c->kept) == OK) {
		find_gone(g, c);
		session_answer(g, e, apply);
	} else
		arena_free(e->message.mem);
}

static void
send_renewal(struct gateway *g)
{
	struct lease_call *c = THREAD_CALL(struct lease_call);
	struct arena *mem = c->call.message.mem;
	struct buf b = { .mem = mem };

	for (const struct session *s = session_all(g); s != NULL; s = s->next)
		if (has_lease(s))
			buf_put(&b,
			    &(const struct lease){
				arena_str(mem, s->id), s->owned.epoch },
			    sizeof(struct lease));
	c->used = (struct list){ b.p, b.len / sizeof(struct lease) };
	c->call.run = renew;
	mailbox_send(g->to_db_thread, &c->call.message);
}

void
channel_leases_turn(struct gateway *g, int64_t now)
{
	if (g->leases == NULL)
		return;
	for (struct session *s = session_all(g); s != NULL; s = s->next)
		if (has_lease(s) && now >= s->owned.until_us)
			lose(s, "its lease could not be renewed");
	if (now < g->leases_us + RENEW_US)
		return;
	g->leases_us = now;
	send_renewal(g);
}

/* ---- giving up ---- */

static void
drop(struct gateway *g, struct thread_call *e)
{
	const struct lease *l = ((const struct lease_call *)e)->used.items;
	struct channel c;

	if (g->app.db != NULL) {
		leases_drop(g, l);
		if (g->cluster != NULL &&
		    channel_on_air(g->app.db, e->message.mem, l->id, &c) == OK &&
		    c.node != NULL)
			relay_wake(
			    g, c.node, l->id, ((const struct lease_call *)e)->guests);
	}
	arena_free(e->message.mem);
}

void
channel_lease_drop(struct session *s)
{
	struct lease_call *c;
	struct lease *l;

	if (s->owned.epoch == 0)
		return;
	c = THREAD_CALL(struct lease_call);
	l = arena_alloc(c->call.message.mem, sizeof(*l));
	*l = (struct lease){ arena_str(c->call.message.mem, s->id), s->owned.epoch };
	c->used = (struct list){ l, 1 };
	c->guests = relay_guests(s, c->call.message.mem);
	c->call.run = drop;
	mailbox_send(s->gateway->to_db_thread, &c->call.message);
}
