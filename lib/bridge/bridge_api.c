/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The RTP bridge as sessions use it, on the event loop: messages in both directions.
 * The bridge keeps a reference to the session until BRIDGE_LEFT.
 */
#include "bridge/bridge_internal.h"

#include <string.h>

/* The bridge room as the session holds it.  Event loop. */
struct bridge_handle {
	struct bridge_room *room; /* used only on the thread of the RTP bridge */
	struct arena *mem;
	const char *name;      /* name of the room at the media server */
	const char *languages; /* JSON: requested; "": none yet */
	int number;            /* their version */
	int ready;             /* version attached */
};

struct rtp_bridge *
bridge_api_of(const struct gateway *g)
{
	return *sink_shared(g, &bridge_sink);
}

static struct bridge_handle *
handle_of(const struct session *s)
{
	return *sink_state(s, &bridge_sink);
}

/* ---- messages to the RTP bridge ---- */

static void *
call_new(const struct session *s, enum bridge_call_kind kind, size_t bytes)
{
	struct bridge_call *c = (struct bridge_call *)actor_message_new(bytes);

	c->kind = kind;
	c->room = handle_of(s)->room;
	return c;
}

static void
call_send(const struct session *s, struct bridge_call *c)
{
	mailbox_send(bridge_api_of(s->gateway)->calls, &c->message);
}

static struct bridge_handle *
handle_new(struct session *s, const char *name, bool ours)
{
	struct arena *mem = arena_new(); /* freed by the RTP bridge */
	struct bridge_room *room = arena_alloc(mem, sizeof(*room));
	struct arena *its = arena_new();
	struct bridge_handle *to = arena_alloc(its, sizeof(*to));

	*room = (struct bridge_room){
		.mem = mem, .name = arena_str(mem, name), .ours = ours, .session = s
	};
	*to = (struct bridge_handle){
		.mem = its, .room = room, .name = arena_str(its, name), .languages = ""
	};
	s->refs++;
	return to;
}

/* Send the languages, unless the room has them already. */
static void
send_languages(struct session *s, const struct list *languages)
{
	struct bridge_handle *h = handle_of(s);
	struct bridge_languages *c = call_new(s, BRIDGE_LANGUAGES, sizeof(*c));
	struct arena *mem = c->call.message.mem;
	const char *texts = texts_json(mem, languages);

	if (strcmp(h->languages, texts) == 0) {
		arena_free(mem);
		return;
	}
	h->languages = arena_str(h->mem, texts);
	c->number = ++h->number;
	c->languages = texts_read(mem, texts);
	call_send(s, &c->call);
}

/* Play the queued audio, for 30 s at most, then destroy the room of a session. */
static void
close_room(struct session *s)
{
	struct bridge_call *c;

	if (handle_of(s) == NULL)
		return;
	c = call_new(s, BRIDGE_LEAVE, sizeof(*c));
	arena_free(handle_of(s)->mem);
	*sink_state(s, &bridge_sink) = NULL;
	s->in.sources--;
	call_send(s, c);
}

/*
 * Receive audio from the room `name`, and send these languages to it. A channel's room
 * exists already.
 */
static void
open_room(struct session *s, const char *name, const struct list *languages)
{
	if (handle_of(s) != NULL && strcmp(handle_of(s)->name, name) != 0)
		close_room(s);
	if (handle_of(s) == NULL) {
		input_forget(s); /* audio came by WebSocket before */
		*sink_state(s, &bridge_sink) = handle_new(s, name, s->channel == NULL);
		s->in.sources++;
	}
	send_languages(s, languages);
}

/* The languages as messages spell them. */
static struct list
languages_of(const struct task *t, const char *to[TASK_TARGETS])
{
	for (size_t i = 0; i < t->n_targets; i++)
		to[i] = t->targets[i].language.said;
	return (struct list){ to, t->n_targets };
}

static void
begin(struct session *s, const struct pipeline_config *w)
{
	const struct task *t = &w->task;
	const char *texts[TASK_TARGETS];
	struct list languages = languages_of(t, texts);

	if (bridge_api_of(s->gateway) == NULL || s->channel != NULL)
		return;
	if (t->source == TASK_WEBRTC && s->room != NULL)
		open_room(s, s->room, &languages);
	else
		close_room(s);
}

static void
follow(struct session *s, const char *broadcast, const struct list *languages)
{
	if (broadcast == NULL)
		close_room(s);
	else if (bridge_api_of(s->gateway) != NULL)
		open_room(s, broadcast, languages);
}

static bool
is_ready(const struct session *s)
{
	return handle_of(s) == NULL || handle_of(s)->ready == handle_of(s)->number;
}

static void
play(struct session *s, const struct sink_audio *a)
{
	const struct opus_packets *p = &a->packets;
	const char *language;
	struct bridge_audio *c;
	struct arena *mem;

	if (handle_of(s) == NULL || a->target < 0)
		return;
	language = a->task->targets[a->target].language.said;
	/* one small block, because many events may wait for their tick */
	c = call_new(s, BRIDGE_PLAY, sizeof(*c) + strlen(language) + 1 + p->n);
	mem = c->call.message.mem;
	c->language = arena_str(mem, language);
	c->queued =
	    (struct queued_packets){ .mem = mem, .packets.n = p->n, .last = a->last };
	if (p->n > 0)
		c->queued.packets.bytes =
		    memcpy(arena_alloc(mem, p->n), p->bytes, p->n);
	call_send(s, &c->call);
}

static void
flush(struct session *s, const struct task *t, int target)
{
	struct bridge_audio *c;

	if (handle_of(s) == NULL)
		return;
	c = call_new(s, BRIDGE_FLUSH, sizeof(*c));
	if (target >= 0)
		c->language =
		    arena_str(c->call.message.mem, t->targets[target].language.said);
	call_send(s, &c->call);
}

static const char *
describe(const struct session *session, struct arena *mem, bool speaks)
{
	const struct task *t =
	    session->now != NULL ? pipeline_task(session->now->pipeline) : NULL;
	const struct rtp_bridge *bridge = bridge_api_of(session->gateway);
	const char *texts[TASK_TARGETS];
	struct list languages;
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	if (handle_of(session) == NULL || t == NULL || t->source != TASK_WEBRTC)
		return NULL;
	languages = languages_of(t, texts);
	jw_open(&j, NULL);
	bridge->driver->invite(
	    &bridge->conf, mem, handle_of(session)->name, &languages, speaks, &j);
	jw_close(&j);
	return buf_text(&b);
}

/* ---- messages from the RTP bridge ---- */

static void
set_ready(struct session *s, int number)
{
	if (handle_of(s) == NULL || handle_of(s)->ready == number)
		return;
	handle_of(s)->ready = number;
	slot_ready(s);
}

static void
receive_message(struct gateway *g, struct thread_call *call)
{
	const struct bridge_message *m = (const struct bridge_message *)call;

	(void)g;
	switch (m->kind) {
	case BRIDGE_PACKET:
		s2s_packet(m->session, m->packet, m->n);
		break;
	case BRIDGE_READY:
		set_ready(m->session, m->number);
		break;
	case BRIDGE_LEFT:
		session_unref(m->session);
		break;
	}
	arena_free(call->message.mem);
}

/* ---- as an output ---- */

static bool
start(struct gateway *g)
{
	struct rtp_bridge *bridge = NULL;
	bool good = rtp_bridge_start(g, receive_message, &bridge);

	*sink_shared(g, &bridge_sink) = bridge;
	if (bridge != NULL)
		g->webrtc = g->rooms = true;
	return good;
}

static bool
stop(struct gateway *g)
{
	if (bridge_api_of(g) != NULL && !rtp_bridge_stop(bridge_api_of(g)))
		return false;
	*sink_shared(g, &bridge_sink) = NULL;
	return true;
}

static void
leave(struct session *s)
{
	if (s->channel == NULL)
		close_room(s);
}

static void
tick(struct session *s, int64_t now)
{
	(void)now;
	if (s->connections == NULL && (s->closed || s->gateway->stopping))
		close_room(s);
}

const struct sink_ops bridge_sink = {
	.of_owner = true,
	.start = start,
	.stop = stop,
	.follow = follow,
	.begin = begin,
	.is_ready = is_ready,
	.play = play,
	.flush = flush,
	.leave = leave,
	.tick = tick,
	.describe = describe,
};
