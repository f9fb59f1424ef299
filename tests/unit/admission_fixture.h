/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_ADMISSION_FIXTURE_H
#define TESTS_UNIT_ADMISSION_FIXTURE_H

/* Requests for sockets at a gateway, as the web server passes them on. */
#include "base/token.h"
#include "tests/unit/channel_session_fixture.h"

#define S2S "/streaming-api/v1/speech-to-speech/stream"

/* The status line and head of the answer to a refused request. */
static const char *refusal;

/*
 * from: the client's address as the web server reports it; NULL: not reported. Returns
 * NULL if refused.
 */
static inline struct connection_request *
knock_at(const char *path, const char *credential, const char *from)
{
	const char *text = arena_printf(fixture.mem,
	    "GET %s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: "
	    "Upgrade\r\n"
	    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n"
	    "Authorization: Bearer %s\r\n%s%s%s\r\n",
	    path, credential, from != NULL ? "X-Forwarded-For: 198.51.100.1, " : "",
	    from != NULL ? from : "", from != NULL ? "\r\n" : "");
	struct buf answer = { .mem = fixture.mem };
	struct connection_request *v;
	struct http_head h;

	ck_assert(http_head_read(fixture.mem, text, strlen(text), &h));
	v = http_routes_answer(&gateway, fixture.mem, &h, "127.0.0.1", &answer);
	refusal = v == NULL ? buf_text(&answer) : "";
	return v;
}

static inline struct connection_request *
knock_from(const char *credential, const char *from)
{
	return knock_at(S2S, credential, from);
}

/* True if the answer had this status and this kind of problem. */
static inline bool
was_refused(int status, const char *slug)
{
	return strncmp(refusal, arena_printf(fixture.mem, "HTTP/1.1 %d ", status),
		   13) == 0 &&
	       strstr(refusal, arena_printf(fixture.mem, "/problems/%s\"", slug)) !=
		   NULL;
}

static inline struct websocket *
open_for(struct connection_request *v)
{
	struct websocket *s = arena_alloc(fixture.mem, sizeof(*s));

	ck_assert_msg(v != NULL, "%s", refusal);
	s->connection = session_owner.opened(&gateway, s, v);
	return s;
}

/* A token as the join route makes it, issued at that version of the access code. */
static inline const char *
listener_token_at(const char *channel, const char *listener, int64_t code_version)
{
	return stream_token_make(fixture.mem, gateway.conf->session_jwt_keys, now_us(),
	    &(const struct stream_token){ .role = STREAM_LISTENER,
		.sid = channel,
		.room = arena_printf(fixture.mem, "%s-1", channel),
		.expires_us = now_us() + 3600 * S_US,
		.event = channel,
		.listener = listener,
		.language = "es",
		.code_version = code_version });
}

static inline const char *
listener_token(const char *channel, const char *listener)
{
	return listener_token_at(channel, listener, 0);
}

/* A token of a session, or a channel's token for speaking. */
static inline const char *
session_token(const char *id, const char *room, enum stream_role role)
{
	return stream_token_make(fixture.mem, gateway.conf->session_jwt_keys, now_us(),
	    &(const struct stream_token){ .role = role,
		.sid = id,
		.room = room,
		.expires_us = now_us() + 3600 * S_US });
}

#endif
