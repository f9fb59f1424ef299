/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/relay.h"

#include <string.h>

#include "channel/caption_outputs.h"
#include "channel/channel_ingress.h"
#include "channel/egress_outputs.h"
#include "channel/relay_internal.h"
#include "channel/transcript.h"
#include "gateway/leases.h"
#include "store/channels.h"
#include "store/nodes.h"

/* ---- messages for this node ---- */

static struct relay *
find_relay(struct gateway *g, const char *channel)
{
	struct session *s = session_all(g);

	while (
	    s != NULL && (s->closed || s->channel == NULL ||
			     s->channel->relay == NULL || strcmp(s->id, channel) != 0))
		s = s->next;
	return s != NULL ? s->channel->relay : NULL;
}

static const char *
guests_of(const struct relay_message *m)
{
	const struct json *guests = json_get(m->head, "guests");
	struct buf b = { .mem = m->mem };

	if (guests == NULL || guests->type != JSON_OBJ)
		return NULL;
	jw_json(&(struct json_writer){ .out = &b }, NULL, guests);
	return buf_text(&b);
}

static void
receive(struct gateway *g, struct thread_call *e)
{
	const struct cluster_message *c = (const struct cluster_message *)e;
	void (*wake)(struct gateway *, const char *, const char *) = c->arg;
	struct relay_message m;
	const char *channel;
	struct relay *r;

	if (relay_read(c, &m) && (channel = json_get_text(m.head, "channel")) != NULL) {
		r = find_relay(g, channel);
		if (strcmp(m.type, "wake") == 0) {
			if (r == NULL || r->session->guest != NULL)
				wake(g, channel, guests_of(&m));
		} else if (r != NULL && r->session->guest != NULL)
			relay_guest_tell(r, &m);
	}
	arena_free(e->message.mem);
}

void
relay_start(
    struct gateway *g, void (*wake)(struct gateway *, const char *, const char *))
{
	char subject[RELAY_SUBJECT];

	if (g->cluster != NULL)
		cluster_subscribe(g->cluster,
		    relay_node_subject(subject, g->conf->node), receive, wake);
}

void
relay_wake(struct gateway *g, const char *node, const char *channel, const char *guests)
{
	char subject[RELAY_SUBJECT];
	struct buf b;
	struct json_writer j;

	if (g->cluster == NULL || strcmp(node, g->conf->node) == 0)
		return;
	j = relay_begin(&b, "wake", 0);
	jw_text(&j, "channel", channel);
	jw_raw(&j, "guests", guests);
	relay_publish(g, relay_node_subject(subject, node), &j, "", 0);
}

/* ---- life ---- */

static struct relay *
open_relay(struct session *s)
{
	struct arena *mem = arena_new();
	struct relay *r = arena_alloc(mem, sizeof(*r));

	*r = (struct relay){ .mem = mem, .session = s };
	s->channel->relay = r;
	return r;
}

void
relay_lead(struct session *s)
{
	struct relay *r = s->channel->relay;

	if (s->gateway->cluster == NULL)
		return;
	if (r == NULL)
		r = open_relay(s);
	if (s->owned.epoch == 0) {
		relay_guest_open(r);
		return;
	}
	if (s->guest != NULL)
		relay_guest_close(r);
	if (r->in == NULL)
		relay_owner_open(r);
	relay_guest_replay(r);
}

const char *
relay_guests(const struct session *s, struct arena *mem)
{
	const struct relay *r = s->channel->relay;

	return r != NULL && r->in != NULL ? relay_owner_guests(r, mem) : NULL;
}

bool
relay_may_leave(struct session *s)
{
	struct relay *r = s->channel->relay;

	return r == NULL || r->in == NULL || relay_owner_may_leave(r, monotonic_us());
}

void
relay_stay(struct session *s)
{
	struct relay *r = s->channel->relay;

	if (r == NULL || r->leaving_us == 0)
		return;
	r->leaving_us = 0;
	relay_owner_tell(r, false);
}

/* End the task and its outputs here; the connections stay. */
static void
end_task(struct session *s)
{
	struct channel_session *channel = s->channel;

	transcript_flush(s->gateway);
	lifecycle_over(s);
	channel_ingress_close(s);
	caption_outputs_follow(s, &(struct list){ 0 });
	egress_outputs_follow(s, &(struct list){ 0 });
	channel->runtime = NULL;
	channel->moved = false;
	channel->moved_us = 0;
}

bool
relay_follow(struct session *s)
{
	struct relay *r = s->channel->relay;

	if (r == NULL || !cluster_is_connected(s->gateway->cluster))
		return false;
	relay_owner_close(r);
	end_task(s);
	r->epoch = s->owned.epoch;
	r->synced = true; /* all texts so far are here */
	s->owned = (struct lease){ 0 };
	s->publisher = NULL;
	relay_guest_open(r);
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (c->request->writes)
			s->guest->entered(c);
	return true;
}

/* ---- without an owner ---- */

struct lease_question {
	struct thread_call call;
	struct session *session; /* a reference is held */
	const char *id;
	struct lease lease; /* result */
	const char *node;   /* result: the node in the row; NULL: none */
	enum err how;       /* result; ERR_NOT_FOUND: the channel was deleted */
};

static void
asked(struct gateway *g, struct thread_call *e)
{
	struct lease_question *q = (struct lease_question *)e;
	struct session *s = q->session;

	s->channel->relay->asking = false;
	if (q->how == OK && s->guest != NULL && !s->closed) {
		s->owned = q->lease;
		s->owned.id = s->id;
		relay_lead(s);
	} else if (q->how == ERR_NOT_FOUND && !s->closed)
		lifecycle_close(s, CLOSE_SESSION_CLOSED, "The channel was deleted");
	else if (q->how == ERR_CONFLICT && q->node != NULL)
		relay_wake(g, q->node, s->id, NULL);
	arena_free(e->message.mem);
	session_unref(s);
}

static void
ask(struct gateway *g, struct thread_call *e)
{
	struct lease_question *q = (struct lease_question *)e;
	struct channel c;
	struct node n;

	q->how = g->app.db == NULL
		     ? ERR_FAILED
		     : channel_on_air(g->app.db, e->message.mem, q->id, &c);
	if (q->how == OK) {
		q->node = c.node;
		q->how = leases_take(g, q->id, true, &q->lease);
		if (q->how == ERR_CONFLICT &&
		    (c.node == NULL || strcmp(c.node, g->conf->node) == 0) &&
		    node_choose_other(
			g->app.db, e->message.mem, g->conf->node, true, &n) == OK)
			q->node = n.id; /* this node is being drained */
	}
	session_answer(g, e, asked);
}

static void
ask_for_lease(struct relay *r, int64_t now)
{
	struct lease_question *q = THREAD_CALL(struct lease_question);

	r->asked_us = now;
	r->asking = true;
	q->call.run = ask;
	q->session = r->session;
	q->id = arena_str(q->call.message.mem, r->session->id);
	session_ask(r->session, &q->call);
}

/* ---- the end, and turns ---- */

static void
free_relay(struct gateway *g, struct thread_call *e)
{
	(void)g;
	arena_free(e->message.mem);
}

/* Messages under way still name the relay: it is freed after them. */
void
relay_close(struct session *s)
{
	struct relay *r = s->channel->relay;
	struct thread_call *e;

	if (r == NULL)
		return;
	if (r->out != NULL)
		relay_guest_close(r);
	else if (r->in != NULL)
		relay_owner_close(r);
	r->session = NULL;
	s->channel->relay = NULL;
	e = THREAD_CALL(struct thread_call);
	e->run = free_relay;
	arena_defer(e->message.mem, (void (*)(void *))arena_free, r->mem);
	mailbox_send(s->gateway->to_event_loop, &e->message);
}

void
relay_tick(struct session *s, int64_t now)
{
	struct relay *r = s->channel->relay;

	if (r == NULL || (s->closed && r->in == NULL))
		return;
	if (s->closed)
		relay_owner_close(r); /* its guests look for another owner */
	else if (s->guest != NULL) {
		if (relay_guest_tick(r, now))
			ask_for_lease(r, now);
	} else if (r->in != NULL)
		relay_owner_tick(r, now);
}

void
relay_state_changed(struct session *s)
{
	struct relay *r = s->channel->relay;

	if (r != NULL && r->in != NULL && r->nodes != NULL)
		relay_owner_tell(r, false);
}
