/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_PARTICIPANT_FIXTURE_H
#define TESTS_UNIT_PARTICIPANT_FIXTURE_H

/*
 * Participants at a gateway without sockets: requests, sessions, engines and the media
 * thread are real; the signalling of clients is simulated.
 */
#include "livekit/data_packet.h"
#include "participant/participant_internal.h"
#include "participant/webrtc_internal.h"
#include "tests/unit/admission_fixture.h"
#include "tests/unit/protobuf_fixture.h"

#define ROOM "ROOM1234"
#define CLIENTS_MOST 40

/* Field numbers of SignalRequest and SignalResponse. */
enum { OFFER = 1, ANSWER = 2, TRICKLE = 3, ADD_TRACK = 4, MUTE = 5, SUBSCRIPTION = 6 };
enum { TRACK_SETTING = 7, LEAVE = 8, PING = 14, METADATA = 15, PING_REQ = 16 };
enum { GOT_JOIN = 1, GOT_ANSWER = 2, GOT_OFFER = 3, GOT_UPDATE = 5, GOT_PUBLISHED = 6 };
enum { GOT_LEAVE = 8, GOT_PONG = 18, GOT_RECONNECT = 19, GOT_PONG_RESP = 20 };
enum { GOT_REFUSAL = 22 };

/* A client's signalling socket. */
struct client {
	struct websocket *socket;
	void *conn; /* NULL: it was closed */
	int read;   /* messages that tests have read */
};

static const char *session;
static struct client clients[CLIENTS_MOST];
static int n_clients;

/* Addresses to which the media thread binds. */
static inline void
participants_setup_at(const char *listen)
{
	const struct rtc_settings settings = {
		.at = { .listen = listen, .address = "", .port = 0, .tcp = true },
		.max_peers = 100
	};

	gateway_open();
	mem = fixture.mem;
	n_clients = 0;
	fixture.app.conf.rtc_grace_s = 1;
	fixture.app.conf.rtc_media_threads = 2;
	gateway.webrtc_thread = webrtc_thread_start(&gateway, &settings);
	gateway.webrtc = true;
	ck_assert_ptr_nonnull(gateway.webrtc_thread);
	session = new_session();
	sql(arena_printf(fixture.mem,
	    "UPDATE sessions SET room = '" ROOM "' WHERE id = '%s'", session));
}

static inline void
participants_setup(void)
{
	participants_setup_at("127.0.0.1");
}

/* Closes the client's socket. */
static inline void
cut(struct client *c)
{
	signal_owner.closed(c->conn);
	c->conn = NULL;
}

static inline void
participants_teardown(void)
{
	participants_dismiss(&gateway);
	for (int i = 0; i < n_clients; i++)
		if (clients[i].conn != NULL)
			cut(&clients[i]);
	gateway_empty();
	gateway_tick();
	ck_assert_ptr_null(gateway.participants);
	ck_assert_int_eq(gateway.n_participants, 0);
	ck_assert(webrtc_thread_stop(gateway.webrtc_thread));
	gateway_tick();
	gateway.webrtc_thread = NULL;
	gateway_close();
}

/* ---- coming ---- */

/* Makes a token; the same identity gives the same participant. */
static inline const char *
token_of(const char *identity, enum stream_role role, bool silent)
{
	return stream_token_make(fixture.mem, gateway.conf->session_jwt_keys, now_us(),
	    &(const struct stream_token){ .role = role,
		.sid = session,
		.room = ROOM,
		.silent = silent,
		.seed = identity,
		.expires_us = now_us() + 3600 * S_US });
}

static inline struct connection_request *
knock_with(const char *token, const char *query)
{
	const char *text = arena_printf(fixture.mem,
	    "GET /streaming-api/webrtc/rtc?sdk=js&version=2.13.0%s HTTP/1.1\r\n"
	    "Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n"
	    "Authorization: Bearer %s\r\n\r\n",
	    query, token);
	struct buf answer = { .mem = fixture.mem };
	struct connection_request *v;
	struct http_head h;

	ck_assert(http_head_read(fixture.mem, text, strlen(text), &h));
	v = http_routes_answer(&gateway, fixture.mem, &h, "127.0.0.1", &answer);
	ck_assert_msg(v != NULL, "%s", buf_text(&answer));
	ck_assert_ptr_eq(v->owner, &signal_owner);
	return v;
}

static inline struct client *
come(const char *token, const char *query)
{
	struct client *c = &clients[n_clients++];

	ck_assert_int_le(n_clients, CLIENTS_MOST);
	*c = (struct client){ .socket = arena_alloc(fixture.mem, sizeof(*c->socket)) };
	c->conn = signal_owner.opened(&gateway, c->socket, knock_with(token, query));
	return c;
}

#define NEW "&protocol=15"

static inline struct client *
come_as(const char *identity)
{
	return come(token_of(identity, STREAM_PUBLISHER, false), NEW);
}

static inline struct client *
come_listener(const char *identity)
{
	return come(token_of(identity, STREAM_SUBSCRIBER, false), NEW);
}

static inline struct participant *
participant_of(const struct client *c)
{
	const struct signal_socket *k = c->conn;

	return k->participant;
}

/* ---- what came ---- */

static inline struct buf
message_at(const struct client *c, int i)
{
	return (struct buf){ .mem = fixture.mem,
		.p = arena_dup(fixture.mem, c->socket->said[i], c->socket->bytes[i]),
		.len = c->socket->bytes[i] };
}

/* Returns the number of the field that a SignalResponse has. */
static inline int
kind_at(const struct client *c, int i)
{
	struct protobuf m = protobuf_open(c->socket->said[i], c->socket->bytes[i]);

	ck_assert(protobuf_next(&m));
	return (int)(m.key >> 3);
}

/* Returns the field numbers of all unread messages: "1 3 ". */
static inline const char *
kinds_of(const struct client *c)
{
	struct buf b = { .mem = fixture.mem };

	for (int i = c->read; i < c->socket->n; i++)
		buf_printf(&b, "%d ", kind_at(c, i));
	return buf_text(&b);
}

static inline int
count_of(const struct client *c, int kind)
{
	int n = 0;

	for (int i = c->read; i < c->socket->n; i++)
		n += kind_at(c, i) == kind;
	return n;
}

/* Reads the next message, which must be of this kind. */
static inline struct buf
next_of(struct client *c, int kind)
{
	ck_assert_int_lt(c->read, c->socket->n);
	ck_assert_int_eq(kind_at(c, c->read), kind);
	return message_at(c, c->read++);
}

/* As next_of(), but waits for it. */
static inline struct buf
await_of(struct client *c, int kind)
{
	gateway_await(c->read < c->socket->n);
	return next_of(c, kind);
}

static inline void
expect_nothing(struct client *c)
{
	gateway_tick();
	ck_assert_str_eq(kinds_of(c), "");
}

/* Expects only leave, with which the socket is closed. */
static inline void
expect_leave(struct client *c, int reason, int action, int code)
{
	struct buf b = next_of(c, GOT_LEAVE);

	is_number("8.2", reason);
	/* protobuf omits a field of value 0 */
	is_number("8.3", action == 0 ? -1 : action);
	is_number("8.1", action == 0 ? -1 : 1);
	ck_assert_int_eq(c->socket->code, code);
	expect_nothing(c);
}

/* ---- descriptions ---- */

#define PRINT                                                                          \
	"0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9:"                             \
	"0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9"

static inline struct sdp *
description_of(struct buf b)
{
	struct sdp *sdp = arena_alloc(fixture.mem, sizeof(*sdp));
	const char *path = number_at(&b, "3.3") != -1 ? "3.2" : "2.2";
	struct protobuf m = field_at(b.p, b.len, path);

	ck_assert(sdp_read((const char *)m.bytes, m.size, sdp));
	return sdp;
}

/* Returns its tracks, in the order of its sections: "TR_x TR_y "; "- ": inactive. */
static inline const char *
tracks_offered(struct buf b)
{
	const char *text = text_at(&b, "3.2"), *section = strstr(text, "m=audio");
	struct buf to = { .mem = fixture.mem };

	for (; section != NULL; section = strstr(section + 1, "m=audio")) {
		const char *next = strstr(section + 1, "m=audio");
		const char *msid = strstr(section, "a=msid:");

		if (msid != NULL && (next == NULL || msid < next))
			buf_printf(&to, "%.15s ", strchr(msid, '|') + 1);
		else
			buf_str(&to, "- ");
	}
	return buf_text(&to);
}

static inline void
put_transport(struct buf *b, const char *ufrag, const char *setup)
{
	buf_printf(b,
	    "a=ice-ufrag:%s\r\na=ice-pwd:0123456789012345678901\r\n"
	    "a=fingerprint:sha-256 " PRINT "\r\na=setup:%s\r\n",
	    ufrag, setup);
}

/* An answer that accepts everything in the offer. */
static inline const char *
answer_text(const struct sdp *offer, const char *setup)
{
	struct buf b = { .mem = fixture.mem };

	buf_str(&b, "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
		    "a=group:BUNDLE");
	for (size_t i = 0; i < offer->n; i++)
		buf_printf(&b, " %s", offer->sections[i].mid);
	buf_str(&b, "\r\n");
	for (size_t i = 0; i < offer->n; i++) {
		const struct sdp_section *s = &offer->sections[i];

		if (s->kind == SDP_APPLICATION)
			buf_printf(&b,
			    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n"
			    "a=mid:%s\r\na=sctp-port:5000\r\n",
			    s->mid);
		else
			buf_printf(&b,
			    "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:%s\r\na=%s\r\n"
			    "a=rtpmap:111 opus/48000/2\r\n",
			    s->mid,
			    s->direction == SDP_SENDONLY ? "recvonly" : "inactive");
		put_transport(&b, "wxyz", setup);
	}
	return buf_text(&b);
}

/* An offer with data channels and a microphone. */
static inline const char *
offer_text(const char *ufrag, bool microphone)
{
	struct buf b = { .mem = fixture.mem };

	buf_printf(&b,
	    "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
	    "a=group:BUNDLE 0%s\r\n"
	    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:0\r\n"
	    "a=sctp-port:5000\r\n",
	    microphone ? " 1" : "");
	put_transport(&b, ufrag, "actpass");
	if (!microphone)
		return buf_text(&b);
	buf_str(&b, "m=audio 9 UDP/TLS/RTP/SAVPF 109\r\na=mid:1\r\na=sendonly\r\n"
		    "a=rtpmap:109 opus/48000/2\r\na=ssrc:77 cname:x\r\n");
	put_transport(&b, ufrag, "actpass");
	return buf_text(&b);
}

/* ---- what clients send ---- */

static inline void
send_bytes(struct client *c, const struct buf *b)
{
	signal_owner.message(c->conn, b->p, b->len, true);
}

static inline void
send_description(struct client *c, uint32_t field, const char *sdp, uint32_t id)
{
	struct buf b = { .mem = fixture.mem };
	size_t begun = protobuf_begin(&b, field);

	protobuf_write_text(&b, 1, field == OFFER ? "offer" : "answer");
	protobuf_write_text(&b, 2, sdp);
	protobuf_write_number(&b, 3, id);
	protobuf_end(&b, begun);
	send_bytes(c, &b);
}

/* Sends an answer to this offer. */
static inline void
answer(struct client *c, struct buf offer)
{
	send_description(c, ANSWER, answer_text(description_of(offer), "active"),
	    (uint32_t)number_at(&offer, "3.3"));
}

/* Reads join and the first offer, and sends an answer. */
static inline struct client *
settle(struct client *c)
{
	next_of(c, GOT_JOIN);
	answer(c, next_of(c, GOT_OFFER));
	return c;
}

/* Members of AddTrackRequest. */
struct wanted {
	const char *cid, *name;
	unsigned type, muted, source, encryption;
};

static inline void
add_track(struct client *c, struct wanted w)
{
	struct buf b = { .mem = fixture.mem };
	size_t begun = protobuf_begin(&b, ADD_TRACK);

	protobuf_write_text(&b, 1, w.cid);
	protobuf_write_text(&b, 2, w.name);
	protobuf_write_number(&b, 3, w.type);
	protobuf_write_number(&b, 6, w.muted);
	protobuf_write_number(&b, 8, w.source);
	protobuf_write_number(&b, 14, w.encryption);
	protobuf_end(&b, begun);
	send_bytes(c, &b);
}

static const struct wanted microphone = { "cid-1", "mic", 0, 0, 2, 0 };

/* Sends mute, subscription or track_setting for one track. */
static inline void
send_switch(struct client *c, uint32_t field, const char *sid, bool on)
{
	struct buf b = { .mem = fixture.mem };
	size_t begun = protobuf_begin(&b, field);

	protobuf_write_text(&b, 1, sid);
	protobuf_write_number(&b, field == TRACK_SETTING ? 3 : 2, on);
	protobuf_end(&b, begun);
	send_bytes(c, &b);
}

/* Sends a message with one number, or none. */
static inline void
send_number(struct client *c, uint32_t field, uint32_t of, uint64_t number)
{
	struct buf b = { .mem = fixture.mem };
	size_t begun = protobuf_begin(&b, field);

	protobuf_write_number(&b, of, number);
	protobuf_end(&b, begun);
	send_bytes(c, &b);
}

/* JSON as received from the data channel. */
static inline void
send_data(struct participant *p, const char *type, const char *data)
{
	const char *text = arena_printf(
	    fixture.mem, "{\"message_type\":\"%s\",\"data\":%s}", type, data);
	struct buf b = { .mem = fixture.mem };

	data_packet_write(&b, "PA_000000000000", "x", text, strlen(text));
	participant_data(p, b.p, b.len);
}

static inline void
send_json(const struct client *c, const char *type, const char *data)
{
	send_data(participant_of(c), type, data);
}

/* Returns the JSON that waits for the data channel and contains this; NULL: none. */
static inline const char *
waiting_json(const struct client *c, const char *what)
{
	for (const struct participant_waiting *w = participant_of(c)->waiting;
	     w != NULL; w = w->next)
		if (strstr(w->text, what) != NULL)
			return w->text;
	return NULL;
}

static inline struct session *
session_of(const struct client *c)
{
	return participant_of(c)->connection->session;
}

static inline void
await_running(const struct client *c)
{
	gateway_await(session_of(c)->state == STATE_RUNNING);
}

#define WEBRTC_TASK(targets)                                                           \
	"{\"input_stream\":{\"source\":{\"type\":\"webrtc\"}},\"pipeline\":{"          \
	"\"transcription\":{\"source_language\":\"en\"},\"translations\":[" targets    \
	"]}}"

/*
 * Reports an event of the media thread for the connection with which the participant
 * receives.
 */
static inline void
fail_connection(struct client *c, enum webrtc_failure failure)
{
	struct webrtc_event *e =
	    (struct webrtc_event *)actor_message_new(sizeof(struct webrtc_event));

	e->link = participant_of(c)->subscriber.link;
	e->kind = MEDIA_STATE;
	e->state = RTC_FAILED;
	e->failure = failure;
	e->text = "slow consumer"; /* the reason is only for the log */
	webrtc_link_handle(&gateway, &e->call);
}

#endif
