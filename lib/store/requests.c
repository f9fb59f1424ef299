/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests of listeners:
 *
 *	(new) --mode approval--> pending --> approved, rejected
 *	  +-----mode auto------> approved, and a job adds the language;
 *	                         pending, if no engine serves the language
 *
 * A decision is final: later requests for the same language get it as their answer.
 */
#include "store/requests.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"

/* clang-format off */
/*
 * 1 if an engine serves the language on the channel of the request ('': the oldest
 * channel of the event). Without any channel: 1 if some language is translated into it.
 * Until a worker has queried the engines, every language counts as served.
 */
#define IS_SERVED(event, channel, language)                                              \
	"coalesce((SELECT CASE WHEN s.targets LIKE '%\"' || " language " || '\"%' THEN 1" \
	" ELSE 0 END FROM served_languages s WHERE s.source = coalesce((SELECT"           \
	" c.source_language FROM channels c WHERE c.event = " event                       \
	" AND c.lifecycle <> 'deleting' AND " channel " IN ('', c.id)"                    \
	" ORDER BY c.created_us, c.id LIMIT 1), 'auto')), 1)"

#define ID     { "request_id",    F_TEXT, MEMBER(listener_request, id),     .flags = F_OUT | F_ADD, .column = "id" }
#define TYPE   { "type",          F_TEXT, MEMBER(listener_request, type),   .flags = F_OUT | F_ADD }
#define STATUS { "status",        F_TEXT, MEMBER(listener_request, status), .flags = F_OUT | F_ADD }
#define ASKED  { "request_count", F_INT,  MEMBER(listener_request, asked),  .flags = F_OUT | F_ADD, .column = "asked" }
#define SERVES { "served",        F_BOOL, MEMBER(listener_request, served), .flags = F_OUT, \
	.column = IS_SERVED("r.event", "r.channel", "r.language") " AS served" }

static const struct field	 payload_fields[] = FIELDS(
	{ "language", F_TEXT, MEMBER(listener_request, payload.language) - MEMBER(listener_request, payload), .flags = F_OUT | F_ADD }
);
const struct field	 request_fields[] = FIELDS(
	ID, TYPE, STATUS,
	{ "channel_id", F_TEXT, MEMBER(listener_request, channel), .flags = F_OUT | F_NULLABLE, .column = "nullif(r.channel, '') AS channel" },
	{ "payload",    F_OBJ,  MEMBER(listener_request, payload), .flags = F_OUT, .of = payload_fields },
	ASKED,
	{ "first_requested_at", F_TIME, MEMBER(listener_request, first_us), .flags = F_OUT | F_ADD, .column = "first_us" },
	SERVES
);
const struct field	 request_view_fields[] = FIELDS(ID, TYPE, STATUS, ASKED, SERVES);
const struct field	 request_decided_fields[] = FIELDS(ID, TYPE, STATUS, SERVES);

#define REQUEST(from) "SELECT {r.*} " from, ROWS_OF(request_fields, struct listener_request)
#define OWN(more)                                                                        \
	REQUEST("FROM events e JOIN requests r ON r.event = e.id"                        \
	    " WHERE e.account = $1 AND e.id = $2" more)

static const struct field	 language_fields[] = FIELDS({ "language", F_TEXT });

enum { PRESENT, SERVED, FIND, ADD, ADD_ASKER, COUNT, QUEUED, GET, LIST, DECIDE, SQL_END };

const struct sql	 request_sql[SQL_END + 1] = {
	[PRESENT] = { "request.present",
	    "SELECT count(*) FROM channels WHERE event = $1 AND account = $2"
	    " AND (CAST($3 AS TEXT) IS NULL OR id = $3) AND lifecycle <> 'deleting'"
	    " AND target_languages LIKE '%\"' || $4 || '\"%'"
	    " AND unserved NOT LIKE '%\"' || $4 || '\"%'" },
	[SERVED] = { "request.served", "SELECT " IS_SERVED("$1", "coalesce($2, '')", "$3") },
	[FIND] = { "request.find",
	    REQUEST("FROM requests r WHERE r.event = $1 AND r.type = $2"
		" AND r.channel = coalesce($3, '') AND r.language = $4") },
	[ADD] = { "request.add",
	    "INSERT INTO requests ({names}, channel, event, decided_us)"
	    " VALUES ({values}, coalesce(:channel, ''), $1, $2)", .from = request_fields },
	[ADD_ASKER] = { "request.add_asker",
	    "INSERT INTO askers (event, request, listener) VALUES ($1, $2, $3)"
	    " ON CONFLICT DO NOTHING" },
	[COUNT] = { "request.count",
	    "UPDATE requests SET asked = asked + 1 WHERE event = $1 AND id = $2" },
	[QUEUED] = { "request.queued",
	    "SELECT r.language FROM requests r WHERE r.event = $1 AND EXISTS (SELECT 1"
	    " FROM jobs j WHERE j.kind IN ('channel.language', 'channel.language_later')"
	    " AND j.ref = r.id AND j.state <> 'dead')", ROWS_OF(language_fields, const char *) },
	[GET] = { "request.get", OWN(" AND r.id = $3") },
	[LIST] = { "request.list",
	    OWN(" AND r.status = 'pending' AND (CAST($3 AS TEXT) IS NULL OR r.type = $3)"
		" ORDER BY r.first_us, r.id") },
	[DECIDE] = { "request.decide",
	    "UPDATE requests SET status = $4, reason = $5, decided_us = $6 WHERE id = $3"
	    " AND event = (SELECT id FROM events WHERE account = $1 AND id = $2)"
	    " AND status = 'pending'" },
};
/* clang-format on */

/* ---- asking ---- */

/* Requests for a language that no engine serves are never approved automatically. */
static enum err
set_served(struct db *db, struct request_new *n)
{
	int64_t served = 0;
	enum err e = db_number(db, &request_sql[SERVED],
	    ARGS(TEXT(n->event), TEXT(n->channel), TEXT(n->language)), &served);

	n->served = served != 0;
	if (e == OK && !n->served)
		n->status = "pending";
	return e;
}

enum err
request_present(struct db *db, struct request_new *n, bool *present)
{
	int64_t channels = 0;
	enum err e = db_number(db, &request_sql[PRESENT],
	    ARGS(TEXT(n->event), TEXT(n->account), TEXT(n->channel), TEXT(n->language)),
	    &channels);

	*present = channels > 0;
	return e == OK && !*present ? set_served(db, n) : e;
}

enum err
request_find(struct db *db, struct arena *mem, const struct request_new *n,
    struct listener_request *r)
{
	return db_one(db, &request_sql[FIND],
	    ARGS(TEXT(n->event), TEXT(n->type), TEXT(n->channel), TEXT(n->language)),
	    mem, r);
}

/* *new: true if the listener asks for the first time; always true without a listener.
 */
static enum err
add_asker(struct db *db, const struct request_new *n, const char *id, bool *new)
{
	int64_t added = 1;
	enum err e = OK;

	if (n->listener != NULL)
		e = db_exec(db, &request_sql[ADD_ASKER],
		    ARGS(TEXT(n->event), TEXT(id), TEXT(n->listener)), &added);
	*new = added > 0;
	return e;
}

enum err
request_add(struct db *db, struct arena *mem, const struct request_new *n,
    struct listener_request *r)
{
	bool pending = strcmp(n->status, "pending") == 0, new;
	enum err e;

	*r = (struct listener_request){ .id = id_new(mem),
		.type = n->type,
		.status = n->status,
		.channel = n->channel,
		.payload.language = n->language,
		.asked = 1,
		.first_us = now_us(),
		.served = n->served };
	e = db_save(db, &request_sql[ADD], r,
	    ARGS(TEXT(n->event), INT(pending ? NULL_INT : r->first_us)), ERR_CONFLICT);
	return e != OK ? e : add_asker(db, n, r->id, &new);
}

enum err
request_repeat(struct db *db, const struct request_new *n, struct listener_request *r)
{
	bool new;
	enum err e = add_asker(db, n, r->id, &new);

	if (e != OK || !new)
		return e;
	r->asked++;
	return db_exec(
	    db, &request_sql[COUNT], ARGS(TEXT(n->event), TEXT(r->id)), NULL);
}

enum err
request_queued(struct db *db, struct arena *mem, const char *event, struct list *to)
{
	return db_list(db, &request_sql[QUEUED], ARGS(TEXT(event)), mem, to);
}

/* ---- deciding ---- */

enum err
request_get(struct db *db, struct arena *mem, const char *account, const char *event,
    const char *id, struct listener_request *r)
{
	return db_one(
	    db, &request_sql[GET], ARGS(TEXT(account), TEXT(event), TEXT(id)), mem, r);
}

enum err
request_list(struct db *db, struct arena *mem, const char *account, const char *event,
    const char *type, struct list *to)
{
	return db_list(db, &request_sql[LIST],
	    ARGS(TEXT(account), TEXT(event), TEXT(type)), mem, to);
}

enum err
request_decide(struct db *db, const char *account, const char *event,
    struct listener_request *r, const char *status, const char *reason)
{
	r->status = status;
	return db_change(db, &request_sql[DECIDE],
	    ARGS(TEXT(account), TEXT(event), TEXT(r->id), TEXT(status), TEXT(reason),
		INT(now_us())),
	    ERR_STALE);
}
