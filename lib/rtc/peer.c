/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *	RTC_NEW -- a good check --> RTC_CHECKED -- DTLS is up, and its certificate has
 *	the fingerprint of the description --> RTC_CONNECTED
 *
 * Each state can change to RTC_FAILED, which is final.
 */
#include "rtc/peer.h"

#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/hash.h"

#define STEP_US (S_US / 100) /* checks of all peers fall on such steps */
#define RATE 400             /* datagrams per second and peer, sustained */
#define BURST_US (2 * S_US)  /* allowance that can be saved up */
#define DATAGRAM_US (S_US / RATE)
#define UNPROVEN_US (5 * S_US) /* see peer_may_send() */
/* Limits of time, from the first or the last good check. */
#define HANDSHAKE_US (20 * S_US)
#define CONSENT_US (30 * S_US)
/* Checks of a client. */
#define REPEAT_US (S_US / 10)     /* time between two checks until one is answered */
#define RECHECK_US (5 * S_US / 2) /* time between two later checks */
#define PRIORITY 1845494271       /* peer-reflexive, component 1 */

/* ---- life ---- */

void
peer_enter(struct peer_shared *s)
{
	s->depth++;
}

static void
free_peer(struct rtc_peer *p)
{
	due_heap_remove(&p->shared->due, &p->due);
	data_channels_free(p->data);
	if (p->dtls != NULL)
		dtls_close(p->dtls);
	dtls_free(p->dtls);
	packet_cipher_free(p->cipher);
	if (p->check != NULL)
		transport_drop(p->shared->transport, &p->check->to);
	arena_free(p->mem);
}

void
peer_leave(struct peer_shared *s)
{
	struct rtc_peer *p;

	if (--s->depth > 0)
		return;
	while ((p = s->closed) != NULL) {
		s->closed = p->next_closed;
		free_peer(p);
	}
}

struct rtc_peer *
peer_new(struct peer_shared *s, void *owner, bool channels)
{
	struct arena *mem = arena_small(sizeof(struct rtc_peer) + 1024);
	struct rtc_peer *p = arena_alloc(mem, sizeof(*p));

	p->mem = mem;
	p->shared = s;
	p->owner = owner;
	p->channels = channels;
	p->dtls_client = s->client;
	p->receive_type = -1;
	p->routes.mem = mem;
	p->routes.peer = p;
	p->stats.open_us = s->now_us;
	p->budget_us = BURST_US;
	p->budget_at_us = s->now_us;
	s->states[RTC_NEW]++;
	return p;
}

void
peer_close(struct rtc_peer *p)
{
	struct peer_shared *s = p->shared;

	if (p->closed)
		return;
	peer_enter(s);
	p->closed = true;
	p->next_closed = s->closed;
	s->closed = p;
	s->states[p->state]--;
	due_heap_remove(&p->shared->due, &p->due);
	handshake_queue_forget(&s->handshakes, p);
	peer_leave(s);
}

static void
set_state(struct rtc_peer *p, enum rtc_state state)
{
	p->shared->states[p->state]--;
	p->shared->states[state]++;
	p->state = state;
	p->shared->events.state(p->owner, state);
}

static void
fail(struct rtc_peer *p, const char *why)
{
	if (p->closed || p->state == RTC_FAILED)
		return;
	p->failure = why;
	due_heap_remove(&p->shared->due, &p->due);
	handshake_queue_forget(&p->shared->handshakes, p);
	set_state(p, RTC_FAILED);
	peer_report_route(p);
}

/* ---- the time of the next check ---- */

static void
sooner(int64_t *due, int64_t than)
{
	*due = than < *due ? than : *due;
}

static int64_t
due_us(const struct rtc_peer *p)
{
	int64_t now = p->shared->now_us, due = INT64_MAX, wait;

	if (p->check != NULL)
		sooner(&due, p->check->due_us);
	if (p->stats.checked_us != 0)
		sooner(&due, p->consent_us + CONSENT_US);
	if (p->stats.checked_us != 0 && p->state == RTC_CHECKED)
		sooner(&due, p->stats.checked_us + HANDSHAKE_US);
	if (p->dtls != NULL && (wait = dtls_wait_us(p->dtls)) >= 0)
		sooner(&due, now + wait);
	if (p->data != NULL)
		sooner(&due, data_channels_due_us(p->data, now));
	if (p->report_us != 0 && p->cipher != NULL && p->has_path)
		sooner(&due, p->report_us);
	return due;
}

/* The next step after a time, and after this turn: a peer is looked at once in a turn.
 */
static int64_t
due_step(const struct peer_shared *s, int64_t due)
{
	if (due < s->now_us)
		due = s->now_us;
	return (due / STEP_US + 1) * STEP_US;
}

void
peer_schedule(struct rtc_peer *p)
{
	int64_t due = INT64_MAX;

	if (!p->closed && p->state != RTC_FAILED)
		due = due_us(p);
	if (due != INT64_MAX)
		due_heap_set(&p->shared->due, &p->due, due_step(p->shared, due));
	else
		due_heap_remove(&p->shared->due, &p->due);
}

/* ---- the pair that it sends to ---- */

static bool
is_path(const struct rtc_peer *p, const struct transport_path *path)
{
	return p->has_path && memcmp(&p->path, path, sizeof(*path)) == 0;
}

/* A peer that completed a TCP handshake has a real address. */
static void
use_path(struct rtc_peer *p, const struct transport_path *path)
{
	p->path = *path;
	p->has_path = true;
	p->moved_us = p->shared->now_us;
	p->proven = path->tcp != 0;
}

void
peer_prove(struct rtc_peer *p)
{
	if (p->proven || !is_path(p, p->from))
		return;
	p->proven = true;
	peer_report_route(p);
}

bool
peer_may_send(const struct rtc_peer *p)
{
	return p->has_path &&
	       (p->proven || p->shared->now_us < p->moved_us + UNPROVEN_US);
}

/* The bytes between the members are 0, as in the peer's own route. */
void
peer_report_route(struct rtc_peer *p)
{
	struct rtc_route r;

	if (p->closed || p->shared->events.route == NULL)
		return;
	memset(&r, 0, sizeof(r));
	if (p->state == RTC_CONNECTED && p->cipher != NULL && p->has_path) {
		r.cipher = p->cipher;
		r.path = p->path;
		r.fd = transport_udp(p->shared->transport, &p->path);
		r.until_us = p->proven ? INT64_MAX : p->moved_us + UNPROVEN_US;
	}
	if (memcmp(&r, &p->route, sizeof(r)) == 0)
		return;
	memcpy(&p->route, &r, sizeof(r));
	p->shared->events.route(p->owner, &r);
}

/* ---- SCTP over DTLS ---- */

static void
send_packet(void *arg, const void *bytes, size_t n)
{
	struct rtc_peer *p = arg;

	if (p->dtls != NULL)
		dtls_send(p->dtls, bytes, n);
}

static void
channel_opens(void *arg, const char *label)
{
	struct rtc_peer *p = arg;

	if (p->closed)
		return;
	if (p->stats.channel_us == 0)
		p->stats.channel_us = p->shared->now_us;
	p->shared->events.channel(p->owner, label);
}

static void
message_comes(void *arg, const char *label, const void *bytes, size_t n)
{
	struct rtc_peer *p = arg;

	if (!p->closed && p->state == RTC_CONNECTED)
		p->shared->events.message(p->owner, label, bytes, n);
}

/* Start data channels once it is connected and a description has named them. */
static void
begin_data(struct rtc_peer *p)
{
	static const struct data_channel_events events = { send_packet, channel_opens,
		message_comes };
	const struct data_channel_settings s = {
		.port = p->sctp_port, .open = p->channels, .even = p->dtls_client
	};

	if (!p->closed && p->state == RTC_CONNECTED && p->sctp_port > 0 &&
	    p->data == NULL)
		p->data = data_channels_new(p->mem, &s, &events, p, p->shared->now_us);
}

/* ---- DTLS ---- */

static void
send_datagram(void *arg, const void *bytes, size_t n)
{
	struct rtc_peer *p = arg;

	if (peer_may_send(p))
		transport_send(p->shared->transport, &p->path, bytes, n);
}

/* Data is not trusted before the fingerprint was compared. */
static void
receive_record(void *arg, const void *bytes, size_t n)
{
	struct rtc_peer *p = arg;

	peer_prove(p);
	if (p->data != NULL && p->state == RTC_CONNECTED && !p->closed)
		data_channels_put(p->data, bytes, n, p->shared->now_us);
}

static void
begin_dtls(struct rtc_peer *p)
{
	static const struct dtls_events events = { send_datagram, receive_record };

	p->dtls = dtls_new(p->mem, p->shared->dtls, p->dtls_client, &events, p);
}

/* A DTLS client can begin before the server's description: tests give it later. */
static void
begin_as_client(struct rtc_peer *p)
{
	if (p->dtls_client && p->dtls == NULL && p->state == RTC_CHECKED)
		begin_dtls(p);
}

/*
 * Connect when both the handshake and the description are complete; either may be the
 * last.
 */
static void
connect_when_known(struct rtc_peer *p)
{
	struct dtls_keys keys;

	if (p->closed || p->state != RTC_CHECKED || !p->described || p->dtls == NULL ||
	    dtls_state(p->dtls) != DTLS_UP)
		return;
	if (!dtls_is_from(p->dtls, p->hash, p->fingerprint)) {
		fail(p, "the certificate has another fingerprint than the description");
		return;
	}
	if (dtls_keys(p->dtls, &keys))
		p->cipher = packet_cipher_new(p->mem, &keys);
	p->stats.connected_us = p->shared->now_us;
	set_state(p, RTC_CONNECTED);
	peer_report_route(p);
	begin_data(p);
}

static void
follow_dtls(struct rtc_peer *p, enum dtls_state state)
{
	if (state == DTLS_FAILED)
		fail(p, p->state == RTC_CONNECTED ? "DTLS ended with an error"
						  : "the DTLS handshake failed");
	else if (state == DTLS_CLOSED)
		fail(p, "the other side ended the connection");
	else if (state == DTLS_UP)
		connect_when_known(p);
}

void
peer_receive_dtls(struct rtc_peer *p, const struct transport_path *from,
    const unsigned char *bytes, size_t n)
{
	if (p->state == RTC_NEW || p->state == RTC_FAILED)
		return;
	if (p->dtls == NULL)
		begin_dtls(p);
	p->from = from;
	follow_dtls(p, dtls_put(p->dtls, bytes, n));
	if (p->data != NULL && data_channels_failed(p->data))
		fail(p, "the other side ended its data channels");
	peer_schedule(p);
}

bool
rtc_peer_remote(struct rtc_peer *p, const char *hash, const char *fingerprint,
    int sctp_port, bool passive)
{
	if (strlen(hash) >= sizeof(p->hash) ||
	    strlen(fingerprint) >= sizeof(p->fingerprint))
		return false;
	if (p->described && (strcasecmp(p->hash, hash) != 0 ||
				strcasecmp(p->fingerprint, fingerprint) != 0))
		return false;
	memcpy(p->hash, hash, strlen(hash) + 1);
	memcpy(p->fingerprint, fingerprint, strlen(fingerprint) + 1);
	if (p->sctp_port == 0)
		p->sctp_port = sctp_port;
	if (!p->described && p->dtls == NULL)
		p->dtls_client = passive;
	p->described = true;
	peer_enter(p->shared);
	begin_as_client(p);
	connect_when_known(p);
	begin_data(p);
	peer_schedule(p);
	peer_leave(p->shared);
	return true;
}

/* ---- ICE ---- */

bool
peer_may_receive(struct rtc_peer *p)
{
	int64_t now = p->shared->now_us;

	if (now > p->budget_at_us)
		p->budget_us += now - p->budget_at_us;
	p->budget_at_us = now;
	if (p->budget_us > BURST_US)
		p->budget_us = BURST_US;
	if (p->budget_us < DATAGRAM_US)
		return false;
	p->budget_us -= DATAGRAM_US;
	return true;
}

void
peer_checked(
    struct rtc_peer *p, const struct transport_path *path, bool proven, bool nominated)
{
	if (p->closed || p->state == RTC_FAILED)
		return;
	p->consent_us = p->shared->now_us;
	if (!is_path(p, path) &&
	    (!p->has_path || nominated || (proven && !peer_may_send(p))))
		use_path(p, path);
	p->proven |= proven && is_path(p, path);
	p->stats.tcp = p->path.tcp != 0;
	if (p->state == RTC_NEW) {
		p->stats.checked_us = p->shared->now_us;
		set_state(p, RTC_CHECKED);
		begin_as_client(p);
	}
	peer_report_route(p);
	peer_schedule(p);
}

void
peer_lost(struct rtc_peer *p, const struct transport_path *path)
{
	if (!is_path(p, path))
		return;
	p->has_path = false;
	peer_report_route(p);
}

/* ---- a client, for tests: one pair, which it nominates with each check ---- */

static void
send_check(struct rtc_peer *p)
{
	struct peer_check *c = p->check;
	unsigned char bytes[STUN_ROOM];
	size_t n;

	if (c->answered || c->due_us == 0)
		random_bytes(c->stun.id, sizeof(c->stun.id));
	c->answered = false;
	c->due_us = p->shared->now_us + REPEAT_US;
	c->stun.ufrag = p->routes.names[0].ice.ufrag;
	c->stun.peer_ufrag = c->peer_ufrag;
	c->stun.peer_pwd = c->peer_pwd;
	c->stun.priority = PRIORITY;
	c->stun.use_candidate = true;
	if ((n = stun_write_request(&c->stun, bytes)) > 0)
		transport_send(p->shared->transport, &c->to, bytes, n);
}

bool
peer_check_answered(struct rtc_peer *p, const unsigned char *bytes, size_t n)
{
	struct peer_check *c = p->check;
	struct sockaddr_storage mapped;

	if (c == NULL || c->answered || !stun_read_success(bytes, n, &c->stun, &mapped))
		return false;
	c->answered = true;
	c->due_us = p->shared->now_us + RECHECK_US;
	return true;
}

/* Copy a text. False: it is too long. */
static bool
copy(char *to, size_t room, const char *from)
{
	size_t n = strlen(from);

	if (n >= room)
		return false;
	memcpy(to, from, n + 1);
	return true;
}

void
rtc_peer_connect(struct rtc_peer *p, const struct ice_candidate *to, const char *ufrag,
    const char *pwd)
{
	struct peer_check *c = p->check;

	if (c == NULL) {
		c = arena_alloc(p->mem, sizeof(*c));
		random_bytes(&c->stun.tie_breaker, sizeof(c->stun.tie_breaker));
		if (!transport_dial(
			p->shared->transport, to->address, to->port, to->tcp, &c->to))
			return;
		p->check = c;
		routes_put(&p->shared->routes, &p->routes, &c->to, c->stun.id,
		    p->shared->now_us);
	}
	if (!copy(c->peer_ufrag, sizeof(c->peer_ufrag), ufrag) ||
	    !copy(c->peer_pwd, sizeof(c->peer_pwd), pwd))
		return;
	c->due_us = 0;
	send_check(p);
	peer_schedule(p);
}

/* ---- time ---- */

/* Returns the reason of a timeout, or NULL. */
static const char *
overdue(const struct rtc_peer *p)
{
	int64_t now = p->shared->now_us;

	if (p->stats.checked_us == 0)
		return NULL;
	if (now >= p->consent_us + CONSENT_US)
		return "the other side was silent for 30 s";
	if (p->state != RTC_CHECKED || now < p->stats.checked_us + HANDSHAKE_US)
		return NULL;
	return p->described ? "the DTLS handshake took over 20 s"
			    : "no description came in 20 s";
}

void
peer_tick(struct rtc_peer *p)
{
	const char *late = overdue(p);

	if (late != NULL)
		fail(p, late);
	if (p->closed || p->state == RTC_FAILED)
		return;
	if (p->check != NULL && p->shared->now_us >= p->check->due_us)
		send_check(p);
	if (p->dtls != NULL)
		follow_dtls(p, dtls_tick(p->dtls));
	if (p->data != NULL && !data_channels_tick(p->data, p->shared->now_us))
		fail(p, "the data channels are lost");
	peer_schedule(p);
}

/* ---- data ---- */

bool
rtc_peer_has_channel(const struct rtc_peer *p, const char *label)
{
	return p->state == RTC_CONNECTED && p->data != NULL &&
	       data_channels_is_open(p->data, label);
}

bool
rtc_peer_send_message(
    struct rtc_peer *p, const char *label, const void *bytes, size_t n)
{
	bool sent = !p->closed && rtc_peer_has_channel(p, label) &&
		    data_channels_send(p->data, label, bytes, n, p->shared->now_us);

	if (sent)
		peer_schedule(p);
	return sent;
}

size_t
rtc_peer_unsent(const struct rtc_peer *p, int64_t *since_us)
{
	*since_us = 0;
	return p->data != NULL ? data_channels_unsent(p->data, since_us) : 0;
}

/* ---- what it is ---- */

enum rtc_state
rtc_peer_state(const struct rtc_peer *p)
{
	return p->state;
}

const char *
rtc_peer_failure(const struct rtc_peer *p)
{
	return p->failure != NULL ? p->failure : "";
}

void
rtc_peer_stats(const struct rtc_peer *p, struct rtc_peer_stats *to)
{
	int64_t lost = rtcp_reception_lost(&p->reception);

	*to = p->stats;
	to->received += p->reception.received;
	to->lost += lost > 0 ? (uint64_t)lost : 0;
}
