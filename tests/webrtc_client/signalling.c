/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "client.h"
#include "livekit/protobuf.h"
#include "livekit/signal.h"

#define OPEN_S 10
#define LEAVE_S 2
#define RESUME_US 300000
#define PING_US (5 * S_US)

/* ---- out ---- */

static void
send_request(struct client *c, const struct buf *b)
{
	if (c->ws != NULL && !ws_send(c->ws, WS_BINARY, b->p, b->len))
		fprintf(stderr, "webrtc-client: signalling is broken\n");
}

static void
send_description(struct client *c, uint32_t field, const char *type,
    const struct buf *sdp, uint32_t id)
{
	struct buf b = { .mem = c->mem };
	size_t description = protobuf_begin(&b, field);

	protobuf_write_text(&b, 1, type);
	protobuf_write_bytes(&b, 2, sdp->p, sdp->len);
	protobuf_write_number(&b, 3, id);
	protobuf_end(&b, description);
	send_request(c, &b);
}

static void
send_offer(struct client *c)
{
	struct buf sdp = { .mem = c->mem };

	description_write_offer(&c->sides[PUBLISHER], &sdp);
	send_description(c, 1, "offer", &sdp, ++c->offers);
}

static void
send_add_track(struct client *c)
{
	struct buf b = { .mem = c->mem };
	size_t add = protobuf_begin(&b, 4);

	protobuf_write_text(&b, 1, "microphone");
	protobuf_write_text(&b, 2, "c_client");
	protobuf_write_number(&b, 8, SIGNAL_SOURCE_MICROPHONE);
	protobuf_end(&b, add);
	send_request(c, &b);
}

static void
send_pings(struct client *c)
{
	int64_t ms = now_us() / 1000;
	struct buf b = { .mem = c->mem };
	size_t ping;

	protobuf_write_choice(&b, 14, (uint64_t)ms);
	send_request(c, &b);
	b.len = 0;
	ping = protobuf_begin(&b, 16);
	protobuf_write_number(&b, 1, (uint64_t)ms);
	protobuf_end(&b, ping);
	send_request(c, &b);
	c->pings += 2;
}

/* ---- peer connections ---- */

struct client_side *
client_open_side(struct client *c, enum client_role role)
{
	struct client_side *s = &c->sides[role];

	if (s->peer != NULL)
		return s;
	s->client = c;
	s->role = role;
	ice_credentials_new(&s->ice);
	s->peer = rtc_peer_open(c->rtc, s, &s->ice, role == PUBLISHER);
	if (role == SUBSCRIBER)
		rtc_peer_receive(s->peer, RTP_OPUS, 0);
	return s;
}

static void
restart_side(struct client_side *s)
{
	if (s->peer == NULL)
		return;
	ice_credentials_new(&s->ice);
	rtc_peer_restart(s->peer, &s->ice);
}

/* Publishes with a microphone, or only for commands. */
static void
publish(struct client *c)
{
	const struct client_options *o = c->o;

	if (!c->publishes ||
	    (c->microphone == NULL && o->task == NULL && o->n_sends == 0 && !o->input))
		return;
	client_open_side(c, PUBLISHER);
	if (c->microphone != NULL)
		/* the transport is offered when the track is published */
		send_add_track(c);
	else
		send_offer(c);
}

/* ---- in ---- */

static const char *
text_of(struct client *c, const struct protobuf *m)
{
	return arena_dup(c->mem, (const char *)m->bytes, m->size);
}

static void
take_track(struct client *c, struct protobuf m)
{
	const char *sid = "", *name = "";

	while (protobuf_next(&m)) {
		if (m.key == PROTOBUF_IS_BYTES(1))
			sid = text_of(c, &m);
		if (m.key == PROTOBUF_IS_BYTES(3))
			name = text_of(c, &m);
	}
	hearing_name(&c->hearing, sid, name);
}

static bool
may_publish(struct protobuf m)
{
	bool may = false;

	while (protobuf_next(&m))
		may |= (m.key == PROTOBUF_IS_NUMBER(2) ||
			   m.key == PROTOBUF_IS_NUMBER(3)) &&
		       m.number != 0;
	return may;
}

/* own: the entry is about this client. */
static void
take_participant(struct client *c, struct protobuf m, bool own)
{
	while (protobuf_next(&m)) {
		if (own && m.key == PROTOBUF_IS_BYTES(1))
			snprintf(c->sid, sizeof(c->sid), "%s", text_of(c, &m));
		if (own && m.key == PROTOBUF_IS_BYTES(2))
			snprintf(
			    c->identity, sizeof(c->identity), "%s", text_of(c, &m));
		if (own && m.key == PROTOBUF_IS_BYTES(11))
			c->publishes = may_publish(protobuf_message(&m));
		if (!own && m.key == PROTOBUF_IS_BYTES(4))
			take_track(c, protobuf_message(&m));
	}
}

static void
take_join(struct client *c, struct protobuf m)
{
	c->joined = true;
	c->joined_us = monotonic_us();
	while (protobuf_next(&m)) {
		if (m.key == PROTOBUF_IS_BYTES(2))
			take_participant(c, protobuf_message(&m), true);
		if (m.key == PROTOBUF_IS_BYTES(3))
			take_participant(c, protobuf_message(&m), false);
	}
	publish(c);
}

static void
take_description(struct client *c, struct protobuf m, enum client_role role)
{
	const char *text = "";
	size_t n = 0;
	uint32_t id = 0;
	struct buf answer = { .mem = c->mem };
	struct client_side *s;
	struct sdp sdp;

	while (protobuf_next(&m)) {
		if (m.key == PROTOBUF_IS_BYTES(2)) {
			text = text_of(c, &m);
			n = m.size;
		}
		if (m.key == PROTOBUF_IS_NUMBER(3))
			id = (uint32_t)m.number;
	}
	s = client_open_side(c, role);
	if (!description_take(s, text, n)) {
		fprintf(stderr, "webrtc-client: a description of no use:\n%s", text);
		return;
	}
	if (role == PUBLISHER || !sdp_read(text, n, &sdp))
		return;
	c->offers_seen++;
	description_write_answer(s, &sdp, &answer);
	send_description(c, 2, "answer", &answer, id);
}

static void
take_update(struct client *c, struct protobuf m)
{
	c->updates++;
	while (protobuf_next(&m))
		if (m.key == PROTOBUF_IS_BYTES(1))
			take_participant(c, protobuf_message(&m), false);
}

/* Reads can_reconnect, reason and action. */
static void
take_leave(struct client *c, struct protobuf m)
{
	unsigned values[4] = { 0 };

	while (protobuf_next(&m))
		if (m.key >> 3 < 4)
			values[m.key >> 3] = (unsigned)m.number;
	c->left =
	    arena_printf(c->mem, "leave: reason %u, action %u", values[2], values[3]);
	c->ended = true;
}

static void
take_reconnect(struct client *c)
{
	c->resumed_us = monotonic_us();
	restart_side(&c->sides[SUBSCRIBER]);
	restart_side(&c->sides[PUBLISHER]);
	if (c->sides[PUBLISHER].peer != NULL)
		send_offer(c);
}

static void
take_refusal(struct client *c, struct protobuf m)
{
	while (protobuf_next(&m))
		if (m.key == PROTOBUF_IS_BYTES(3))
			fprintf(stderr, "webrtc-client: refused: %s\n", text_of(c, &m));
}

static void
take_response(struct client *c, const struct protobuf *m)
{
	struct protobuf inside = protobuf_message(m);

	switch (m->key >> 3) {
	case 1:
		take_join(c, inside);
		break;
	case 2:
		take_description(c, inside, PUBLISHER);
		break;
	case 3:
		take_description(c, inside, SUBSCRIBER);
		break;
	case 5:
		take_update(c, inside);
		break;
	case 6:
		c->published = true;
		send_offer(c);
		break;
	case 8:
		take_leave(c, inside);
		break;
	case 18:
	case 20:
		c->pongs++;
		break;
	case 19:
		take_reconnect(c);
		break;
	case 22:
		take_refusal(c, inside);
		break;
	}
}

/* Handles the end of signalling, unless we cut it ourselves. */
static void
take_end(struct client *c, const struct ws_message *m)
{
	ws_drop(c->ws);
	c->ws = NULL;
	c->ended = true;
	if (c->left == NULL)
		c->left = arena_printf(c->mem, "closed: %d %s", m->code,
		    m->kind == WS_CLOSE ? m->p : "without a frame");
}

void
signalling_receive(struct client *c)
{
	while (c->ws != NULL) {
		struct ws_message m = ws_next(c->ws, c->mem, 0);
		struct protobuf r;

		if (m.kind == WS_SILENCE)
			return;
		if (m.kind == WS_PONG)
			continue;
		if (m.kind != WS_BINARY) {
			take_end(c, &m);
			return;
		}
		r = protobuf_open(m.p, m.n);
		while (protobuf_next(&r))
			take_response(c, &r);
	}
}

/* ---- open, cut and leave ---- */

bool
signalling_open(struct client *c, bool resume)
{
	const char *url = c->o->url, *answer = "";
	const char *headers[] = {
		arena_printf(c->mem, "Authorization: Bearer %s", c->o->token), NULL
	};

	if (strncmp(url, "http://", 7) == 0)
		url += 7;
	else if (strncmp(url, "ws://", 5) == 0)
		url += 5;
	url = arena_printf(c->mem,
	    "ws://%s/rtc?protocol=15&sdk=c&version=1&auto_subscribe=1%s%s", url,
	    resume ? "&reconnect=1&sid=" : "", resume ? c->sid : "");
	c->ws = ws_open(c->mem, url, headers, OPEN_S, &answer);
	if (c->ws == NULL)
		fprintf(stderr, "webrtc-client: no signalling: %s\n", answer);
	return c->ws != NULL;
}

void
signalling_tick(struct client *c, int64_t now_us)
{
	if (c->joined && c->ws != NULL && now_us >= c->ping_us) {
		c->ping_us = now_us + PING_US;
		send_pings(c);
	}
	if (c->ws != NULL && c->cut_us > 0 && now_us >= c->cut_us &&
	    (c->tasked || c->o->task == NULL)) {
		ws_drop(c->ws);
		c->ws = NULL;
		c->cut_us = 0;
		c->resume_us = now_us + RESUME_US;
	}
	if (c->ws == NULL && c->resume_us > 0 && now_us >= c->resume_us) {
		c->resume_us = 0;
		c->ended = !signalling_open(c, true);
	}
}

void
signalling_leave(struct client *c)
{
	struct buf b = { .mem = c->mem };
	size_t leave = protobuf_begin(&b, 8);
	enum ws_kind kind;

	protobuf_write_number(&b, 2, SIGNAL_CLIENT_INITIATED);
	protobuf_end(&b, leave);
	if (c->ws == NULL)
		return;
	send_request(c, &b);
	do
		kind = ws_next(c->ws, c->mem, LEAVE_S).kind;
	while (kind == WS_BINARY || kind == WS_PONG);
	if (kind != WS_CLOSE)
		fprintf(stderr, "webrtc-client: leaving was not answered\n");
	ws_drop(c->ws);
	c->ws = NULL;
}
