/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/channel_sessions.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "channel/channel_ingress.h"
#include "channel/channel_internal.h"
#include "channel/channel_session.h"
#include "cluster/cluster.h"
#include "gateway/leases.h"
#include "gateway/node_claim.h"
#include "session/sink.h"
#include "store/ledger.h"

#define POLL_US (4 * S_US)      /* accounts and nodes change too */
#define SELDOM_US (3 * POLL_US) /* the same, while nothing is served */
#define BUSY_US (S_US / 2)      /* with sockets; for a database that tells no changes */
#define CHECK_US (S_US / 5)     /* time between two checks for changed channels */

/* All channels that must be served now; sent to the event loop. */
struct media_channels {
	struct thread_call call;
	int64_t seen_us; /* time of the read, monotonic_us() */
	struct media_channel {
		const char *id, *account, *event, *broadcast;
		const char *pipeline; /* JSON of its task */
		struct moderation moderation;
		const char *ingress;   /* order of its child; NULL: it has a room */
		struct lease lease;    /* this node's */
		int64_t version;       /* version of its row */
		struct list languages; /* const char *: targets */
	} * items;
	size_t n;
	const char *guests;  /* those of one that another node gave away; see relay.h */
	struct list stopped; /* struct channel_stop: all channels that are stopped */
};

/* ---- on the event loop ---- */

/* Stop the channel if it is listed; if it is stopped and no longer listed, read its
   row. */
static void
check_stopped(struct session *s, const struct list *stopped)
{
	const struct channel_stop *at = stopped->items;
	size_t i = 0;

	while (i < stopped->n && strcmp(at[i].id, s->id) != 0)
		i++;
	if (i < stopped->n)
		channel_session_stop(s, true, at[i].version);
	else if (s->channel->moderation.stopped)
		channel_row_poll(s);
}

static void
open_channel(struct gateway *g, const struct media_channel *h, int64_t seen_us)
{
	const struct connection_request v = { .kind = SOCKET_S2S,
		.account = h->account,
		.stream = h->id,
		.event = h->event,
		.pipeline = h->pipeline,
		.moderation = h->moderation,
		.lease = h->lease };
	struct session *s = session_for(g, &v);

	s->channel->media_seen_us = seen_us;
	if (h->ingress != NULL)
		channel_ingress_open(s, h->ingress);
	else if (h->broadcast != NULL && g->rooms)
		sinks_follow(s, h->broadcast, &h->languages);
	channel_session_follow(s, h->pipeline, &h->moderation);
	channel_session_changed(s, h->version);
}

static void
open_channels(struct gateway *g, struct thread_call *e)
{
	const struct media_channels *all = (const struct media_channels *)e;

	for (size_t i = 0; i < all->n && !g->stopping; i++)
		open_channel(g, &all->items[i], all->seen_us);
	for (struct session *s = session_all(g); s != NULL; s = s->next) {
		if (s->channel == NULL || s->guest != NULL)
			continue;
		check_stopped(s, &all->stopped);
		if (s->channel->media_seen_us != all->seen_us) {
			sinks_follow(s, NULL, NULL);
			channel_ingress_close(s);
		}
	}
	arena_free(e->message.mem);
}

/* ---- on the database thread ---- */

/*
 * Claim the channel: only one node may send audio to its media server room.
 * ERR_CONFLICT: another one serves it, or it cannot be paid for.
 */
static enum err
claim(
    struct gateway *g, struct arena *mem, const struct channel *c, struct lease *lease)
{
	const struct node_task t = { NODE_CHANNEL, c->id, c->node };
	struct node other;
	int64_t micro;
	enum err e = node_claim(g, mem, &t, lease, &other);

	if (e == OK && (e = ledger_balance(g->app.db, c->account, &micro)) == OK &&
	    micro <= 0)
		e = ERR_CONFLICT;
	return e;
}

/* Fill in everything but the lease. */
static void
describe(struct gateway *g, struct arena *mem, const struct channel *c,
    struct media_channel *to)
{
	to->id = c->id;
	to->account = c->account;
	to->event = c->event;
	to->broadcast = c->broadcast;
	to->pipeline = channel_pipeline(mem, c);
	to->moderation = channel_moderation(mem, c);
	to->ingress = channel_ingress_order(&g->app.conf, mem, c);
	to->version = c->version;
	to->languages = texts_read(mem, c->target_languages);
}

static enum err
read_channels(struct gateway *g, struct media_channels *to)
{
	struct arena *mem = to->call.message.mem;
	const struct channel *c;
	struct list all;
	enum err e = channels_on_air(g->app.db, mem, g->rooms, &all);

	if (e == OK)
		e = channels_stopped(g->app.db, mem, &to->stopped);
	if (e != OK)
		return e;
	c = all.items;
	to->items = arena_alloc(mem, (all.n + 1) * sizeof(*to->items));
	for (size_t i = 0; i < all.n; i++, c++) {
		struct media_channel *at = &to->items[to->n];

		e = claim(g, mem, c, &at->lease);
		if (e == OK) {
			describe(g, mem, c, at);
			to->n++;
		} else if (e != ERR_CONFLICT)
			return e;
	}
	return OK;
}

static bool
is_idle(const struct gateway *g)
{
	return g->connections == 0 && g->tasks == 0;
}

/* How long a change at another node may stay unnoticed: NATS reports it, as a rule. */
static int64_t
change_interval(const struct gateway *g)
{
	bool reported = cluster_is_connected(g->cluster);

	if (is_idle(g) && reported)
		return SELDOM_US;
	return is_idle(g) || reported ? POLL_US : BUSY_US;
}

static bool
has_changed(struct gateway *g)
{
	int64_t pulse = db_pulse(g->app.db, change_interval(g));
	int64_t was = g->channels_revision;

	if (pulse == g->channels_pulse)
		return false;
	g->channels_pulse = pulse;
	return channels_revision(g->app.db, &g->channels_revision) == OK &&
	       g->channels_revision != was;
}

static bool
is_due(struct gateway *g, int64_t now)
{
	if (now >= g->channels_polled_us + (is_idle(g) ? SELDOM_US : POLL_US))
		return true;
	if (now < g->channels_checked_us + CHECK_US)
		return false;
	g->channels_checked_us = now;
	return has_changed(g);
}

int64_t
channel_sessions_due_us(const struct gateway *g)
{
	int64_t read_us = g->channels_polled_us + SELDOM_US,
		check_us = g->channels_checked_us + change_interval(g);

	return db_is_server(g->app.db) && check_us < read_us ? check_us : read_us;
}

void
channel_sessions_poll(struct gateway *g)
{
	int64_t now = monotonic_us();
	struct media_channels *h;

	if (g->app.db == NULL || !is_due(g, now))
		return;
	g->channels_polled_us = now;
	h = THREAD_CALL(struct media_channels);
	h->seen_us = now;
	if (read_channels(g, h) != OK) {
		log_warn("channels that a stream comes into stay as they are");
		arena_free(h->call.message.mem);
		return;
	}
	h->call.run = open_channels;
	mailbox_send(g->to_event_loop, &h->call.message);
}

/* ---- one channel, for another node ---- */

static void
open_one(struct gateway *g, struct thread_call *e)
{
	const struct media_channels *one = (const struct media_channels *)e;

	if (!g->stopping)
		open_channel(g, &one->items[0], one->seen_us);
	arena_free(e->message.mem);
}

static void
take_one(struct gateway *g, struct thread_call *e)
{
	struct media_channels *one = (struct media_channels *)e;
	struct arena *mem = e->message.mem;
	struct media_channel *to = &one->items[0];
	struct channel c;

	if (g->app.db == NULL || g->leases == NULL ||
	    channel_on_air(g->app.db, mem, to->id, &c) != OK ||
	    leases_take(g, c.id, true, &to->lease) != OK) {
		arena_free(mem);
		return;
	}
	to->lease.guests = one->guests;
	describe(g, mem, &c, to);
	e->run = open_one;
	mailbox_send(g->to_event_loop, &e->message);
}

void
channel_sessions_wake(struct gateway *g, const char *channel, const char *guests)
{
	struct media_channels *one = THREAD_CALL(struct media_channels);
	struct arena *mem = one->call.message.mem;

	one->seen_us = monotonic_us();
	one->items = arena_alloc(mem, sizeof(*one->items));
	one->items->id = arena_str(mem, channel);
	one->guests = arena_str(mem, guests);
	one->call.run = take_one;
	mailbox_send(g->to_db_thread, &one->call.message);
}
