/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/leases.h"

#include "base/clock.h"
#include "base/json_writer.h"
#include "store/nodes.h"

#define GUARD_US S_US /* the owner stops so long before its lease ends */

/* clang-format off */
#define NOW_SQLITE "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000"
#define NOW_PG     "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"

/* $2: the node, $3: LEASE_TERM_US, $4: LEASE_ALONE_US */
#define UNTIL(now)                                                                       \
	" lease_until_us = " now " + CASE WHEN EXISTS (SELECT 1 FROM nodes n"            \
	" WHERE n.id <> $2 AND n.seen_us > " now " - $4)"                                \
	" THEN CAST($3 AS BIGINT) ELSE CAST($4 AS BIGINT) END"
/* Programs before version 38 own a channel without a lease while they live. */
#define TAKE_TEXT(now)                                                                   \
	"UPDATE channels SET node = $2, handed_to = NULL, epoch = epoch + 1,"            \
	" version = version + 1, taken_us = " now "," UNTIL(now)                         \
	" WHERE id = $1 AND (node IS NULL OR node = $2"                                  \
	" OR (lease_until_us > 0 AND lease_until_us <= " now ")"                         \
	" OR (lease_until_us = 0 AND NOT EXISTS (SELECT 1 FROM nodes n"                  \
	" WHERE n.id = channels.node AND n.seen_us > $5"                                 \
	" AND ($6 = 0 OR coalesce(n.schema_version, 0) < 38))))"                         \
	" AND (NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = $2"                        \
	" AND n.draining_us IS NOT NULL) OR NOT EXISTS (SELECT 1 FROM nodes n"           \
	" WHERE n.id <> $2 AND n.seen_us > $5 AND n.draining_us IS NULL))"               \
	" RETURNING epoch, lease_until_us - " now
/* SQLite 3.40 says that "handed_to IS NOT NULL" is true of every row here. */
#define RENEW_TEXT(now, pairs)                                                           \
	"UPDATE channels SET" UNTIL(now)                                                 \
	" WHERE node = $2 AND lease_until_us > 0 AND (id, epoch) IN (" pairs ")"         \
	" RETURNING id, epoch, lease_until_us - " now ","                           \
	" CASE WHEN coalesce(handed_to, '-') = '-' THEN 0 ELSE 1 END"

#define HAND_TEXT(now)                                                                   \
	"UPDATE channels SET handed_to = $3, version = version + 1"                      \
	" WHERE id = $1 AND node = $2 AND lease_until_us > " now

enum { TAKE, RENEW, RELEASE, HAND, SQL_END };

const struct sql	 lease_sql[SQL_END + 1] = {
	[TAKE] = { "lease.take", TAKE_TEXT(NOW_SQLITE), .pg = TAKE_TEXT(NOW_PG) },
	[RENEW] = { "lease.renew",
	    RENEW_TEXT(NOW_SQLITE, "SELECT json_extract(value, '$[0]'),"
	    " json_extract(value, '$[1]') FROM json_each($1)"),
	    .pg = RENEW_TEXT(NOW_PG, "SELECT j ->> 0, CAST(j ->> 1 AS BIGINT)"
	    " FROM json_array_elements(CAST($1 AS JSON)) j"), .quiet = true },
	[RELEASE] = { "lease.release",
	    "UPDATE channels SET lease_until_us = 0, version = version + 1, handed_to = NULL,"
	    " node = CASE WHEN handed_to IS NULL THEN node ELSE nullif(handed_to, '') END"
	    " WHERE id = $1 AND node = $2 AND epoch = $3" },
	[HAND] = { "lease.hand", HAND_TEXT(NOW_SQLITE), .pg = HAND_TEXT(NOW_PG) },
};
/* clang-format on */

enum err
lease_take(struct db *db, const char *channel, const char *node, bool anywhere,
    struct lease *l)
{
	int64_t before_us = monotonic_us();
	struct rows rs = db_query(db, &lease_sql[TAKE],
	    ARGS(TEXT(channel), TEXT(node), INT(LEASE_TERM_US), INT(LEASE_ALONE_US),
		INT(now_us() - NODE_SILENT_US), INT(anywhere)));
	enum err e;

	while (db_next(&rs))
		*l = (struct lease){ .id = channel,
			.epoch = row_int(&rs, 0),
			.until_us = before_us + row_int(&rs, 1) - GUARD_US };
	e = db_done_one(&rs);
	return e == ERR_NOT_FOUND ? ERR_CONFLICT : e;
}

/* [[id, epoch], ...] */
static const char *
pairs_of(struct arena *mem, const struct list *all)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	const struct lease *l = all->items;

	jw_list(&j, NULL);
	for (size_t i = 0; i < all->n; i++) {
		jw_list(&j, NULL);
		jw_text(&j, NULL, l[i].id);
		jw_int(&j, NULL, l[i].epoch);
		jw_close(&j);
	}
	jw_close(&j);
	return buf_text(&b);
}

enum err
lease_renew(struct db *db, struct arena *mem, const char *node, const struct list *all,
    struct list *kept)
{
	int64_t before_us = monotonic_us();
	struct lease *to = arena_alloc(mem, (all->n + 1) * sizeof(*to));
	struct rows rs = db_query(db, &lease_sql[RENEW],
	    ARGS(TEXT(pairs_of(mem, all)), TEXT(node), INT(LEASE_TERM_US),
		INT(LEASE_ALONE_US)));

	*kept = (struct list){ to, 0 };
	while (db_next(&rs) && kept->n < all->n)
		to[kept->n++] = (struct lease){ .id = row_text(&rs, 0, mem),
			.epoch = row_int(&rs, 1),
			.until_us = before_us + row_int(&rs, 2) - GUARD_US,
			.handed = row_bool(&rs, 3) };
	return db_done(&rs);
}

enum err
lease_release(struct db *db, const char *node, const struct lease *l)
{
	return db_exec(db, &lease_sql[RELEASE],
	    ARGS(TEXT(l->id), TEXT(node), INT(l->epoch)), NULL);
}

enum err
lease_hand(struct db *db, const char *channel, const char *owner, const char *to)
{
	return db_change(db, &lease_sql[HAND],
	    ARGS(TEXT(channel), TEXT(owner), TEXT(to)), ERR_NOT_FOUND);
}
