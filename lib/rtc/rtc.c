/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/rtc.h"

#include <string.h>

#include "base/clock.h"
#include "rtc/peer.h"

#define ROUNDS 16                /* reads of the sockets in a turn, at most */
#define HANDSHAKES_US (3 * 1000) /* time for handshakes in a turn */

struct rtc {
	struct peer_shared shared;
	int max_peers;
	struct ice_credentials probe;
	uint64_t unknown, bad_stun;
};

/* ---- checks ---- */

static void
answer(struct rtc *r, const struct transport_path *from, const struct stun_request *q,
    const char *pwd)
{
	unsigned char bytes[STUN_ROOM];
	struct sockaddr_storage a;
	size_t n;

	transport_address(from, &a);
	if (q->n_unknown > 0)
		n = stun_write_error(q, pwd, STUN_UNKNOWN_ATTRIBUTE, bytes);
	else if (q->controlled)
		n = stun_write_error(q, pwd, STUN_ROLE_CONFLICT, bytes);
	else
		n = stun_write_success(q, pwd, (struct sockaddr *)&a, bytes);
	transport_send(r->shared.transport, from, bytes, n);
}

/* Handle a request with a peer's password; others were dropped before. */
static void
handle_check(struct rtc *r, const struct transport_path *from,
    const struct stun_request *q, struct route_name *name)
{
	struct rtc_peer *p = name->set->peer;
	bool proven;

	if (p->state == RTC_FAILED || !peer_may_receive(p))
		return;
	answer(r, from, q, name->ice.pwd);
	if (q->n_unknown > 0 || q->controlled)
		return;
	proven = routes_put(
	    &r->shared.routes, name->set, from, stun_id(q), r->shared.now_us);
	transport_accept(r->shared.transport, from, true);
	if (q->use_candidate)
		routes_confirm_name(&r->shared.routes, name);
	peer_checked(p, from, proven, q->use_candidate);
}

static bool
is_probe(const struct rtc *r, const struct stun_request *q)
{
	size_t n = strlen(r->probe.ufrag);

	return n > 0 && q->ufrag_n == n && memcmp(q->ufrag, r->probe.ufrag, n) == 0 &&
	       stun_is_from(q, r->probe.pwd);
}

static void
handle_stun(
    struct rtc *r, const struct transport_path *from, const unsigned char *p, size_t n)
{
	struct rtc_peer *peer =
	    r->shared.client ? routes_find(&r->shared.routes, from) : NULL;
	struct route_name *name;
	struct stun_request q;

	if (peer != NULL) {
		if (peer_check_answered(peer, p, n))
			peer_checked(peer, from, true, true);
		return;
	}
	if (!stun_read(p, n, &q))
		r->bad_stun++;
	else if (is_probe(r, &q))
		answer(r, from, &q, r->probe.pwd);
	else if ((name = routes_find_name(&r->shared.routes, q.ufrag, q.ufrag_n)) !=
		     NULL &&
		 stun_is_from(&q, name->ice.pwd))
		handle_check(r, from, &q, name);
	else
		r->bad_stun++;
}

/* ---- datagrams, by their first byte: RFC 7983 ---- */

/* A datagram does not overtake one that waits. */
static void
receive_dtls(struct rtc *r, struct rtc_peer *peer, const struct transport_path *from,
    const unsigned char *p, size_t n)
{
	if (!r->shared.client && (peer->state == RTC_CHECKED || peer->handshake.n > 0))
		handshake_queue_put(&r->shared.handshakes, peer, from, p, n);
	else
		peer_receive_dtls(peer, from, p, n);
}

static void
receive_datagram(
    void *arg, const struct transport_path *from, unsigned char *p, size_t n)
{
	struct rtc *r = arg;
	struct rtc_peer *peer;

	if (n > 0 && n <= TRANSPORT_MOST && p[0] <= 3) {
		handle_stun(r, from, p, n);
		return;
	}
	peer = routes_find(&r->shared.routes, from);
	if (n == 0 || n > TRANSPORT_MOST || peer == NULL || !peer_may_receive(peer))
		r->unknown++;
	else if (p[0] >= 20 && p[0] <= 63)
		receive_dtls(r, peer, from, p, n);
	else if (p[0] >= 128 && p[0] <= 191)
		peer_media_receive(peer, from, p, n);
	else
		r->unknown++;
}

static void
lose_path(void *arg, const struct transport_path *path)
{
	struct rtc *r = arg;
	struct rtc_peer *p = routes_find(&r->shared.routes, path);

	routes_forget_path(&r->shared.routes, path);
	if (p != NULL)
		peer_lost(p, path);
}

/* ---- open and close ---- */

static bool
open_transport(struct rtc *r, struct arena *mem, const struct rtc_settings *s)
{
	static const struct transport_events events = { receive_datagram, lose_path };
	const struct transport_settings t = { .listen = s->at.listen,
		.port = s->at.port,
		.tcp = s->at.tcp,
		.max_connections = s->max_peers };

	r->shared.transport = transport_open(mem, &t, &events, r);
	r->shared.routes.transport = r->shared.transport;
	return r->shared.transport != NULL;
}

struct rtc *
rtc_open(
    struct arena *mem, const struct rtc_settings *s, const struct rtc_events *events)
{
	struct rtc *r = arena_alloc(mem, sizeof(*r));

	r->max_peers = s->max_peers;
	r->probe = s->probe;
	r->shared.events = *events;
	r->shared.client = s->client;
	r->shared.now_us = monotonic_us();
	handshake_queue_start(&r->shared.handshakes);
	r->shared.dtls = dtls_context_new(mem);
	if (r->shared.dtls == NULL || !open_transport(r, mem, s))
		return NULL;
	data_channel_start();
	return r;
}

void
rtc_close(struct rtc *r)
{
	while (r->shared.routes.names != NULL)
		rtc_peer_close(r->shared.routes.names->set->peer);
	transport_close(r->shared.transport);
	data_channel_stop();
}

int
rtc_port(const struct rtc *r)
{
	return transport_port(r->shared.transport);
}

const char *
rtc_fingerprint(const struct rtc *r)
{
	return dtls_context_fingerprint(r->shared.dtls);
}

int
rtc_fd(const struct rtc *r)
{
	return transport_fd(r->shared.transport);
}

/* ---- turns ---- */

/* Time never goes back, whatever the caller's clock says. */
void
rtc_time(struct rtc *r, int64_t now_us)
{
	if (now_us > r->shared.now_us)
		r->shared.now_us = now_us;
}

static void
begin_turn(struct rtc *r, int64_t now_us)
{
	rtc_time(r, now_us);
	peer_enter(&r->shared);
}

static void
end_turn(struct rtc *r)
{
	peer_leave(&r->shared);
	transport_flush(r->shared.transport);
}

bool
rtc_has_work(const struct rtc *r)
{
	return !handshake_queue_is_empty(&r->shared.handshakes);
}

static void
continue_handshakes(struct rtc *r)
{
	int64_t until_us = monotonic_us() + HANDSHAKES_US;

	while (rtc_has_work(r) && monotonic_us() < until_us)
		handshake_queue_run(&r->shared.handshakes, peer_receive_dtls);
}

/* The sockets are emptied first, because a full one drops packets. */
void
rtc_receive(struct rtc *r)
{
	int rounds = 1;

	if (r->shared.depth > 0)
		return;
	begin_turn(r, monotonic_us());
	while (transport_receive(r->shared.transport, r->shared.now_us) &&
	       rounds++ < ROUNDS)
		continue;
	continue_handshakes(r);
	end_turn(r);
}

void
rtc_tick(struct rtc *r, int64_t now_us)
{
	struct due_entry *due;
	struct rtc_peer *p;

	if (r->shared.depth > 0)
		return;
	begin_turn(r, now_us);
	transport_tick(r->shared.transport, r->shared.now_us);
	data_channel_timers(r->shared.now_us);
	while ((due = due_heap_next(&r->shared.due, r->shared.now_us)) != NULL) {
		p = (struct rtc_peer *)(void *)due;
		peer_tick(p);
		peer_media_report(p);
	}
	end_turn(r);
}

static int64_t
sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t
rtc_due_us(const struct rtc *r)
{
	return sooner(due_heap_first_us(&r->shared.due),
	    sooner(transport_due_us(r->shared.transport), data_channel_due_us()));
}

void
rtc_flush(struct rtc *r)
{
	transport_flush(r->shared.transport);
}

/* ---- peers ---- */

struct rtc_peer *
rtc_peer_open(
    struct rtc *r, void *owner, const struct ice_credentials *local, bool channels)
{
	struct rtc_peer *p;

	if (r->shared.peers >= r->max_peers)
		return NULL;
	rtc_time(r, monotonic_us());
	p = peer_new(&r->shared, owner, channels);
	if (!routes_put_name(&r->shared.routes, &p->routes, local)) {
		peer_close(p);
		return NULL;
	}
	r->shared.peers++;
	return p;
}

void
rtc_peer_close(struct rtc_peer *p)
{
	struct peer_shared *s = p->shared;

	if (p->closed)
		return;
	routes_forget(&s->routes, &p->routes);
	s->peers--;
	peer_close(p);
	if (s->depth == 0)
		transport_flush(s->transport);
}

void
rtc_peer_restart(struct rtc_peer *p, const struct ice_credentials *local)
{
	bool put = routes_put_name(&p->shared->routes, &p->routes, local);

	(void)put; /* false only if the credentials exist */
}

void
rtc_stats(const struct rtc *r, struct rtc_stats *to)
{
	*to =
	    (struct rtc_stats){ .datagrams_in = transport_received(r->shared.transport),
		    .datagrams_out = transport_sent(r->shared.transport),
		    .unknown = r->unknown,
		    .bad_stun = r->bad_stun,
		    .srtp_failures = r->shared.srtp_failures };
	memcpy(to->peers, r->shared.states, sizeof(to->peers));
}
