/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /session-storage: sessions of the real-time interfaces, with their tokens. No media
 * backend is called; the gateway finds the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/token.h"
#include "broadcast/broadcast.h"
#include "gateway/session_quota.h"
#include "service/node.h"
#include "store/idempotent_responses.h"
#include "store/ledger.h"
#include "store/sessions.h"

/* Input: the members of a new session, and how long it lives. */
struct session_in {
	int64_t subscribers; /* NULL_INT: none */
	const char *intent;  /* NULL: api */
	bool publisher_hears;
	int64_t publishers; /* NULL_INT: one */
};

struct session_ttl {
	int64_t ttl_s;
};

#define TTL_MOST 2592000 /* seconds: 30 days */

static const char *
intent_check(const char *s)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

	return s[strspn(s, allowed)] == '\0' ? NULL
					     : "may contain only a-z, 0-9, _ and -";
}

/* clang-format off */
static const struct field	 session_new_fields[] = FIELDS(
	{ "subscriber_count",        F_INT,  MEMBER(session_in, subscribers),     0, 10, F_IN },
	{ "intent",                  F_TEXT, MEMBER(session_in, intent),          1, 32, F_IN, intent_check },
	{ "publisher_can_subscribe", F_BOOL, MEMBER(session_in, publisher_hears), 0, 0,  F_IN | F_TRUE },
	{ "publisher_count",         F_INT,  MEMBER(session_in, publishers),      1, 1,  F_IN }
);
/* A parameter in the query, where it is required, and in the body. */
#define TTL(flags) { "ttl_seconds", F_INT, MEMBER(session_ttl, ttl_s), 1, TTL_MOST, F_IN | (flags) }
static const struct field	 session_ttl_fields[] = FIELDS(TTL(F_REQUIRED));
static const struct field	 session_ttl_again_fields[] = FIELDS(TTL(0));
/* clang-format on */

/* A new session with its tokens, which are shown only once. */
struct opened {
	const char *id;
	const char *publisher;
	struct list publishers, subscribers; /* lists of const char * */
	const char *webrtc_url, *ws_url, *tts_url, *stt_url;
	const char *room, *intent;
};

/* clang-format off */
#define ID   { "id", F_TEXT, MEMBER(opened, id), .flags = F_OUT }
#define REST \
	{ "subscriber",       F_LIST, MEMBER(opened, subscribers), .flags = F_OUT }, \
	{ "webrtc_url",       F_TEXT, MEMBER(opened, webrtc_url),  .flags = F_OUT }, \
	{ "ws_url",           F_TEXT, MEMBER(opened, ws_url),      .flags = F_OUT }, \
	{ "ws_tts_url",       F_TEXT, MEMBER(opened, tts_url),     .flags = F_OUT }, \
	{ "ws_stt_url",       F_TEXT, MEMBER(opened, stt_url),     .flags = F_OUT }, \
	{ "webrtc_room_name", F_TEXT, MEMBER(opened, room),        .flags = F_OUT }, \
	{ "intent",           F_TEXT, MEMBER(opened, intent),      .flags = F_OUT }

static const struct field	 opened_fields[] = FIELDS(
	ID,
	{ "publisher",   F_TEXT, MEMBER(opened, publisher),  .flags = F_OUT },
	REST
);
static const struct field	 opened_old_fields[] = FIELDS(
	ID,
	{ "publisher",   F_LIST, MEMBER(opened, publishers), .flags = F_OUT },
	REST,
	{ "room_name",   F_TEXT, MEMBER(opened, room),       .flags = F_OUT },
	{ "stream_url",  F_TEXT, MEMBER(opened, webrtc_url), .flags = F_OUT },
	{ "control_url", F_TEXT, MEMBER(opened, ws_url),     .flags = F_OUT }
);
static const struct field	 page_fields[] = FIELDS(
	{ "page_size", F_INT, MEMBER(page, size), 1, 100, F_IO | F_OPT }
);
/* clang-format on */

/* ---- creation ---- */

static struct list
make_tokens(
    struct request *rq, const struct stream_session *s, enum stream_role role, size_t n)
{
	const struct session_in *in = rq->in;
	const struct stream_token t = { .role = role,
		.sid = s->id,
		.room = s->room,
		.silent = role == STREAM_PUBLISHER && !in->publisher_hears,
		.expires_us = s->tokens_us };
	const char **tokens = arena_alloc(rq->mem, n * sizeof(*tokens));

	for (size_t i = 0; i < n; i++)
		tokens[i] = stream_token_make(
		    rq->mem, rq->conf->session_jwt_keys, s->created_us, &t);
	return (struct list){ tokens, n };
}

static struct opened
describe_session(struct request *rq, const struct stream_session *s)
{
	const struct session_in *in = rq->in;
	size_t n = in->subscribers != NULL_INT ? (size_t)in->subscribers : 0;
	struct list publishers = make_tokens(rq, s, STREAM_PUBLISHER, 1);

	return (struct opened){
		.id = s->id,
		.publisher = ((const char **)publishers.items)[0],
		.publishers = publishers,
		.subscribers = make_tokens(rq, s, STREAM_SUBSCRIBER, n),
		.room = s->room,
		.intent = s->intent,
	};
}

/* False: *no is the refusal. */
static bool
open_session(struct request *rq, struct opened *to, struct reply *no)
{
	const struct session_in *in = rq->in;
	struct stream_session s = session_new(rq->mem, rq->conf, rq->who->account,
	    in->intent != NULL ? in->intent : "api");
	const struct conf *at; /* settings of the node that serves it */
	enum err e;

	if (!session_quota_is_paid(rq, rq->who->account, no))
		return false;
	*to = describe_session(rq, &s); /* signed before the write lock is taken */
	if ((e = db_begin(rq->db, rq->who->account)) != OK) {
		*no = problem_err(rq, e);
		return false;
	}
	if (!session_quota_is_free(rq, rq->who, no))
		return false;
	if ((e = node_assign(rq->db, rq->mem, rq->conf, &s.node, &at)) != OK ||
	    (e = session_add(rq->db, rq->mem, &s)) != OK) {
		*no = problem_err(rq, e);
		return false;
	}
	if (s.room != to->room) /* the first room name was taken */
		*to = describe_session(rq, &s);
	to->webrtc_url = stream_webrtc_url(at, rq->mem);
	to->ws_url = stream_ws_url(at, rq->mem, to->id);
	to->tts_url = stream_tts_url(at, rq->mem);
	to->stt_url = stream_stt_url(at, rq->mem);
	return true;
}

static struct reply
add_session(struct request *rq)
{
	struct opened told;
	struct reply no;

	if (!open_session(rq, &told, &no))
		return no;
	header(rq, "Location", "%s/session-storage/sessions/%s",
	    rq->conf->server_base_url, told.id);
	return reply_one(rq, 201, opened_fields, &told, 0);
}

static struct reply
add_session_old(struct request *rq)
{
	struct opened told;
	struct reply no;

	if (!open_session(rq, &told, &no))
		return no;
	return reply_one(rq, 200, opened_old_fields, &told, 0);
}

/* ---- reading, extending, deleting ---- */

static struct reply
list_sessions(struct request *rq)
{
	const struct page *p = rq->query;
	const struct list_cursor from = { false, p->after_us, p->after_id,
		page_limit(p) + 1 };
	const char *next;
	struct list l;
	enum err e = session_list(rq->db, rq->mem, rq->who->account, &from, &l);

	if (e != OK)
		return problem_err(rq, e);
	next = page_cut(rq, &l, ITEM(stream_session, created_us, id));
	return reply_listed(rq, stream_session_fields, &l,
	    sizeof(struct stream_session), "next_page_token", next);
}

static enum err
find_session(struct request *rq)
{
	struct stream_session *s = rq->it = arena_alloc(rq->mem, sizeof(*s));

	return session_get(rq->db, rq->mem, rq->who->account, rq->args[0], s);
}

static struct reply
get_session(struct request *rq)
{
	return reply_one(rq, 200, stream_session_fields, rq->it, 0);
}

static struct reply
extend_session(struct request *rq)
{
	const struct session_ttl *ttl = rq->query, *again = rq->in;
	enum err e;

	if (again->ttl_s != NULL_INT && again->ttl_s != ttl->ttl_s)
		return problem_at(rq, P_VALIDATION, "/data/ttl_seconds", NULL,
		    "ttl_seconds must equal the query's.");
	e = session_extend(rq->db, rq->who->account, rq->it, ttl->ttl_s * S_US);
	return e != OK ? problem_err(rq, e) : reply_empty(rq, 204);
}

static struct reply
drop_session(struct request *rq)
{
	enum err e = session_drop(rq->db, rq->who->account, rq->args[0]);

	return e != OK ? problem_err(rq, e) : reply_empty(rq, 204);
}

/* clang-format off */
#define CREATION "/session-storage/session"
#define SESSIONS "/session-storage/sessions"
#define SESSION  SESSIONS "/{session_id}"
#define MAKES    JSON_BODY | OPTIONAL_BODY | IDEMPOTENT

const struct route	 session_routes[] = {
	{ "POST",   CREATION, add_session, "sessions:write", MAKES,
	  BODY(session_new_fields, struct session_in), .summary = "Create a session",
	  .shape = A_ONE, .status = 201, .out = opened_fields },
	{ "POST",   SESSIONS, add_session_old, "sessions:write", MAKES,
	  BODY(session_new_fields, struct session_in), .successor = CREATION,
	  .summary = "Create a session in the earlier form", .shape = A_ONE,
	  .out = opened_old_fields },
	{ "GET",    SESSIONS, list_sessions, "sessions:read", QUERY(page_fields, struct page),
	  .token = "page_token", .summary = "List open sessions", .shape = A_LIST,
	  .out = stream_session_fields },
	{ "GET",    SESSION, get_session, "sessions:read", 0, find_session,
	  .summary = "Read one session", .shape = A_ONE, .out = stream_session_fields },
	{ "POST",   SESSION, extend_session, "sessions:write", JSON_BODY | OPTIONAL_BODY | LOCKED,
	  find_session, BODY(session_ttl_again_fields, struct session_ttl),
	  QUERY(session_ttl_fields, struct session_ttl),
	  .summary = "Set the lifetime of a session from now", .shape = A_EMPTY, .status = 204 },
	{ "DELETE", SESSION, drop_session, "sessions:write", LOCKED, .summary = "Delete a session",
	  .shape = A_EMPTY, .status = 204, .also = "404" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM_IF("sessions", session_routes, broadcast_known, account_sql,
    idempotent_response_sql, ledger_sql, node_sql, session_sql)
