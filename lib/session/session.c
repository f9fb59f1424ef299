#include "session/session.h"

#include <string.h>

#include "base/clock.h"
#include "bridge/rtp_bridge.h"
#include "protocol/output.h"
#include "server/connect_limiter.h"
#include "server/socket_quota.h"
#include "session/payer.h"

#define UNSENT_BYTES (4 << 20) /* above this a client is too slow */
#define UNSENT_US (30 * S_US)  /* with unsent data this old, too */
#define LATE_US (2 * S_US)     /* unsent segments this old are skipped */

/* ---- sending ---- */

void
connection_send(struct connection *c, const char *text, size_t n)
{
	struct shared_buffer *p = shared_buffer_new(text, n);

	websocket_send(c->websocket, p, 0);
	shared_buffer_drop(p);
}

void
connection_send_buf(struct connection *c, const struct buf *b)
{
	connection_send(c, b->p, b->len);
}

void
connection_error(
    struct connection *c, const char *code, const char *desc, const char *param)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (output_error(&b, code, desc, param))
		connection_send_buf(c, &b);
	arena_free(mem);
}

void
connection_refuse(struct connection *c, const struct validation_errors *f, bool unknown)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (output_validation_errors(&b, f))
		connection_send_buf(c, &b);
	arena_free(mem);
	if (unknown && !limit_take(&c->limits[LIMIT_BAD], LIMIT_BAD, monotonic_us()))
		connection_end(c, 1008, "too many bad messages");
}

void
connection_end(struct connection *c, int code, const char *reason)
{
	websocket_end(c->websocket, code, reason);
}

void
session_end(struct session *s, int code, const char *reason)
{
	s->closed = true;
	if (code == 1000 && s->gateway->stopping)
		code = 1001;
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		connection_end(c, code, reason);
}

void
session_warn(struct session *s, const char *code, const char *message)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (s->publisher != NULL &&
	    pipeline_warning_due(&s->warnings, code, monotonic_us()) &&
	    output_warning(&b, code, message))
		connection_send_buf(s->publisher, &b);
	arena_free(mem);
}

/* ---- sessions ---- */

static void become_publisher(struct session *, struct connection *);
static void stop_publishing(struct session *);
static void pass_to_commands(struct connection *, const char *, size_t n, bool binary);

static const struct session_ops s2s_ops = {
	.entered = become_publisher,
	.message = pass_to_commands,
	.start = playout_start,
	.tick = lifecycle_tick,
	.left = stop_publishing,
	.running = billing_running,
};

static const struct session_ops *const kinds[SOCKET_KINDS] = {
	[SOCKET_S2S] = &s2s_ops, [SOCKET_STT] = &stt_ops, [SOCKET_TTS] = &tts_ops
};

struct pipeline *
session_start_pipeline(struct session *s, struct pipeline_config *w,
    void (*report)(struct gateway *, struct thread_call *))
{
	const struct pipeline_host host = { s->gateway->conf, s->gateway->pool,
		s->gateway->to_event_loop, report };

	s->refs++;
	s->gateway->tasks++;
	return pipeline_start(&host, s, w);
}

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

/* Whether a session has connections, on any kind of socket. */
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
		.own = v->own,
		.checked_us = monotonic_us(),
		.renewed_us = monotonic_us() };
	s->channel = channel_session_open(s, v);
	g->sessions = s;
	payer_enter(s);
	return s;
}

struct session *
session_for(struct gateway *g, const struct connection_request *v)
{
	struct session *s = find_session(g, v->stream, v->kind);

	return s != NULL ? s : open_session(g, v);
}

/* Free the session if it has no connections and no refs. */
static void
close_session(struct session *s)
{
	struct session **at = &s->gateway->sessions;

	if (s->connections != NULL || s->refs > 0)
		return;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	ingest_forget(s);
	command_forget(s);
	channel_session_close(s);
	payer_leave(s);
	arena_free(s->mem);
}

void
session_unref(struct session *s)
{
	s->refs--;
	close_session(s);
}

/* ---- connections ---- */

static void
request_free(struct connection_request *v)
{
	arena_free(v->call.message.mem);
}

/* A new publisher replaces the old one.  The task of a channel goes on. */
static void
become_publisher(struct session *s, struct connection *c)
{
	struct connection *was;

	if (!c->request->writes) {
		fanout_check_language(c);
		if (s->channel != NULL)
			channel_session_entered(c);
		return;
	}
	if (s->channel != NULL && s->state == STATE_ENDING)
		lifecycle_event(s, EVENT_SENT); /* end the task before at once */
	was = s->publisher;
	s->publisher = c;
	if (was != NULL)
		connection_end(was, 1008, "replaced");
	s->left_us = 0;
	if (s->channel != NULL) {
		ingest_align(s);
		channel_session_replaced(s);
		return;
	}
	if (was != NULL)
		lifecycle_event(s, EVENT_GONE);
	s->state = STATE_NONE;
	s->startup = (struct state_startup){ 0 };
	s->ended_us = 0;
}

static void
stop_publishing(struct session *s)
{
	if (s->channel != NULL) {
		if (s->now != NULL)
			pipeline_cut(s->now->pipeline);
		return;
	}
	s->left_us = monotonic_us();
	lifecycle_event(s, EVENT_GONE);
}

static void
pass_to_commands(struct connection *c, const char *p, size_t n, bool binary)
{
	(void)binary; /* both kinds hold text */
	command_message(c, p, n);
}

static void
take_message(void *conn, const char *p, size_t n, bool binary)
{
	struct connection *c = conn;

	c->session->ops->message(c, p, n, binary);
}

static void *
enter(void *arg, struct websocket *socket, void *request)
{
	struct gateway *g = arg;
	struct connection_request *v = request;
	struct session *s = session_for(g, v);
	struct arena *mem = v->call.message.mem; /* freed on close */
	struct connection *c = arena_alloc(mem, sizeof(*c));

	*c = (struct connection){
		.next = s->connections, .session = s, .websocket = socket, .request = v
	};
	if (!v->writes)
		websocket_limit(socket, WEBSOCKET_READER_BYTES);
	fanout_tune(c, v->language);
	s->connections = c;
	if (g->limiter == NULL)
		g->limiter = connect_limiter_new(g->mem);
	if (connect_limiter_take(g->limiter, v->credential, monotonic_us()))
		s->ops->entered(s, c);
	else
		connection_end(c, 1008, "connection rate limit");
	return c;
}

static void
leave(void *conn)
{
	struct connection *c = conn;
	struct session *s = c->session;
	struct connection **at = &s->connections;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	if (s->publisher == c) {
		s->publisher = NULL;
		s->ops->left(s);
	}
	s->gateway->connections--;
	if (s->connections == NULL && s->channel == NULL)
		bridge_close(s);
	if (!is_connected(s->gateway, s->id))
		billing_leave(s);
	socket_quota_leave(s->gateway, c->request);
	request_free(c->request);
	close_session(s);
}

/* The WebSocket upgrade failed: release what the request holds. */
static void
lose(void *arg, void *request)
{
	struct connection_request *v = request;
	struct session *s = open_session(arg, v);

	if (!is_connected(arg, s->id))
		billing_leave(s);
	s->gateway->connections--;
	socket_quota_leave(arg, v);
	request_free(v);
	close_session(s);
}

/* ---- ticks ---- */

static void
too_slow(struct connection *c)
{
	if (c == c->session->publisher && c->session->ops == &s2s_ops &&
	    c->session->channel == NULL)
		lifecycle_event(c->session, EVENT_GONE);
	connection_end(c, 1008, "slow consumer");
}

static void
check_reader(struct connection *c, int64_t now)
{
	int64_t since_us;
	size_t unsent;

	if (c != c->session->publisher && c->session->ops == &s2s_ops)
		websocket_skip(c->websocket, now - LATE_US);
	unsent = websocket_unsent(c->websocket, &since_us);

	if (unsent > UNSENT_BYTES || (unsent > 0 && now > since_us + UNSENT_US))
		too_slow(c);
}

static void
adopt(struct gateway *g, struct connection_request *v)
{
	event_loop_adopt(g->event_loop, v->fd, v->head, v->head_bytes, v);
}

static void
run_calls(struct gateway *g)
{
	struct actor_message *l = mailbox_take(g->to_event_loop), *next;

	for (; l != NULL; l = next) {
		struct thread_call *e = (struct thread_call *)l;

		next = l->next;
		if (e->run != NULL)
			e->run(g, e);
		else /* a connection request, from the database thread */
			adopt(g, (struct connection_request *)e);
	}
}

static void
turn(void *arg)
{
	struct gateway *g = arg;
	int64_t now = monotonic_us();
	struct session *s, *next;

	run_calls(g);
	for (s = g->sessions; s != NULL; s = next) {
		next = s->next;
		s->refs++; /* not freed in this loop */
		for (struct connection *c = s->connections; c != NULL; c = c->next)
			check_reader(c, now);
		s->ops->tick(s, now);
		billing_tick(s, now);
		if (s->connections == NULL && (s->closed || g->stopping))
			bridge_close(s);
		next = s->next;
		session_unref(s);
	}
	payer_tick(g, now);
}

const struct websocket_owner session_owner = {
	.opened = enter,
	.message = take_message,
	.closed = leave,
	.lost = lose,
	.turn = turn,
};
