/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/members.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"

const char *const member_roles[] = { ROLE_OWNER, "organiser", "desk", "viewer", NULL };

#define READS                                                                          \
	"balance:read channels:read events:read glossaries:read"                       \
	" sessions:read voices:read"

/* In the order of member_roles. */
static const char *const scopes[] = {
	"*",
	"balance:read channels:write events:write glossaries:write s2s sessions:write"
	" stt tts uploads:write voices:write webhooks:read",
	"channels:read channels:run events:read events:run",
	READS,
};

/* clang-format off */
const struct field	 member_fields[] = FIELDS(
	{ "member_id",      F_TEXT, MEMBER(member, id),         .flags = F_OUT | F_ADD, .column = "id" },
	{ "name",           F_TEXT, MEMBER(member, name),       .flags = F_OUT | F_KEPT },
	{ "role",           F_ENUM, MEMBER(member, role),       .flags = F_OUT | F_KEPT, .names = member_roles },
	{ "status",         F_TEXT, MEMBER(member, status),     .flags = F_OUT | F_KEPT, .help = "`invited`: has not signed in yet; `active`." },
	{ "utc_created_at", F_TIME, MEMBER(member, created_us), .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "last_seen_at",   F_TIME, MEMBER(member, seen_us),    .flags = F_OUT | F_NULLABLE,
	                    .column = "(SELECT max(c.used_us) FROM credentials c WHERE c.member = members.id) AS seen_us",
	                    .help = "The hour of the last use." },
	{ "account",        F_TEXT, MEMBER(member, account),    .flags = F_ADD }
);

#define OF(where) "SELECT {*} FROM members WHERE account = $1 AND " where, ROWS_OF(member_fields, struct member)
#define OWNER "role = 'owner' AND status = 'active' AND "

enum { ADD, GET, FIRST_OWNER, OTHER_OWNER, UP, DOWN, PUT, DROP, SQL_END };

const struct sql	 member_sql[SQL_END + 1] = {
	[ADD] = { "member.add", "INSERT INTO members ({names}) VALUES ({values})",
	    .from = member_fields },
	[GET] = { "member.get", OF("id = $2") },
	[FIRST_OWNER] = { "member.owner", OF(OWNER "1 = 1 ORDER BY created_us, id LIMIT 1") },
	[OTHER_OWNER] = { "member.other_owner",
	    "SELECT 1 FROM members WHERE account = $1 AND " OWNER "id <> $2 LIMIT 1" },
	[UP] = { "member.list_up",
	    OF("(created_us, id) > ($2, $3) ORDER BY created_us, id LIMIT $4") },
	[DOWN] = { "member.list_down",
	    OF("(created_us, id) < ($2, $3) ORDER BY created_us DESC, id DESC LIMIT $4") },
	[PUT] = { "member.put",
	    "UPDATE members SET {changes} WHERE id = :id AND account = $1",
	    .from = member_fields },
	[DROP] = { "member.drop", "DELETE FROM members WHERE account = $1 AND id = $2" },
};
/* clang-format on */

const char *
member_scopes(const char *role)
{
	size_t i = 0;

	while (member_roles[i + 1] != NULL && strcmp(member_roles[i], role) != 0)
		i++;
	return scopes[i];
}

enum err
member_add(struct db *db, struct arena *mem, struct member *m)
{
	m->id = id_new(mem);
	m->created_us = now_us();
	m->seen_us = NULL_INT;
	return db_save(db, &member_sql[ADD], m, ARGS(), ERR_CONFLICT);
}

enum err
member_get(struct db *db, struct arena *mem, const char *account, const char *id,
    struct member *to)
{
	return db_one(db, &member_sql[GET], ARGS(TEXT(account), TEXT(id)), mem, to);
}

enum err
member_owner(struct db *db, struct arena *mem, const char *account, struct member *to)
{
	return db_one(db, &member_sql[FIRST_OWNER], ARGS(TEXT(account)), mem, to);
}

enum err
member_other_owner(struct db *db, const char *account, const char *id)
{
	return db_there(db, &member_sql[OTHER_OWNER], ARGS(TEXT(account), TEXT(id)));
}

enum err
member_list(struct db *db, struct arena *mem, const char *account,
    const struct list_cursor *from, struct list *to)
{
	return db_list(db, &member_sql[from->ascending ? UP : DOWN],
	    ARGS(TEXT(account), CURSOR(from)), mem, to);
}

enum err
member_put(struct db *db, const struct member *m)
{
	return db_save(db, &member_sql[PUT], m, ARGS(TEXT(m->account)), ERR_NOT_FOUND);
}

enum err
member_drop(struct db *db, const char *account, const char *id)
{
	return db_change(
	    db, &member_sql[DROP], ARGS(TEXT(account), TEXT(id)), ERR_NOT_FOUND);
}
