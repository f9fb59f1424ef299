/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/channel_drain.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "cluster/cluster.h"
#include "gateway/leases.h"
#include "session/session.h"
#include "store/nodes.h"

#define STEP_US (S_US / 5) /* time between two groups of sockets */
#define LOOK_US (S_US / 10)
/* time without NATS after which other nodes are asked: they have noticed it, too */
#define ALONE_US (4 * S_US)

/* ---- on the database thread ---- */

void
channel_drain_look(struct gateway *g, struct arena *mem)
{
	struct node n;

	if (g->leases == NULL || !cluster_is_connected(g->cluster))
		return;
	if (node_get(g->app.db, mem, g->conf->node, &n) == OK)
		g->draining = g->leaving || n.draining_us != NULL_INT;
}

void
channel_drain_watch(struct gateway *g, struct arena *mem)
{
	int64_t now = monotonic_us();
	bool was = g->isolated;

	if (g->cluster == NULL || cluster_is_connected(g->cluster)) {
		g->alone_us = 0;
		g->isolated = false;
		return;
	}
	if (g->alone_us == 0) {
		g->alone_us = now;
		g->beat_us = 0; /* the others must know soon */
	}
	if (g->leases == NULL || g->app.db == NULL || now < g->alone_us + ALONE_US ||
	    now < g->alone_look_us + S_US)
		return;
	g->alone_look_us = now;
	g->isolated = node_any_joined(g->app.db, g->conf->node) == OK;
	if (!g->isolated || was)
		return;
	log_warn(
	    "NATS joins other nodes, but not this one: it gives its channels away");
	if (!leases_hand(g, mem))
		log_warn("some channels stay here");
}

struct leave_call {
	struct thread_call call;
	atomic_int *handed; /* result: 1: done; -1: no other node is there */
};

static void
hand_all(struct gateway *g, struct thread_call *e)
{
	const struct leave_call *c = (const struct leave_call *)e;

	*c->handed = leases_hand(g, e->message.mem) ? 1 : -1;
	arena_free(e->message.mem);
}

/* ---- on the event loop ---- */

/* A session is left in a pause of its speaker; sockets of other tasks when they are
   last. */
static bool
may_leave(const struct connection *c, bool last)
{
	struct session *s = c->session;

	return last || s->guest != NULL ||
	       (c->request->kind == SOCKET_S2S && lifecycle_is_between_phrases(s));
}

/* Close up to n sockets; those of speakers come last. */
static void
close_some(struct gateway *g, int n, bool last)
{
	for (int writes = 0; writes < 2; writes++)
		for (struct session *s = g->sessions; s != NULL; s = s->next)
			for (struct connection *c = s->connections; c != NULL && n > 0;
			     c = c->next)
				if (c->request->writes == writes &&
				    !c->request->relayed && !c->told_to_leave &&
				    may_leave(c, last)) {
					c->told_to_leave = true;
					connection_end(c, CLOSE_STOPPING);
					n--;
				}
}

void
channel_drain_turn(struct gateway *g, int64_t now)
{
	int64_t left_us;

	if (!g->draining) {
		g->drained_us = 0;
		return;
	}
	if (g->drained_us == 0) {
		g->drained_us = now + g->conf->cluster_drain_s * S_US;
		g->drain_step_us = now + STEP_US;
		log_info("this node is being emptied");
	}
	if (now < g->drain_step_us)
		return;
	g->drain_step_us = now + STEP_US;
	left_us = g->drained_us - now;
	close_some(g,
	    left_us < STEP_US ? g->connections
			      : 1 + (int)(g->connections * STEP_US / left_us),
	    left_us < STEP_US);
}

/* ---- on a thread that may wait ---- */

void
channel_drain_leave(struct gateway *g)
{
	int64_t until_us = monotonic_us() + g->conf->cluster_drain_s * S_US;
	static atomic_int handed;
	struct leave_call *c;

	if (g->leases == NULL || !cluster_is_connected(g->cluster))
		return;
	g->leaving = true;
	c = THREAD_CALL(struct leave_call);
	c->call.run = hand_all;
	c->handed = &handed;
	mailbox_send(g->to_db_thread, &c->call.message);
	while (handed == 0 && monotonic_us() < until_us)
		usleep(LOOK_US);
	g->draining = handed > 0;
	while (handed > 0 && monotonic_us() < until_us && g->connections > 0)
		usleep(LOOK_US);
}
