#include "store/idempotent_responses.h"

#include "base/clock.h"

#define AT(m) offsetof(struct idempotent_response, m)

/* clang-format off */
static const struct field	 fields[] = {
	{ "body_hash", F_TEXT, AT(body_hash), .flags = 0 },
	{ "status",    F_INT,  AT(status),    .flags = 0 },
	{ "head",      F_TEXT, AT(head),      .flags = 0 },
	{ "body",      F_TEXT, AT(body),      .flags = 0 },
	FIELDS_END,
};
/* clang-format on */

enum { GET, CLEAR, PUT, EXPIRE, SQL_END };

/* clang-format off */
const struct sql	 idempotent_response_sql[] = {
	[GET] = { "answer.get",
	    "SELECT body_hash, status, head, body FROM answers WHERE account = $1"
	    " AND route = $2 AND key = $3 AND expires_us > $4", NULL },
	[CLEAR] = { "answer.clear",
	    "DELETE FROM answers WHERE account = $1 AND route = $2 AND key = $3"
	    " AND expires_us <= $4", NULL },
	[PUT] = { "answer.put",
	    "INSERT INTO answers (account, route, key, body_hash, status, head, body,"
	    " expires_us) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", NULL },
	[EXPIRE] = { "answer.expire",
	    "DELETE FROM answers WHERE (account, route, key) IN (SELECT account, route, key"
	    " FROM answers WHERE expires_us <= $1 LIMIT $2)", NULL },
	[SQL_END] = { NULL, NULL, NULL },
};
/* clang-format on */

enum err
idempotent_response_get(struct db *db, struct arena *mem, struct idempotent_response *a)
{
	struct rows rs = db_query(db, &idempotent_response_sql[GET],
	    ARGS(TEXT(a->account), TEXT(a->route), TEXT(a->key), INT(now_us())));

	if (db_next(&rs))
		row_fill(&rs, 0, mem, fields, a);
	return db_done_one(&rs);
}

enum err
idempotent_response_put(struct db *db, const struct idempotent_response *a)
{
	enum err e;

	e = db_exec(db, &idempotent_response_sql[CLEAR],
	    ARGS(TEXT(a->account), TEXT(a->route), TEXT(a->key), INT(now_us())), NULL);
	if (e != OK)
		return e;
	return db_exec(db, &idempotent_response_sql[PUT],
	    ARGS(TEXT(a->account), TEXT(a->route), TEXT(a->key), TEXT(a->body_hash),
		INT(a->status), TEXT(a->head), TEXT(a->body), INT(a->expires_us)),
	    NULL);
}

enum err
idempotent_response_expire(struct db *db, int64_t now, int most, int64_t *n)
{
	return db_exec(
	    db, &idempotent_response_sql[EXPIRE], ARGS(INT(now), INT(most)), n);
}
