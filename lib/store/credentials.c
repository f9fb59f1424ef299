/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Credentials of accounts: API keys, client pairs, and links that sign in a browser. */
#include "store/credentials.h"

#include <string.h>

#include "base/clock.h"

struct found_link {
	struct credential credential;
	const char *account;
};

/* clang-format off */
const struct field	 credential_fields[] = FIELDS(
	{ "id",           F_TEXT, MEMBER(credential, id),         .flags = F_OUT | F_ADD },
	{ "kind",         F_TEXT, MEMBER(credential, kind),       .flags = F_OUT | F_ADD },
	{ "scopes",       F_TEXT, MEMBER(credential, scopes),     .flags = F_OUT | F_ADD },
	{ "label",        F_TEXT, MEMBER(credential, label),      .flags = F_OUT | F_ADD },
	{ "created_at",   F_TIME, MEMBER(credential, created_us), .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "last_used_at", F_TIME, MEMBER(credential, used_us),    .flags = F_OUT | F_OPT, .column = "used_us" },
	{ "expires_at",   F_TIME, MEMBER(credential, expires_us), .flags = F_OUT | F_OPT | F_ADD, .column = "expires_us" },
	{ "revoked_at",   F_TIME, MEMBER(credential, revoked_us), .flags = F_OUT | F_OPT, .column = "revoked_us" },
	{ "member",       F_TEXT, MEMBER(credential, member),     .flags = F_ADD }
);
const struct field	 sign_in_fields[] = FIELDS(
	{ "sign_in_id",     F_TEXT, MEMBER(sign_in, id),          .flags = F_OUT, .column = "c.id AS id" },
	{ "member_id",      F_TEXT, MEMBER(sign_in, member),      .flags = F_OUT | F_NULLABLE, .column = "c.member" },
	{ "member",         F_TEXT, MEMBER(sign_in, member_name), .flags = F_OUT | F_NULLABLE,
	                    .column = "(SELECT m.name FROM members m WHERE m.id = c.member) AS member_name", .help = "The name of the person." },
	{ "browser",        F_TEXT, MEMBER(sign_in, browser),     .flags = F_OUT | F_NULLABLE, .column = "c.browser", .help = "Its header User-Agent." },
	{ "utc_created_at", F_TIME, MEMBER(sign_in, created_us),  .flags = F_OUT, .column = "c.created_us" },
	{ "last_used_at",   F_TIME, MEMBER(sign_in, used_us),     .flags = F_OUT | F_NULLABLE, .column = "c.used_us", .help = "The hour of its last use." },
	{ "expires_at",     F_TIME, MEMBER(sign_in, expires_us),  .flags = F_OUT, .column = "c.expires_us" },
	{ "current",        F_BOOL, MEMBER(sign_in, current),     .flags = F_OUT, .column = NO_COLUMN, .help = "True: the request comes from it." },
	{ "account",        F_TEXT, MEMBER(sign_in, account),      .column = "c.account" },
	{ "scopes",         F_TEXT, MEMBER(sign_in, scopes),       .column = "c.scopes" },
	{ "cookie_hash",    F_TEXT, MEMBER(sign_in, cookie_hash),  .column = "c.cookie_hash" },
	{ "refresh_hash",   F_TEXT, MEMBER(sign_in, refresh_hash), .column = "c.refresh_hash" },
	{ "former_hash",    F_TEXT, MEMBER(sign_in, former_hash),  .column = "c.former_hash" },
	{ "refreshed_us",   F_INT,  MEMBER(sign_in, refreshed_us), .column = "c.refreshed_us" }
);
const struct field	 key_fields[] = FIELDS(
	{ "key_id",       F_TEXT, MEMBER(credential, id),         .flags = F_OUT, .help = "The key; for a client pair its ClientID." },
	{ "kind",         F_TEXT, MEMBER(credential, kind),       .flags = F_OUT, .help = "`key`: an API key; `pair`: ClientID and ClientSecret." },
	{ "name",         F_TEXT, MEMBER(credential, label),      .flags = F_OUT },
	{ "scopes",       F_LIST, MEMBER(credential, scope_list), .flags = F_OUT, .help = "Its scopes; `*`: all." },
	{ "created_at",   F_TIME, MEMBER(credential, created_us), .flags = F_OUT },
	{ "last_used_at", F_TIME, MEMBER(credential, used_us),    .flags = F_OUT | F_NULLABLE, .help = "The hour of its last use; null: never used." },
	{ "expires_at",   F_TIME, MEMBER(credential, expires_us), .flags = F_OUT | F_NULLABLE, .help = "When it expires; null: never." }
);
static const struct field	 found_link_fields[] = FIELDS(
	{ "c",       F_OBJ,  MEMBER(found_link, credential), .of = credential_fields },
	{ "account", F_TEXT, MEMBER(found_link, account) }
);

#define GOOD(now) "c.revoked_us IS NULL AND (c.expires_us IS NULL OR c.expires_us > " now ")"
#define OF_ACTIVE " FROM credentials c JOIN accounts a ON a.id = c.account WHERE a.status = 'active' AND "
#define CREDENTIAL(where) "SELECT {*} FROM credentials WHERE " where, ROWS_OF(credential_fields, struct credential)
#define KEYS "revoked_us IS NULL AND kind IN ('key', 'pair') AND "

enum { ADD, LIST, REVOKE, GOOD_ONE, GET, COUNT, UP, DOWN, KEY, FULL, LINK, EXCHANGE,
	SIGN_IN, RENEW, SIGN_INS, SIGN_OUT, UNINVITE, PUT_SCOPES, FORGET_REVOKED,
	FORGET_EXPIRED, SQL_END };

const struct sql	 credential_sql[SQL_END + 1] = {
	[ADD] = { "credential.add",
	    "INSERT INTO credentials ({names}, account, hash) VALUES ({values}, $1, $2)",
	    .from = credential_fields },
	[LIST] = { "credential.list", CREDENTIAL("account = $1 ORDER BY created_us, id") },
	[REVOKE] = { "credential.revoke",
	    "UPDATE credentials SET revoked_us = $2 WHERE id = $1 AND revoked_us IS NULL" },
	[GOOD_ONE] = { "credential.good", "SELECT 1" OF_ACTIVE GOOD("$1") " AND c.id = $2" },
	[GET] = { "credential.get", CREDENTIAL("id = $2 AND account = $1") },
	[COUNT] = { "credential.count", "SELECT count(*) FROM credentials WHERE account = $1" },
	[UP] = { "key.list_up",
	    CREDENTIAL(KEYS "account = $1 AND (created_us, id) > ($2, $3)"
		" ORDER BY created_us, id LIMIT $4") },
	[DOWN] = { "key.list_down",
	    CREDENTIAL(KEYS "account = $1 AND (created_us, id) < ($2, $3)"
		" ORDER BY created_us DESC, id DESC LIMIT $4") },
	[KEY] = { "key.get", CREDENTIAL(KEYS "id = $2 AND account = $1") },
	[FULL] = { "key.other_full",
	    "SELECT 1 FROM credentials c WHERE " GOOD("$3") " AND c.kind IN ('key', 'pair')"
	    " AND c.account = $1 AND c.id <> $2 AND ' ' || c.scopes || ' ' LIKE '% * %' LIMIT 1" },
	[LINK] = { "link.find",
	    "SELECT {c.*}" OF_ACTIVE GOOD("$1") " AND c.hash = $2 AND c.kind IN ('link', 'invite', 'browser')",
	    ROWS_OF(found_link_fields, struct found_link) },
	[EXCHANGE] = { "link.exchange",
	    "UPDATE credentials SET kind = 'browser', expires_us = $2, browser = $3,"
	    " cookie_hash = $4, refresh_hash = $5, refreshed_us = $6"
	    " WHERE id = $1 AND kind IN ('link', 'invite')" },
	[SIGN_IN] = { "sign_in.find",
	    "SELECT {*}" OF_ACTIVE GOOD("$1") " AND c.id = $2 AND c.kind = 'browser'",
	    ROWS_OF(sign_in_fields, struct sign_in) },
	[RENEW] = { "sign_in.renew",
	    "UPDATE credentials SET refresh_hash = $2, former_hash = refresh_hash,"
	    " refreshed_us = $3, expires_us = $4 WHERE id = $1 AND refresh_hash = $5"
	    " AND revoked_us IS NULL" },
	[SIGN_INS] = { "sign_in.list",
	    "SELECT {*} FROM credentials c WHERE " GOOD("$1") " AND c.account = $2"
	    " AND c.kind = 'browser' AND (CAST($3 AS TEXT) IS NULL OR c.member = $3)"
	    " ORDER BY c.created_us DESC, c.id DESC LIMIT 1000",
	    ROWS_OF(sign_in_fields, struct sign_in) },
	[SIGN_OUT] = { "sign_in.revoke",
	    "UPDATE credentials SET revoked_us = $1 WHERE account = $2 AND revoked_us IS NULL"
	    " AND kind IN ('link', 'invite', 'browser')"
	    " AND (CAST($3 AS TEXT) IS NULL OR member = $3)"
	    " AND (CAST($4 AS TEXT) IS NULL OR (id = $4 AND kind = 'browser'))" },
	[UNINVITE] = { "invitation.revoke",
	    "UPDATE credentials SET revoked_us = $1 WHERE account = $2 AND member = $3"
	    " AND kind = 'invite' AND revoked_us IS NULL" },
	[PUT_SCOPES] = { "member.put_scopes",
	    "UPDATE credentials SET scopes = $3 WHERE account = $1 AND member = $2" },
	[FORGET_REVOKED] = { "credential.forget_revoked",
	    "DELETE FROM credentials WHERE id IN (SELECT id FROM credentials"
	    " WHERE revoked_us <= $1 LIMIT $2)" },
	[FORGET_EXPIRED] = { "credential.forget_expired",
	    "DELETE FROM credentials WHERE id IN (SELECT id FROM credentials"
	    " WHERE expires_us <= $1 AND kind IN ('link', 'invite', 'browser') LIMIT $2)" },
};
/* clang-format on */

enum err
credential_add(
    struct db *db, const char *account, const struct credential *c, const char *hash)
{
	return db_save(
	    db, &credential_sql[ADD], c, ARGS(TEXT(account), TEXT(hash)), ERR_CONFLICT);
}

enum err
credential_list(struct db *db, struct arena *mem, const char *account, struct list *to)
{
	return db_list(db, &credential_sql[LIST], ARGS(TEXT(account)), mem, to);
}

enum err
credential_revoke(struct db *db, const char *id)
{
	return db_change(
	    db, &credential_sql[REVOKE], ARGS(TEXT(id), INT(now_us())), ERR_NOT_FOUND);
}

enum err
credential_good(struct db *db, const char *id)
{
	return db_there(db, &credential_sql[GOOD_ONE], ARGS(INT(now_us()), TEXT(id)));
}

enum err
credential_get(struct db *db, struct arena *mem, const char *account, const char *id,
    struct credential *to)
{
	return db_one(db, &credential_sql[GET], ARGS(TEXT(account), TEXT(id)), mem, to);
}

enum err
credential_count(struct db *db, const char *account, int64_t *n)
{
	return db_number(db, &credential_sql[COUNT], ARGS(TEXT(account)), n);
}

enum err
credential_keys(struct db *db, struct arena *mem, const char *account,
    const struct list_cursor *from, struct list *to)
{
	enum err e = db_list(db, &credential_sql[from->ascending ? UP : DOWN],
	    ARGS(TEXT(account), CURSOR(from)), mem, to);

	for (size_t i = 0; i < to->n; i++)
		credential_fill_view(mem, (struct credential *)to->items + i);
	return e;
}

enum err
credential_key(struct db *db, struct arena *mem, const char *account, const char *id,
    struct credential *to)
{
	return db_one(db, &credential_sql[KEY], ARGS(TEXT(account), TEXT(id)), mem, to);
}

enum err
credential_other_full(struct db *db, const char *account, const char *id)
{
	return db_there(
	    db, &credential_sql[FULL], ARGS(TEXT(account), TEXT(id), INT(now_us())));
}

void
credential_fill_view(struct arena *mem, struct credential *c)
{
	const char **items = arena_alloc(mem, (strlen(c->scopes) + 1) * sizeof(*items));
	const char *s = c->scopes;
	size_t n = 0, all = 0;

	for (; *(s += strspn(s, " ")) != '\0'; s += n)
		items[all++] = arena_dup(mem, s, n = strcspn(s, " "));
	c->scope_list = (struct list){ items, all };
}

enum err
credential_link(struct db *db, struct arena *mem, const char *hash,
    struct credential *to, const char **account)
{
	struct found_link f;
	enum err e =
	    db_one(db, &credential_sql[LINK], ARGS(INT(now_us()), TEXT(hash)), mem, &f);

	*to = f.credential;
	*account = f.account;
	return e;
}

enum err
credential_exchange(struct db *db, const struct sign_in *s)
{
	return db_change(db, &credential_sql[EXCHANGE],
	    ARGS(TEXT(s->id), INT(s->expires_us), TEXT(s->browser),
		TEXT(s->cookie_hash), TEXT(s->refresh_hash), INT(s->refreshed_us)),
	    ERR_CONFLICT);
}

/* ---- sign-ins ---- */

enum err
sign_in_find(struct db *db, struct arena *mem, const char *id, struct sign_in *to)
{
	return db_one(
	    db, &credential_sql[SIGN_IN], ARGS(INT(now_us()), TEXT(id)), mem, to);
}

enum err
sign_in_renew(struct db *db, const struct sign_in *s, const char *was)
{
	return db_change(db, &credential_sql[RENEW],
	    ARGS(TEXT(s->id), TEXT(s->refresh_hash), INT(s->refreshed_us),
		INT(s->expires_us), TEXT(was)),
	    ERR_CONFLICT);
}

enum err
sign_in_list(struct db *db, struct arena *mem, const char *account, const char *member,
    struct list *to)
{
	return db_list(db, &credential_sql[SIGN_INS],
	    ARGS(INT(now_us()), TEXT(account), TEXT(member)), mem, to);
}

enum err
sign_in_revoke(
    struct db *db, const char *account, const char *member, const char *id, int64_t *n)
{
	return db_exec(db, &credential_sql[SIGN_OUT],
	    ARGS(INT(now_us()), TEXT(account), TEXT(member), TEXT(id)), n);
}

enum err
invitations_revoke(struct db *db, const char *account, const char *member)
{
	return db_exec(db, &credential_sql[UNINVITE],
	    ARGS(INT(now_us()), TEXT(account), TEXT(member)), NULL);
}

enum err
member_credentials_put(
    struct db *db, const char *account, const char *member, const char *scopes)
{
	return db_exec(db, &credential_sql[PUT_SCOPES],
	    ARGS(TEXT(account), TEXT(member), TEXT(scopes)), NULL);
}

enum err
credential_forget(struct db *db, int64_t before_us, int most, int64_t *n)
{
	int64_t expired;
	enum err e = db_exec(
	    db, &credential_sql[FORGET_REVOKED], ARGS(INT(before_us), INT(most)), n);

	if (e == OK)
		e = db_exec(db, &credential_sql[FORGET_EXPIRED],
		    ARGS(INT(before_us), INT(most)), &expired);
	if (e == OK && expired > *n)
		*n = expired;
	return e;
}
