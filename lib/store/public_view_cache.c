/*
 * Public views of events, kept as text.
 */
#include "store/public_view_cache.h"

#include "store/events.h"

/* clang-format off */
#define AT(m) offsetof(struct cached_view, m)
#define HEAD_FIELDS                                                                      \
	{ "event",         F_TEXT, AT(event) },                                          \
	{ "account",       F_TEXT, AT(account) },                                        \
	{ "access_code",   F_TEXT, AT(access_code) },                                    \
	{ "listener_mode", F_TEXT, AT(listener_mode) },                                  \
	{ "code_version",  F_INT,  AT(code_version) },                                   \
	{ "status",        F_TEXT, AT(status) }
static const struct field	 head_fields[] = { HEAD_FIELDS, FIELDS_END };
static const struct field	 fields[] = {
	HEAD_FIELDS,
	{ "cover_key",  F_TEXT, AT(cover_key) },
	{ "cover_blob", F_TEXT, AT(cover_blob) },
	{ "maker",      F_TEXT, AT(maker) },
	{ "hash",       F_TEXT, AT(hash) },
	{ "body",       F_TEXT, AT(body) },
	FIELDS_END,
};

#define HEAD                                                                             \
	"e.id, e.account, e.access_code, e.listener_mode, e.code_version, "              \
	EVENT_LIFECYCLE("$2")
#define OF_ACTIVE " WHERE e.id = $1 AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = e.account AND a.status = 'active')"

enum { GET, GET_HEAD, PUT, DROP, DROP_ALL, SQL_END };

const struct sql	 public_view_cache_sql[] = {
	[GET] = { "bundle.get",
	    "SELECT " HEAD ", e.cover_key, b.id, v.maker, v.hash, v.body FROM events e"
	    " LEFT JOIN bundles v ON v.event = e.id LEFT JOIN blobs b ON b.id = e.cover_blob"
	    " AND b.account = e.account AND b.kind = 'upload'"
	    " AND b.state IN ('stored', 'checked')"
	    OF_ACTIVE, NULL },
	[GET_HEAD] = { "bundle.head", "SELECT " HEAD " FROM events e" OF_ACTIVE, NULL },
	[PUT] = { "bundle.put",
	    "INSERT INTO bundles (event, maker, hash, body) VALUES ($1, $2, $3, $4)"
	    " ON CONFLICT (event) DO UPDATE SET maker = excluded.maker,"
	    " hash = excluded.hash, body = excluded.body", NULL },
	[DROP] = { "bundle.drop", "DELETE FROM bundles WHERE event = $1", NULL },
	[DROP_ALL] = { "bundle.drop_all", "DELETE FROM bundles", NULL },
	[SQL_END] = { NULL, NULL, NULL },
};
/* clang-format on */

enum err
public_view_cache_get(struct db *db, struct arena *mem, const char *event,
    int64_t now_us, struct cached_view *b)
{
	struct rows rs =
	    db_query(db, &public_view_cache_sql[GET], ARGS(TEXT(event), INT(now_us)));

	if (db_next(&rs))
		row_fill(&rs, 0, mem, fields, b);
	return db_done_one(&rs);
}

enum err
public_view_cache_head(struct db *db, struct arena *mem, const char *event,
    int64_t now_us, struct cached_view *b)
{
	struct rows rs = db_query(
	    db, &public_view_cache_sql[GET_HEAD], ARGS(TEXT(event), INT(now_us)));

	if (db_next(&rs))
		row_fill(&rs, 0, mem, head_fields, b);
	return db_done_one(&rs);
}

enum err
public_view_cache_put(struct db *db, const struct cached_view *b)
{
	return db_exec(db, &public_view_cache_sql[PUT],
	    ARGS(TEXT(b->event), TEXT(b->maker), TEXT(b->hash), TEXT(b->body)), NULL);
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
