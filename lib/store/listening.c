/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers of listeners.  For each channel and language at each node a row has the
 * current number, valid while the node's heartbeat is fresh.  Rows by the minute are
 * kept for some time after the event.
 */
#include "store/listening.h"

#include "base/clock.h"
#include "store/nodes.h"

/* clang-format off */
const struct field	 listening_fields[] = FIELDS(
	{ "event",      F_TEXT, MEMBER(listening, event),     .flags = F_ADD },
	{ "channel_id", F_TEXT, MEMBER(listening, channel),   .flags = F_OUT | F_ADD, .column = "channel" },
	{ "language",   F_TEXT, MEMBER(listening, language),  .flags = F_OUT | F_ADD },
	{ "listeners",  F_INT,  MEMBER(listening, listeners), .flags = F_OUT | F_ADD }
);
const struct field	 listening_point_fields[] = FIELDS(
	{ "utc_at",    F_TIME, MEMBER(listening_point, utc_us),    .flags = F_OUT, .column = "utc_us" },
	{ "language",  F_TEXT, MEMBER(listening_point, language),  .flags = F_OUT },
	{ "listeners", F_INT,  MEMBER(listening_point, listeners), .flags = F_OUT,
	               .column = "max(m.listeners) AS listeners" }
);
static const struct field	 now_fields[] = FIELDS(
	{ "event",      F_TEXT, MEMBER(listening, event), .column = "min(l.event) AS event" },
	{ "channel",    F_TEXT, MEMBER(listening, channel) },
	{ "language",   F_TEXT, MEMBER(listening, language) },
	{ "listeners",  F_INT,  MEMBER(listening, listeners),
	                .column = "CAST(sum(l.listeners) AS BIGINT) AS listeners" }
);
static const struct field	 event_fields[] = FIELDS({ "event", F_TEXT });

enum { CLEAR, ADD, KEEP, NOW, OF, LAST, SERIES, OVER, EXPIRE, SQL_END };

const struct sql	 listening_sql[SQL_END + 1] = {
	[CLEAR] = { "listening.clear", "DELETE FROM listening WHERE node = $1" },
	[ADD] = { "listening.add",
	    "INSERT INTO listening ({names}, node) VALUES ({values}, $1)", .from = listening_fields },
	[KEEP] = { "listening.keep",
	    "INSERT INTO listening_minutes ({names}, at_us) VALUES ({values}, $1)"
	    " ON CONFLICT (event, at_us, language, channel) DO UPDATE"
	    " SET listeners = (SELECT CASE WHEN sum(l.listeners) > listening_minutes.listeners"
	    " THEN CAST(sum(l.listeners) AS BIGINT) ELSE listening_minutes.listeners END"
	    " FROM listening l JOIN nodes n ON n.id = l.node AND n.seen_us > $2"
	    " WHERE l.event = excluded.event AND l.channel = excluded.channel"
	    " AND l.language = excluded.language)", .from = listening_fields },
	[NOW] = { "listening.now",
	    "SELECT {l.*} FROM listening l JOIN nodes n ON n.id = l.node"
	    " WHERE l.event = $1 AND n.seen_us > $2 GROUP BY l.channel, l.language"
	    " ORDER BY l.channel, l.language", ROWS_OF(now_fields, struct listening) },
	[OF] = { "listening.of",
	    "SELECT CAST(coalesce(sum(l.listeners), 0) AS BIGINT) FROM listening l"
	    " JOIN nodes n ON n.id = l.node"
	    " WHERE l.event = $1 AND l.channel = $2 AND n.seen_us > $3" },
	[LAST] = { "listening.last", "SELECT max(at_us) FROM listening_minutes WHERE event = $1" },
	[SERIES] = { "listening.series",
	    "SELECT {m.*} FROM (SELECT at_us / $4 * $4 AS utc_us, language,"
	    " CAST(sum(listeners) AS BIGINT) AS listeners FROM listening_minutes"
	    " WHERE event = $1 AND at_us >= $2 AND at_us < $3 GROUP BY at_us, language) m"
	    " GROUP BY m.utc_us, m.language ORDER BY m.utc_us, m.language",
	    ROWS_OF(listening_point_fields, struct listening_point) },
	/* Steps from event to event without reading the minutes in between. */
	[OVER] = { "listening.over",
	    "WITH RECURSIVE k (event) AS (SELECT min(event) FROM listening_minutes UNION ALL"
	    " SELECT (SELECT min(event) FROM listening_minutes WHERE event > k.event) FROM k"
	    " WHERE k.event IS NOT NULL) SELECT k.event FROM k WHERE k.event IS NOT NULL"
	    " AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = k.event"
	    " AND coalesce(e.finished_us, e.end_us) >= $1) LIMIT 1",
	    ROWS_OF(event_fields, const char *) },
	[EXPIRE] = { "listening.expire",
	    "DELETE FROM listening_minutes WHERE event = $1 AND at_us IN (SELECT at_us"
	    " FROM listening_minutes WHERE event = $1 ORDER BY at_us LIMIT $2)" },
};
/* clang-format on */

/* ---- counts of a gateway ---- */

static enum err
save_all(struct db *db, int which, const struct val *a, size_t n, const struct list *l)
{
	const struct listening *one = l->items;
	enum err e = OK;

	for (size_t i = 0; e == OK && i < l->n; i++)
		e = db_save(db, &listening_sql[which], one + i, a, n, OK);
	return e;
}

enum err
listening_put(struct db *db, const char *node, const struct list *l)
{
	enum err e = db_exec(db, &listening_sql[CLEAR], ARGS(TEXT(node)), NULL);

	return e != OK ? e : save_all(db, ADD, ARGS(TEXT(node)), l);
}

enum err
listening_store(struct db *db, int64_t minute_us, const struct list *l)
{
	return save_all(
	    db, KEEP, ARGS(INT(minute_us), INT(now_us() - NODE_SILENT_US)), l);
}

/* ---- reading ---- */

enum err
listening_now(struct db *db, struct arena *mem, const char *event, struct list *to)
{
	return db_list(db, &listening_sql[NOW],
	    ARGS(TEXT(event), INT(now_us() - LISTENING_FRESH_US)), mem, to);
}

enum err
listening_of(struct db *db, const char *event, const char *channel, int64_t *n)
{
	struct rows rs = db_query(db, &listening_sql[OF],
	    ARGS(TEXT(event), TEXT(channel), INT(now_us() - LISTENING_FRESH_US)));

	*n = db_next(&rs) ? row_int(&rs, 0) : 0;
	return db_done(&rs);
}

enum err
listening_last(struct db *db, const char *event, int64_t *minute_us)
{
	struct rows rs = db_query(db, &listening_sql[LAST], ARGS(TEXT(event)));

	*minute_us = db_next(&rs) ? row_int(&rs, 0) : NULL_INT;
	return db_done(&rs);
}

enum err
listening_series(struct db *db, struct arena *mem, const char *event,
    const struct listening_span *s, struct list *to)
{
	return db_list(db, &listening_sql[SERIES],
	    ARGS(TEXT(event), INT(s->from_us), INT(s->until_us), INT(s->step_us)), mem,
	    to);
}

/* ---- expiry ---- */

enum err
listening_expire(
    struct db *db, struct arena *mem, int64_t before_us, int most, int64_t *removed)
{
	const char *event = NULL;
	enum err e =
	    db_one(db, &listening_sql[OVER], ARGS(INT(before_us)), mem, &event);

	*removed = 0;
	if (e != OK)
		return e == ERR_NOT_FOUND ? OK : e;
	return db_exec(
	    db, &listening_sql[EXPIRE], ARGS(TEXT(event), INT(most)), removed);
}
