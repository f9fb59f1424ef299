/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/join_codes.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define KEPT_US (30 * 86400 * S_US)
#define HALL_CHARS 6
#define TRIES 100 /* nine of ten codes are free, so a second draw is rarely needed */

struct found {
	const char *event;
};

struct named {
	const char *name;
};

/* clang-format off */
static const struct field	 found_fields[] = FIELDS(
	{ "event", F_TEXT, MEMBER(found, event) }
);
static const struct field	 code_fields[] = FIELDS(
	{ "code", F_TEXT, MEMBER(named, name) }
);
static const struct field	 stage_fields[] = FIELDS(
	{ "id", F_TEXT, MEMBER(named, name) }
);

/*
 * Codes that are due to be freed, for a statement that deletes or changes the rows that
 * they name.
 */
#define DUE(column)                                                                    \
	"(SELECT " column " FROM join_codes WHERE free_us < $1 ORDER BY free_us, code LIMIT $2)"

enum { COUNT, TAKE, MOVE, DETACH, FIND, OF, STAGE, EXPIRE_VIEWS, EXPIRE_EVENTS, EXPIRE, SQL_END };

const struct sql	 join_code_sql[SQL_END + 1] = {
	[COUNT] = { "join_code.count",
	    "SELECT count(*) FROM join_codes WHERE length(code) = $1" },
	[TAKE] = { "join_code.take",
	    "INSERT INTO join_codes (code, event, free_us) VALUES ($1, $2, $3)"
	    " ON CONFLICT (code) DO NOTHING" },
	[MOVE] = { "join_code.move", "UPDATE join_codes SET free_us = $2 WHERE event = $1" },
	[DETACH] = { "join_code.detach",
	    "UPDATE join_codes SET event = NULL, free_us = $2 WHERE event = $1" },
	[FIND] = { "join_code.find",
	    "SELECT {c.*} FROM join_codes c JOIN events e ON e.id = c.event"
	    " JOIN accounts a ON a.id = e.account AND a.status = 'active' WHERE c.code = $1",
	    ROWS_OF(found_fields, struct found) },
	[OF] = { "join_code.of", "SELECT {c.*} FROM join_codes c WHERE c.event = $1",
	    ROWS_OF(code_fields, struct named) },
	[STAGE] = { "join_code.stage",
	    "SELECT {s.*} FROM stages s WHERE s.event = $1 AND substr(s.id, 31) = $2",
	    ROWS_OF(stage_fields, struct named) },
	[EXPIRE_VIEWS] = { "join_code.expire_views",
	    "DELETE FROM bundles WHERE event IN " DUE("event") },
	[EXPIRE_EVENTS] = { "join_code.expire_events",
	    "UPDATE events SET join_code = NULL, version = version + 1 WHERE id IN " DUE("event") },
	[EXPIRE] = { "join_code.expire", "DELETE FROM join_codes WHERE code IN " DUE("code") },
};
/* clang-format on */

bool
join_code_kept(int64_t end_us, int64_t now_us)
{
	return end_us + KEPT_US > now_us;
}

/* Set *least to the smallest number with as few digits as codes have now. */
static enum err
least_code(struct db *db, int64_t *least)
{
	int64_t taken;
	enum err e;

	*least = 100000;
	for (int digits = 6; digits < JOIN_CODE_MAX; digits++, *least *= 10)
		if ((e = db_number(
			 db, &join_code_sql[COUNT], ARGS(INT(digits)), &taken)) != OK ||
		    taken < *least - *least / 10)
			return e;
	return ERR_CONFLICT;
}

enum err
join_code_draw(struct db *db, struct arena *mem, const char *event, int64_t end_us,
    const char **code)
{
	int64_t least, taken = 0;
	uint64_t drawn;
	enum err e = least_code(db, &least);

	for (int i = 0; i < TRIES && e == OK && taken == 0; i++) {
		random_bytes(&drawn, sizeof(drawn));
		*code = arena_printf(mem, "%lld",
		    (long long)(least + (int64_t)(drawn % (9 * (uint64_t)least))));
		e = db_exec(db, &join_code_sql[TAKE],
		    ARGS(TEXT(*code), TEXT(event), INT(end_us + KEPT_US)), &taken);
	}
	return e != OK || taken == 1 ? e : ERR_CONFLICT;
}

enum err
join_code_move(struct db *db, const char *event, int64_t end_us)
{
	return db_exec(
	    db, &join_code_sql[MOVE], ARGS(TEXT(event), INT(end_us + KEPT_US)), NULL);
}

enum err
join_code_detach(struct db *db, const char *event)
{
	return db_exec(db, &join_code_sql[DETACH],
	    ARGS(TEXT(event), INT(now_us() + KEPT_US)), NULL);
}

enum err
join_code_find(struct db *db, struct arena *mem, const char *code, const char **event)
{
	struct found f;
	enum err e = db_one(db, &join_code_sql[FIND], ARGS(TEXT(code)), mem, &f);

	if (e == OK)
		*event = f.event;
	return e;
}

/* Set *name to the only member of the row. */
static enum err
find_name(struct db *db, struct arena *mem, const struct sql *by, const struct val *of,
    size_t n, const char **name)
{
	struct named found;
	enum err e = db_one(db, by, of, n, mem, &found);

	if (e == OK)
		*name = found.name;
	return e;
}

enum err
join_code_of(struct db *db, struct arena *mem, const char *event, const char **code)
{
	return find_name(db, mem, &join_code_sql[OF], ARGS(TEXT(event)), code);
}

const char *
join_code_hall(const char *stage)
{
	return stage + strlen(stage) - HALL_CHARS;
}

enum err
join_code_stage(struct db *db, struct arena *mem, const char *event, const char *hall,
    const char **stage)
{
	return find_name(
	    db, mem, &join_code_sql[STAGE], ARGS(TEXT(event), TEXT(hall)), stage);
}

enum err
join_code_expire(struct db *db, int64_t before_us, int most, int64_t *n)
{
	const struct val due[] = { { 0 }, INT(before_us), INT(most) };
	enum err e;

	if ((e = db_begin(db, DB_ROWS)) != OK ||
	    (e = db_exec(db, &join_code_sql[EXPIRE_VIEWS], due, 2, NULL)) != OK ||
	    (e = db_exec(db, &join_code_sql[EXPIRE_EVENTS], due, 2, NULL)) != OK ||
	    (e = db_exec(db, &join_code_sql[EXPIRE], due, 2, n)) != OK ||
	    (e = db_commit(db)) != OK)
		db_rollback(db);
	return e;
}
