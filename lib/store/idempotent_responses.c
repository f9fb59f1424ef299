/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/idempotent_responses.h"

#include "base/clock.h"

/* clang-format off */
static const struct field	 fields[] = FIELDS(
	{ "account",    F_TEXT, MEMBER(idempotent_response, account),    .flags = F_ADD },
	{ "owner",      F_TEXT, MEMBER(idempotent_response, owner),      .flags = F_ADD },
	{ "route",      F_TEXT, MEMBER(idempotent_response, route),      .flags = F_ADD },
	{ "key",        F_TEXT, MEMBER(idempotent_response, key),        .flags = F_ADD },
	{ "body_hash",  F_TEXT, MEMBER(idempotent_response, body_hash),  .flags = F_ADD },
	{ "status",     F_INT,  MEMBER(idempotent_response, status),     .flags = F_ADD },
	{ "head",       F_TEXT, MEMBER(idempotent_response, head),       .flags = F_ADD },
	{ "body",       F_TEXT, MEMBER(idempotent_response, body),       .flags = F_ADD },
	{ "expires_us", F_INT,  MEMBER(idempotent_response, expires_us), .flags = F_ADD }
);

enum { GET, CLEAR, PUT, EXPIRE, SQL_END };

const struct sql	 idempotent_response_sql[SQL_END + 1] = {
	[GET] = { "answer.get",
	    "SELECT {*} FROM answers WHERE account = $1 AND owner = $2"
	    " AND route = $3 AND key = $4 AND expires_us > $5", ROWS_OF(fields, struct idempotent_response) },
	[CLEAR] = { "answer.clear",
	    "DELETE FROM answers WHERE account = $1 AND owner = $2 AND route = $3"
	    " AND key = $4 AND expires_us <= $5" },
	[PUT] = { "answer.put", "INSERT INTO answers ({names}) VALUES ({values})", .from = fields },
	[EXPIRE] = { "answer.expire",
	    "DELETE FROM answers WHERE (account, owner, route, key) IN"
	    " (SELECT account, owner, route, key FROM answers WHERE expires_us <= $1 LIMIT $2)" },
};
/* clang-format on */

#define UNDER(a, now)                                                                  \
	ARGS(TEXT((a)->account), TEXT((a)->owner), TEXT((a)->route), TEXT((a)->key),   \
	    INT(now))

enum err
idempotent_response_get(struct db *db, struct arena *mem, struct idempotent_response *a)
{
	return db_one(db, &idempotent_response_sql[GET], UNDER(a, now_us()), mem, a);
}

enum err
idempotent_response_put(struct db *db, const struct idempotent_response *a)
{
	enum err e;

	e = db_exec(db, &idempotent_response_sql[CLEAR], UNDER(a, now_us()), NULL);
	if (e != OK)
		return e;
	return db_save(db, &idempotent_response_sql[PUT], a, ARGS(), ERR_CONFLICT);
}

enum err
idempotent_response_expire(struct db *db, int64_t now, int most, int64_t *n)
{
	return db_exec(
	    db, &idempotent_response_sql[EXPIRE], ARGS(INT(now), INT(most)), n);
}
