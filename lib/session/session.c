/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/session.h"

#include <string.h>

#include "base/clock.h"
#include "gateway/connect_limiter.h"
#include "gateway/listener_limit.h"
#include "gateway/socket_end.h"
#include "protocol/output.h"
#include "session/live_voice.h"
#include "session/payer.h"
#include "session/sink.h"

#define UNSENT_BYTES (4 << 20) /* unsent bytes above which a client is too slow */
/* age of unsent data above which a client is too slow */
#define UNSENT_US (30 * S_US)
#define LATE_US (2 * S_US)    /* unsent segments this old are skipped */
#define READERS_US (S_US / 4) /* time between two checks of slow clients */
#define TURN_US (50 * 1000)
#define REST_US (500 * 1000) /* turn without sessions, to finish what they left */
#define LEASES_US (2 * S_US) /* the same, to renew leases */

/* ---- sessions ---- */

static const struct session_ops *const kinds[SOCKET_KINDS] = {
	[SOCKET_S2S] = &s2s_ops, [SOCKET_STT] = &stt_ops, [SOCKET_TTS] = &tts_ops
};

struct session *
session_all(struct gateway *g)
{
	return g->sessions;
}

static struct session *
find_session(struct gateway *g, const char *id, enum socket_kind kind)
{
	struct session *s = g->sessions;

	while (
	    s != NULL && (s->closed || s->ops != kinds[kind] || strcmp(s->id, id) != 0))
		s = s->next;
	return s;
}

/* True if a session has connections, on any kind of socket. */
static bool
is_connected(const struct gateway *g, const char *id)
{
	const struct session *s = g->sessions;

	while (s != NULL && (s->connections == NULL || strcmp(s->id, id) != 0))
		s = s->next;
	return s != NULL;
}

static struct session *
open_session(struct gateway *g, const struct connection_request *v)
{
	struct arena *mem = arena_new();
	struct session *s = arena_alloc(mem, sizeof(*s));

	*s = (struct session){ .next = g->sessions,
		.mem = mem,
		.gateway = g,
		.ops = kinds[v->kind],
		.id = arena_str(mem, v->stream),
		.account = arena_str(mem, v->account),
		.key = arena_str(mem, v->key),
		.event = arena_str(mem, v->event),
		.room = arena_str(mem, v->room),
		.own = v->own,
		.lease = { monotonic_us(), monotonic_us() },
		.voice_renewed_us = monotonic_us() };
	sinks_open(s);
	s->owner = v->pipeline != NULL ? g->channels : &client_owner;
	if (v->pipeline != NULL)
		s->channel = s->owner->open(s, v);
	g->sessions = s;
	payer_enter(s);
	return s;
}

struct session *
session_for(struct gateway *g, const struct connection_request *v)
{
	struct session *s = find_session(g, v->stream, v->kind);
	bool begins = s == NULL;

	if (begins)
		s = open_session(g, v);
	if (s->channel == NULL || (!begins && v->lease.epoch <= s->owned.epoch))
		return s;
	s->owned = (struct lease){ .id = s->id,
		.epoch = v->lease.epoch,
		.until_us = v->lease.until_us,
		.guests = v->lease.guests };
	s->owner->leased(s);
	return s;
}

static void
free_unused(struct session *s)
{
	struct session **at = &s->gateway->sessions;

	if (s->connections != NULL || s->refs > 0)
		return;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->guest = NULL; /* so that all sinks forget the session */
	input_forget(s);
	speech_input_forget(s);
	sinks_forget(s);
	listeners_free(s);
	s->owner->close(s);
	payer_leave(s);
	live_voice_end(s);
	arena_free(s->mem);
}

/* ---- connections ---- */

static void
request_free(struct connection_request *v)
{
	arena_free(v->call.message.mem);
}

static void
receive_message(void *conn, const char *p, size_t n, bool binary)
{
	struct connection *c = conn;
	struct session *s = c->session;

	if (s->guest != NULL && c->request->writes)
		s->guest->message(c, p, n);
	else
		s->ops->message(c, p, n, binary);
}

static void
enter(struct session *s, struct connection *c)
{
	if (s->guest != NULL && c->request->writes)
		s->guest->entered(c);
	else
		s->ops->entered(s, c);
}

struct connection *
session_join(struct gateway *g, struct connection_request *v,
    const struct transport *transport, void *to)
{
	struct session *s = session_for(g, v);
	struct arena *mem = v->call.message.mem; /* freed on close */
	struct connection *c = arena_alloc(mem, sizeof(*c));

	*c = (struct connection){ .next = s->connections,
		.session = s,
		.transport = transport,
		.to = to,
		.request = v };
	fanout_tune(c, v->language);
	s->connections = c;
	fanout_demand(s);
	if (g->limiter == NULL)
		g->limiter = connect_limiter_new(g->mem);
	if (connect_limiter_admit(g->limiter, v->credential, monotonic_us()))
		enter(s, c);
	else
		connection_end(c, CLOSE_TOO_OFTEN);
	return c;
}

void
session_leave(struct connection *c)
{
	struct session *s = c->session;
	struct connection **at = &s->connections;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	connection_unwatch(c);
	if (s->guest != NULL && c->request->writes)
		s->guest->left(c);
	listeners_changed(s);
	fanout_leave(c);
	if (s->partner == c)
		s->partner = NULL;
	if (s->publisher == c) {
		s->publisher = s->partner;
		s->partner = NULL;
		if (s->publisher == NULL)
			s->ops->left(s);
	}
	s->gateway->connections--;
	if (s->connections == NULL)
		sinks_leave(s);
	if (!is_connected(s->gateway, s->id))
		session_lease_release(s);
	listener_limit_leave(s->gateway, c->request);
	request_free(c->request);
	free_unused(s);
}

void
session_lose(struct gateway *g, struct connection_request *v)
{
	struct session *s = open_session(g, v);

	if (!is_connected(g, s->id))
		session_lease_release(s);
	g->connections--;
	listener_limit_leave(g, v);
	request_free(v);
	free_unused(s);
}

/* ---- WebSockets ---- */

static void
send_websocket(void *to, struct shared_buffer *p, int64_t group)
{
	websocket_send(to, p, group);
}

static void
skip_websocket(void *to, int64_t before_us)
{
	websocket_skip(to, before_us);
}

static void
end_websocket(void *to, enum close_why why)
{
	websocket_end(to, close_kinds[why].code, close_kinds[why].reason);
}

static size_t
unsent_websocket(const void *to, int64_t *since_us)
{
	return websocket_unsent(to, since_us);
}

static const struct transport by_websocket = { .send = send_websocket,
	.skip = skip_websocket,
	.end = end_websocket,
	.unsent = unsent_websocket };

static void *
open_socket(void *arg, struct websocket *socket, void *request)
{
	static const char *const names[SOCKET_KINDS] = {
		[SOCKET_S2S] = "s2s", [SOCKET_STT] = "stt", [SOCKET_TTS] = "tts"
	};
	struct connection_request *v = request;
	const struct websocket_name name = socket_end_name(v, names[v->kind]);

	websocket_name(socket, &name);
	if (!v->writes)
		websocket_limit(socket, WEBSOCKET_READER_BYTES);
	return session_join(arg, v, &by_websocket, socket);
}

static void
leave(void *conn)
{
	session_leave(conn);
}

static void
lose(void *arg, void *request)
{
	session_lose(arg, request);
}

/* ---- slow clients ---- */

static void
check_reader(struct connection *c, int64_t now)
{
	const struct transport *t = c->transport;
	int64_t since_us = now;
	size_t unsent;

	if (t->skip != NULL && c != c->session->publisher &&
	    c->session->ops == &s2s_ops)
		t->skip(c->to, now - LATE_US);
	unsent = t->unsent != NULL ? t->unsent(c->to, &since_us) : 0;
	if (unsent > UNSENT_BYTES || (unsent > 0 && now > since_us + UNSENT_US))
		lifecycle_expel(c, CLOSE_SLOW);
	if (unsent == 0)
		connection_unwatch(c);
}

static void
check_readers(struct gateway *g, int64_t now)
{
	if (now < g->readers_us + READERS_US)
		return;
	g->readers_us = now;
	for (struct connection *c = g->readers, *next; c != NULL; c = next) {
		next = c->next_reader;
		check_reader(c, now);
	}
}

/* ---- ticks ---- */

static void
adopt(struct gateway *g, struct connection_request *v)
{
	event_loop_adopt(g->event_loop, v->owner, v->fd, v->head, v->head_bytes, v);
}

void
session_run_calls(struct gateway *g)
{
	struct actor_message *l = mailbox_drain(g->to_event_loop), *next;

	for (; l != NULL; l = next) {
		struct thread_call *e = (struct thread_call *)l;

		next = l->next;
		if (e->run != NULL)
			e->run(g, e);
		else /* a connection request, from the database thread */
			adopt(g, (struct connection_request *)e);
	}
}

/* Calls and sockets begin a turn. Without sessions nothing else does. */
static int64_t
until_next_turn(const struct gateway *g)
{
	if (g->sessions != NULL)
		return TURN_US;
	if (g->participants != NULL || g->transcript != NULL || g->joins != NULL ||
	    g->listeners_changed || g->draining)
		return REST_US;
	return g->leases != NULL ? LEASES_US : INT64_MAX;
}

static int64_t
turn(void *arg)
{
	struct gateway *g = arg;
	int64_t now = monotonic_us();
	struct session *s, *next;

	g->channels->turn(g, now);
	session_run_calls(g);
	check_readers(g, now);
	for (s = g->sessions; s != NULL; s = next) {
		next = s->next;
		s->refs++; /* keeps the session during this loop */
		if (s->close_desc != NULL && !s->closed)
			lifecycle_close(s, s->close_why, s->close_desc);
		s->ops->tick(s, now);
		billing_tick(s, now);
		session_lease_tick(s, now);
		live_voice_tick(s, now);
		next = s->next;
		s->refs--;
		free_unused(s);
	}
	sinks_turn(g, now);
	payer_tick(g, now);
	listeners_tick(g, now);
	return until_next_turn(g);
}

static void
report_end(void *arg, const struct websocket_name *name, int code, const char *reason)
{
	socket_end_log(arg, name, code, reason);
}

const struct websocket_owner session_owner = {
	.opened = open_socket,
	.message = receive_message,
	.closed = leave,
	.lost = lose,
	.turn = turn,
	.ended = report_end,
};
