/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Participants: how they join, resume and leave; their timers. */
#include "participant/participant_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/connect_limiter.h"
#include "gateway/socket_end.h"

/* unsent bytes of signalling above which a client is too slow */
#define UNSENT_BYTES (1 << 20)
/* age of unsent signalling above which a client is too slow */
#define UNSENT_US (30 * S_US)
#define ANSWER_US (20 * S_US)  /* time for the answer to an offer */
#define CONNECT_US (30 * S_US) /* time for the first connection */
#define LOSS_US (5 * S_US)     /* time between two checks of the receivers' reports */
#define SLOW_US S_US           /* time between two checks of unsent signalling */

/* ---- leaving ---- */

/* The client has left, or must leave: end its part in the session at once. */
static void
leave(struct participant *p)
{
	struct connection *c = p->connection;

	if (c == NULL)
		return;
	p->connection = NULL;
	participant_close_links(p);
	participant_drop_data(p);
	participant_check(p);
	session_leave(c);
}

/* ---- joining ---- */

static struct signal_params *
copy_params(struct arena *mem, const struct signal_params *from)
{
	struct signal_params *to = arena_alloc(mem, sizeof(*to));

	*to = *from;
	to->identity = arena_str(mem, from->identity);
	to->room = arena_str(mem, from->room);
	to->name = arena_str(mem, from->name);
	to->metadata = arena_str(mem, from->metadata);
	to->attributes = arena_str(mem, from->attributes);
	to->sdk = arena_str(mem, from->sdk);
	to->version = arena_str(mem, from->version);
	return to;
}

/*
 * The participant with this identity in the session of a request. sid: the
 * participant's own, or "". A sid alone is not enough, because it is not secret.
 */
static struct participant *
find(struct gateway *g, const struct connection_request *v, const char *sid)
{
	struct participant *p = g->participants;

	for (; p != NULL; p = p->next)
		if (p->connection != NULL &&
		    strcmp(p->connection->session->id, v->stream) == 0 &&
		    strcmp(p->params->identity, v->signal->identity) == 0 &&
		    (sid[0] == '\0' || strcmp(p->sid, sid) == 0))
			return p;
	return NULL;
}

static struct signal_socket *
new_socket(struct websocket *socket, struct participant *p)
{
	struct arena *mem = arena_small(sizeof(struct signal_socket));
	struct signal_socket *k = arena_alloc(mem, sizeof(*k));

	*k = (struct signal_socket){ mem, socket, p };
	if (p != NULL)
		p->signal = k;
	return k;
}

static struct participant *
new_participant(struct gateway *g, const struct connection_request *v)
{
	struct arena *mem = arena_small(sizeof(struct participant));
	struct participant *p = arena_alloc(mem, sizeof(*p));

	*p = (struct participant){ .next = g->participants,
		.at = &g->participants,
		.mem = mem,
		.gateway = g,
		.params = copy_params(mem, v->signal),
		.joined_ms = now_us() / 1000,
		.joined_us = monotonic_us(),
		.version = 1 };
	sid_new(p->sid, "PA_");
	if (p->next != NULL)
		p->next->at = &p->next;
	g->participants = p;
	participant_check(p);
	return p;
}

/*
 * Replace an older participant with the same identity, which a full reconnect leaves.
 */
static void
replace(struct participant *old)
{
	if (old == NULL)
		return;
	participant_send_leave(old, SIGNAL_DUPLICATE_IDENTITY, SIGNAL_DISCONNECT);
	leave(old);
}

static struct signal_socket *
join(struct gateway *g, struct websocket *socket, struct connection_request *v)
{
	struct participant *old = find(g, v, ""), *p = new_participant(g, v);
	struct signal_socket *k = new_socket(socket, p);

	p->connection = session_join(g, v, &participant_transport, p);
	/* else it joins too often, and the old participant stays */
	if (p->dismissed_us == 0)
		replace(old);
	participant_send_join(p);
	if (p->params->subscribes) {
		participant_open_link(p, &p->subscriber);
		participant_review_tracks(p);
		if (p->offered_us == 0)
			participant_offer_again(p);
	}
	log_info(
	    "participant %s joins: %s %s", p->sid, p->params->sdk, p->params->version);
	return k;
}

/*
 * False if a peer connection has failed, for then it does not recover, or if leave was
 * sent.
 */
static bool
is_alive(const struct participant *p)
{
	return !p->leaving && !p->publisher.failed && !p->subscriber.failed;
}

static struct signal_socket *
resume(struct participant *p, struct websocket *socket)
{
	struct signal_socket *was = p->signal;

	if (was != NULL) {
		was->participant = NULL;
		websocket_end_for(was->websocket, 1000, "replaced");
	}
	p->lost_us = 0;
	p->signal = new_socket(socket, p);
	participant_check(p);
	participant_send_reconnect(p);
	participant_send_translator(p);
	if (p->subscriber.link != NULL) {
		ice_credentials_new(&p->subscriber.local.ice);
		webrtc_link_restart(p->subscriber.link, &p->subscriber.local.ice);
		participant_offer_again(p);
	}
	log_info("participant %s resumes", p->sid);
	return p->signal;
}

/* send only leave, so that the client joins again */
static struct signal_socket *
send_away(struct websocket *socket)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	signal_write_leave(&b, SIGNAL_STATE_MISMATCH, SIGNAL_RECONNECT);
	participant_send_to(socket, &b);
	websocket_end_for(socket, 1000, "state mismatch");
	arena_free(mem);
	return new_socket(socket, NULL);
}

static void *
enter(void *arg, struct websocket *socket, void *request)
{
	struct gateway *g = arg;
	struct connection_request *v = request;
	const struct websocket_name name = socket_end_name(v, "webrtc");
	struct participant *p;
	bool often;

	websocket_name(socket, &name);
	websocket_limit(socket, SIGNAL_BYTES);
	if (!v->signal->resumes)
		return join(g, socket, v);
	p = find(g, v, v->signal->sid);
	if (p != NULL && p->dismissed_us != 0)
		p = NULL;
	often = p != NULL &&
		!connect_limiter_admit(g->limiter, v->credential, monotonic_us());
	/* the resumed participant keeps its place in the session */
	g->n_participants--;
	session_lose(g, v);
	if (often) {
		websocket_end(socket, 1008, "connection rate limit");
		return new_socket(socket, NULL);
	}
	return p != NULL && is_alive(p) ? resume(p, socket) : send_away(socket);
}

/* The upgrade failed. */
static void
lose(void *arg, void *request)
{
	struct gateway *g = arg;

	g->n_participants--;
	session_lose(g, request);
}

static void
receive_message(void *conn, const char *bytes, size_t n, bool binary)
{
	struct signal_socket *k = conn;

	if (k->participant != NULL &&
	    !participant_request(k->participant, bytes, n, binary))
		leave(k->participant);
}

static void
lose_signal(void *conn)
{
	struct signal_socket *k = conn;

	if (k->participant != NULL) {
		k->participant->signal = NULL;
		k->participant->lost_us = monotonic_us();
		participant_check(k->participant);
	}
	arena_free(k->mem);
}

const struct websocket_owner signal_owner = {
	.opened = enter, .message = receive_message, .closed = lose_signal, .lost = lose
};

static void
free_participant(struct participant *p)
{
	*p->at = p->next;
	if (p->next != NULL)
		p->next->at = p->at;
	p->gateway->n_participants--;
	arena_free(p->mem);
}

void
participants_dismiss(struct gateway *g)
{
	for (struct participant *p = g->participants; p != NULL; p = p->next) {
		participant_send_leave(p, SIGNAL_SERVER_SHUTDOWN, SIGNAL_RECONNECT);
		leave(p);
	}
}

/* ---- timers ---- */

static bool
is_overdue(int64_t since_us, int64_t most_us, int64_t now)
{
	return since_us != 0 && now > since_us + most_us;
}

static void
check_signal(struct participant *p, int64_t now)
{
	int64_t since_us;
	size_t unsent = websocket_unsent(p->signal->websocket, &since_us);

	if (unsent > UNSENT_BYTES || (unsent > 0 && now > since_us + UNSENT_US))
		websocket_end(p->signal->websocket, 1008, "slow consumer");
}

static void
check_links(struct participant *p, int64_t now)
{
	if (is_overdue(p->offered_us, ANSWER_US, now))
		participant_send_leave(p, SIGNAL_STATE_MISMATCH, SIGNAL_RECONNECT);
	else if (!p->was_connected && now > p->joined_us + CONNECT_US)
		participant_send_leave(p, SIGNAL_JOIN_FAILURE, SIGNAL_DISCONNECT);
}

/* True if its tracks may have changed since they were reviewed. */
static bool
has_changed(const struct participant *p)
{
	const struct connection *c = p->connection;

	return p->reviewed_version != translator_is(c->session)->version ||
	       p->reviewed_tuned_us != c->tuned.since_us;
}

static void
tick(struct participant *p, int64_t now)
{
	int64_t grace_us = p->gateway->conf->rtc_grace_s * S_US;

	if (p->dismissed_us != 0 && now >= p->dismissed_us) {
		participant_send_leave(p, p->dismissal, p->dismissal_action);
		leave(p);
	}
	if (p->signal == NULL && is_overdue(p->lost_us, grace_us, now))
		leave(p);
	if (p->signal != NULL)
		check_signal(p, now);
	if (p->leaving && p->lost_us == 0)
		p->lost_us = now; /* even if the client does not close its socket */
	if (p->leaving && is_overdue(p->lost_us, grace_us, now))
		leave(p);
	if (p->connection != NULL && !p->connection->request->writes && !is_alive(p))
		leave(p); /* the task of a speaker continues */
	if (p->connection == NULL || p->signal == NULL || p->leaving)
		return;
	check_links(p, now);
	if (has_changed(p))
		participant_review_tracks(p);
}

static void
sooner(int64_t *due, int64_t since_us, int64_t most_us)
{
	if (since_us != 0 && since_us + most_us + 1 < *due)
		*due = since_us + most_us + 1;
}

/* When it must be checked again, if participant_check() is not called before. */
static int64_t
next_check(const struct participant *p, int64_t now)
{
	int64_t due = INT64_MAX, unsent_us;

	if (p->signal != NULL && websocket_unsent(p->signal->websocket, &unsent_us) > 0)
		sooner(&due, now, SLOW_US);
	if (p->connection == NULL)
		return due;
	sooner(&due, p->dismissed_us, 0);
	if (p->signal == NULL || p->leaving)
		sooner(&due, p->lost_us, p->gateway->conf->rtc_grace_s * S_US);
	else {
		sooner(&due, p->offered_us, ANSWER_US);
		sooner(&due, p->was_connected ? 0 : p->joined_us, CONNECT_US);
	}
	return due > now ? due : now + 1;
}

static void
follow_loss(struct gateway *g, int64_t now)
{
	static int64_t followed_us;

	if (g->participants == NULL || now < followed_us + LOSS_US)
		return;
	followed_us = now;
	for (struct session *s = g->sessions; s != NULL; s = s->next)
		if (translator_is(s) != NULL)
			participant_follow_loss(s);
}

static void
end_tracks(struct gateway *g, int64_t now)
{
	for (struct session *s = g->sessions; s != NULL; s = s->next)
		if (translator_is(s) != NULL)
			participant_end_tracks(s, now);
}

/* A check may ask for another one, in the next turn. */
static void
serve_due(struct participant *p, int64_t now)
{
	struct due_heap *all = &p->gateway->participants_due;
	int64_t due;

	tick(p, now);
	due = p->due.at != NULL ? now + 1 : next_check(p, now);
	due_heap_remove(all, &p->due);
	if (p->connection == NULL && p->signal == NULL)
		free_participant(p);
	else if (due != INT64_MAX)
		due_heap_set(all, &p->due, due);
}

void
participants_tick(struct gateway *g, int64_t now)
{
	struct due_entry *due;

	follow_loss(g, now);
	end_tracks(g, now);
	while ((due = due_heap_next(&g->participants_due, now)) != NULL)
		serve_due((struct participant *)(void *)due, now);
}

/* ---- start and stop ---- */

static bool
has_public(const struct ice_candidate *all, size_t n)
{
	size_t i = 0;

	while (i < n && !ice_is_public(all[i].address))
		i++;
	return i < n;
}

static void
check_addresses(const struct conf *c, const struct gateway *g)
{
	struct arena *mem = arena_new();
	size_t n;
	const struct ice_candidate *all = webrtc_candidates(g->webrtc_thread, mem, &n);

	if (c->rtc_address[0] == '\0' && !has_public(all, n))
		log_warn("clients outside this network will not reach UDP port %d; set "
			 "rtc.address",
		    webrtc_addresses(g->webrtc_thread)->port);
	arena_free(mem);
}

/*
 * Open the ports and start the media thread if the settings require it. Errors are
 * logged; the gateway then runs without WebRTC.
 */
static bool
start(struct gateway *g)
{
	const struct conf *c = g->conf;
	struct rtc_settings settings = { .at = { .listen = c->rtc_listen,
					     .address = c->rtc_address,
					     .port = (int)c->rtc_port,
					     .tcp = c->rtc_tcp },
		.max_peers = (int)c->rtc_max_peers * 2 };

	if (c->rtc_port == 0 || strcmp(c->broadcast_driver, "gateway") != 0)
		return true;
	ice_credentials_probe(c, &settings.probe);
	g->webrtc_thread = webrtc_thread_start(g, &settings);
	g->webrtc |= g->webrtc_thread != NULL;
	if (g->webrtc_thread != NULL)
		check_addresses(c, g);
	else {
		g->webrtc_failed = true;
		log_error("the gateway runs without WebRTC");
	}
	return true;
}

/* False: the media thread does not respond and keeps running. */
static bool
stop(struct gateway *g)
{
	return g->webrtc_thread == NULL || webrtc_thread_stop(g->webrtc_thread);
}

const struct sink_ops participants_sink = { .start = start,
	.stop = stop,
	.begin = participant_begin_tracks,
	.turn = participants_tick };
