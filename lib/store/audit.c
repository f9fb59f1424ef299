/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/audit.h"

#include "base/clock.h"
#include "base/id.h"

/* clang-format off */
static const struct field	 member_fields[] = FIELDS(
	{ "member_id", F_TEXT, MEMBER(audit_actor, id),   .flags = F_OUT, .column = "member" },
	{ "name",      F_TEXT, MEMBER(audit_actor, name), .flags = F_OUT | F_NULLABLE, .column = "member_name" }
);
static const struct field	 key_fields[] = FIELDS(
	{ "key_id", F_TEXT, MEMBER(audit_actor, id),   .flags = F_OUT, .column = "key" },
	{ "name",   F_TEXT, MEMBER(audit_actor, name), .flags = F_OUT | F_NULLABLE, .column = "key_name" }
);
const struct field	 audit_fields[] = FIELDS(
	{ "utc_at",  F_TIME, MEMBER(audit_line, at_us),   .flags = F_OUT | F_ADD, .column = "at_us" },
	{ "member",  F_OBJ,  MEMBER(audit_line, member),  .flags = F_OUT | F_OPT, .of = member_fields, .help = "The person who made the change in a signed-in browser, by the name of that time." },
	{ "key",     F_OBJ,  MEMBER(audit_line, key),     .flags = F_OUT | F_OPT, .of = key_fields, .help = "The API key or client pair that made the change, or that its token was made with." },
	{ "action",  F_TEXT, MEMBER(audit_line, action),  .flags = F_OUT | F_ADD, .help = "`create`, `update`, `delete`, or the last part of the route's path, such as `copy` or `approve`." },
	{ "kind",    F_TEXT, MEMBER(audit_line, kind),    .flags = F_OUT | F_ADD, .help = "The kind of the record, such as `event`." },
	{ "id",      F_TEXT, MEMBER(audit_line, subject), .flags = F_OUT | F_NULLABLE | F_ADD, .column = "subject", .help = "The id of the record; null: there are several." },
	{ "summary", F_TEXT, MEMBER(audit_line, summary), .flags = F_OUT | F_NULLABLE | F_ADD, .help = "The name of the record, and after a colon the members that an update sent." },
	{ "line_id", F_TEXT, MEMBER(audit_line, id),      .flags = F_ADD, .column = "id" },
	{ "account", F_TEXT, MEMBER(audit_line, account), .flags = F_ADD }
);
#define OF(where) "SELECT {*} FROM audit WHERE account = $1 AND " where, ROWS_OF(audit_fields, struct audit_line)

/* Part of the caller's credential; a removed member has no name any more. */
#define BY(column, from, rest) "(SELECT " column " FROM credentials c" from " WHERE c.id = $1" rest ")"

enum { ADD, UP, DOWN, EXPIRE, SQL_END };

const struct sql	 audit_sql[SQL_END + 1] = {
	[ADD] = { "audit.add",
	    "INSERT INTO audit ({names}, member, member_name, key, key_name) VALUES ({values}, "
	    BY("c.member", "", "") ", " BY("m.name", " JOIN members m ON m.id = c.member", "") ", "
	    BY("c.id", "", " AND c.member IS NULL") ", " BY("c.label", "", " AND c.member IS NULL") ")",
	    .from = audit_fields },
	[UP] = { "audit.list_up", OF("(at_us, id) > ($2, $3) ORDER BY at_us, id LIMIT $4") },
	[DOWN] = { "audit.list_down",
	    OF("(at_us, id) < ($2, $3) ORDER BY at_us DESC, id DESC LIMIT $4") },
	[EXPIRE] = { "audit.expire",
	    "DELETE FROM audit WHERE (account, at_us, id) IN (SELECT a.account, a.at_us, a.id"
	    " FROM accounts c CROSS JOIN audit a WHERE a.account = c.id AND a.at_us <= $1 LIMIT $2)" },
};
/* clang-format on */

enum err
audit_add(
    struct db *db, struct arena *mem, const char *credential, struct audit_line *l)
{
	l->id = id_new(mem);
	l->at_us = now_us();
	return db_save(db, &audit_sql[ADD], l, ARGS(TEXT(credential)), ERR_CONFLICT);
}

enum err
audit_list(struct db *db, struct arena *mem, const char *account,
    const struct list_cursor *from, struct list *to)
{
	return db_list(db, &audit_sql[from->ascending ? UP : DOWN],
	    ARGS(TEXT(account), CURSOR(from)), mem, to);
}

enum err
audit_expire(struct db *db, int64_t before_us, int most, int64_t *n)
{
	return db_exec(db, &audit_sql[EXPIRE], ARGS(INT(before_us), INT(most)), n);
}
