/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/passkeys.h"

#include "base/clock.h"
#include "base/id.h"

/* clang-format off */
const struct field	 passkey_fields[] = FIELDS(
	{ "passkey_id",     F_TEXT, MEMBER(passkey, id),            .flags = F_OUT | F_ADD, .column = "p.id AS id" },
	{ "name",           F_TEXT, MEMBER(passkey, name),          .flags = F_OUT | F_ADD, .column = "p.name AS name" },
	{ "utc_created_at", F_TIME, MEMBER(passkey, created_us),    .flags = F_OUT | F_ADD, .column = "p.created_us AS created_us" },
	{ "last_used_at",   F_TIME, MEMBER(passkey, used_us),       .flags = F_OUT | F_NULLABLE | F_ADD, .column = "p.used_us AS used_us" },
	{ "account",        F_TEXT, MEMBER(passkey, account),       .flags = F_ADD, .column = "p.account AS account" },
	{ "member",         F_TEXT, MEMBER(passkey, member),        .flags = F_ADD, .column = "p.member AS member" },
	{ "credential_id",  F_TEXT, MEMBER(passkey, credential_id), .flags = F_ADD, .column = "p.credential_id AS credential_id" },
	{ "algorithm",      F_INT,  MEMBER(passkey, algorithm),     .flags = F_ADD, .column = "p.algorithm AS algorithm" },
	{ "public_key",     F_TEXT, MEMBER(passkey, public_key),    .flags = F_ADD, .column = "p.public_key AS public_key" },
	{ "sign_count",     F_INT,  MEMBER(passkey, sign_count),    .flags = F_ADD, .column = "p.sign_count AS sign_count" },
	{ "challenge_us",   F_INT,  MEMBER(passkey, challenge_us),  .flags = F_ADD, .column = "p.challenge_us AS challenge_us" }
);

#define ROW ROWS_OF(passkey_fields, struct passkey)

enum { ADD, COUNT, ANSWERED, FIND, LIST, USED, DROP, SQL_END };

const struct sql	 passkey_sql[SQL_END + 1] = {
	[ADD] = { "passkey.add", "INSERT INTO passkeys ({names}) VALUES ({values})"
	    " ON CONFLICT (credential_id) DO NOTHING", .from = passkey_fields },
	[COUNT] = { "passkey.count", "SELECT count(*) FROM passkeys WHERE account = $1 AND member = $2" },
	[ANSWERED] = { "passkey.answered",
	    "SELECT 1 FROM passkeys WHERE account = $1 AND member = $2 AND challenge_us >= $3 LIMIT 1" },
	[FIND] = { "passkey.find",
	    "SELECT {*} FROM passkeys p JOIN accounts a ON a.id = p.account"
	    " WHERE a.status = 'active' AND p.credential_id = $1", ROW },
	[LIST] = { "passkey.list",
	    "SELECT {*} FROM passkeys p WHERE p.account = $1 AND p.member = $2"
	    " ORDER BY p.created_us DESC, p.id DESC", ROW },
	[USED] = { "passkey.used",
	    "UPDATE passkeys SET used_us = $2, sign_count = $3, challenge_us = $4"
	    " WHERE id = $1 AND challenge_us < $4"
	    " AND (sign_count < $3 OR (sign_count = 0 AND $3 = 0))" },
	[DROP] = { "passkey.drop",
	    "DELETE FROM passkeys WHERE account = $1 AND member = $2"
	    " AND (CAST($3 AS TEXT) IS NULL OR id = $3)" },
};
/* clang-format on */

enum err
passkey_add(struct db *db, struct arena *mem, struct passkey *p)
{
	int64_t n;
	enum err e = db_number(
	    db, &passkey_sql[COUNT], ARGS(TEXT(p->account), TEXT(p->member)), &n);

	if (e == OK && n >= PASSKEYS_MOST)
		return ERR_LIMIT;
	if (e == OK)
		e = db_there(db, &passkey_sql[ANSWERED],
		    ARGS(TEXT(p->account), TEXT(p->member), INT(p->challenge_us)));
	if (e != ERR_NOT_FOUND)
		return e == OK ? ERR_CONFLICT : e;
	p->id = id_new(mem);
	p->created_us = now_us();
	p->used_us = NULL_INT;
	return db_save(db, &passkey_sql[ADD], p, ARGS(), ERR_CONFLICT);
}

enum err
passkey_find(
    struct db *db, struct arena *mem, const char *credential_id, struct passkey *to)
{
	return db_one(db, &passkey_sql[FIND], ARGS(TEXT(credential_id)), mem, to);
}

enum err
passkey_list(struct db *db, struct arena *mem, const char *account, const char *member,
    struct list *to)
{
	return db_list(
	    db, &passkey_sql[LIST], ARGS(TEXT(account), TEXT(member)), mem, to);
}

enum err
passkey_used(struct db *db, const struct passkey *p)
{
	return db_change(db, &passkey_sql[USED],
	    ARGS(TEXT(p->id), INT(now_us()), INT(p->sign_count), INT(p->challenge_us)),
	    ERR_CONFLICT);
}

enum err
passkey_drop(
    struct db *db, const char *account, const char *member, const char *id, int64_t *n)
{
	return db_exec(
	    db, &passkey_sql[DROP], ARGS(TEXT(account), TEXT(member), TEXT(id)), n);
}
