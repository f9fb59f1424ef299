/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cache of the public views of events, as text. */
#include "store/public_view_cache.h"

#include "store/events.h"

/* clang-format off */
#define HEAD_FIELDS                                                                      \
	{ "event",         F_TEXT, MEMBER(cached_view, event), .flags = F_ADD, .column = "e.id AS event" }, \
	{ "account",       F_TEXT, MEMBER(cached_view, account) },                                        \
	{ "access_code",   F_TEXT, MEMBER(cached_view, access_code), .flags = F_SEALED },                                    \
	{ "listener_mode", F_TEXT, MEMBER(cached_view, listener_mode) },                                  \
	{ "transcript",    F_TEXT, MEMBER(cached_view, transcript) },                                     \
	{ "code_version",  F_INT,  MEMBER(cached_view, code_version) },                                   \
	{ "status",        F_TEXT, MEMBER(cached_view, status), .column = EVENT_LIFECYCLE("$2") " AS status" }
static const struct field	 head_fields[] = FIELDS(HEAD_FIELDS);
static const struct field	 fields[] = FIELDS(
	HEAD_FIELDS,
	{ "cover_key",  F_TEXT, MEMBER(cached_view, cover_key) },
	{ "cover_blob", F_TEXT, MEMBER(cached_view, cover_blob), .column = "b.id AS cover_blob" },
	{ "maker",      F_TEXT, MEMBER(cached_view, maker), .flags = F_KEPT, .column = "v.maker" },
	{ "hash",       F_TEXT, MEMBER(cached_view, hash),  .flags = F_KEPT, .column = "v.hash" },
	{ "body",       F_TEXT, MEMBER(cached_view, body),  .flags = F_KEPT, .column = "v.body" }
);

#define OF_ACTIVE " WHERE e.id = $1 AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = e.account AND a.status = 'active')"

enum { GET, GET_HEAD, PUT, DROP, DROP_ALL, SQL_END };

const struct sql	 public_view_cache_sql[SQL_END + 1] = {
	[GET] = { "bundle.get",
	    "SELECT {e.*} FROM events e"
	    " LEFT JOIN bundles v ON v.event = e.id LEFT JOIN blobs b ON b.id = e.cover_blob"
	    " AND b.account = e.account AND b.kind = 'upload'"
	    " AND b.state IN ('stored', 'checked')"
	    OF_ACTIVE, ROWS_OF(fields, struct cached_view) },
	[GET_HEAD] = { "bundle.head", "SELECT {e.*} FROM events e" OF_ACTIVE,
	    ROWS_OF(head_fields, struct cached_view) },
	[PUT] = { "bundle.put",
	    "INSERT INTO bundles ({names}) VALUES ({values})"
	    " ON CONFLICT (event) DO UPDATE SET {changes}", .from = fields },
	[DROP] = { "bundle.drop", "DELETE FROM bundles WHERE event = $1" },
	[DROP_ALL] = { "bundle.drop_all", "DELETE FROM bundles" },
};
/* clang-format on */

enum err
public_view_cache_get(struct db *db, struct arena *mem, const char *event,
    int64_t now_us, struct cached_view *b)
{
	return db_one(
	    db, &public_view_cache_sql[GET], ARGS(TEXT(event), INT(now_us)), mem, b);
}

enum err
public_view_cache_head(struct db *db, struct arena *mem, const char *event,
    int64_t now_us, struct cached_view *b)
{
	return db_one(db, &public_view_cache_sql[GET_HEAD],
	    ARGS(TEXT(event), INT(now_us)), mem, b);
}

enum err
public_view_cache_put(struct db *db, const struct cached_view *b)
{
	return db_save(db, &public_view_cache_sql[PUT], b, ARGS(), ERR_CONFLICT);
}

enum err
public_view_cache_drop(struct db *db, const char *event)
{
	return db_exec(db, &public_view_cache_sql[DROP], ARGS(TEXT(event)), NULL);
}

enum err
public_view_cache_drop_all(struct db *db)
{
	return db_exec(db, &public_view_cache_sql[DROP_ALL], ARGS(), NULL);
}
