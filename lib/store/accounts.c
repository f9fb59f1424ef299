/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accounts, and the callers that act for them with a credential. */
#include "store/accounts.h"

#include <string.h>

#include "base/clock.h"

/* A caller, and the hash of its secret. */
struct found {
	struct caller caller;
	const char *hash;
	int64_t used_us;
};

/* clang-format off */
#define PLAN F_OUT | F_OPT | F_PUT
const struct field	 plan_fields[] = FIELDS(
	{ "voices",            F_INT, MEMBER(plan, voices),            .flags = PLAN, .column = "plan_voices", .help = "Most voices." },
	{ "parallel_sessions", F_INT, MEMBER(plan, parallel_sessions), .flags = PLAN, .column = "plan_parallel_sessions", .help = "Most sessions at a time." },
	{ "event_languages",   F_INT, MEMBER(plan, event_languages),   .flags = PLAN, .column = "plan_event_languages", .help = "Most target languages of an event." },
	{ "storage_bytes",     F_INT, MEMBER(plan, storage_bytes),     .flags = PLAN, .column = "plan_storage_bytes", .help = "Most bytes of all stored files." },
	{ "upload_min_bytes",  F_INT, MEMBER(plan, upload_min_bytes),  .flags = PLAN, .column = "plan_upload_min_bytes", .help = "Bytes of the smallest accepted file." },
	{ "upload_max_bytes",  F_INT, MEMBER(plan, upload_max_bytes),  .flags = PLAN, .column = "plan_upload_max_bytes", .help = "Bytes of the largest accepted file." },
	{ "glossaries",        F_INT, MEMBER(plan, glossaries),        .flags = PLAN, .column = "plan_glossaries", .help = "Most glossaries." },
	{ "requests_per_min",  F_INT, MEMBER(plan, requests_per_min),  .flags = PLAN, .column = "plan_requests_per_min", .help = "Most requests in a minute." },
	{ "webhooks",          F_INT, MEMBER(plan, webhooks),          .flags = PLAN, .column = "plan_webhooks", .help = "Most webhooks." },
	{ "streams",           F_INT, MEMBER(plan, streams),           .flags = PLAN, .column = "plan_streams", .help = "Most streams into and out of channels of events that are not finished." }
);
const struct field	 account_fields[] = FIELDS(
	{ "user_id",      F_TEXT, MEMBER(account, id),           .flags = F_OUT | F_ADD, .column = "id" },
	{ "name",         F_TEXT, MEMBER(account, name),         .flags = F_OUT | F_KEPT },
	{ "status",       F_TEXT, MEMBER(account, status),       .flags = F_OUT | F_ADD },
	{ "created_at",   F_TIME, MEMBER(account, created_us),   .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "stored_bytes", F_INT,  MEMBER(account, stored_bytes), .flags = F_OUT },
	{ "plan",         F_OBJ,  MEMBER(account, plan),         .flags = F_OUT, .of = plan_fields }
);
static const struct field	 found_fields[] = FIELDS(
	{ "account",    F_TEXT, MEMBER(found, caller.account),    .column = "a.id AS account" },
	{ "scopes",     F_TEXT, MEMBER(found, caller.scopes),     .column = "c.scopes" },
	{ "credential", F_TEXT, MEMBER(found, caller.credential), .column = "c.id AS credential" },
	{ "hash",       F_TEXT, MEMBER(found, hash),              .column = "c.hash" },
	{ "used_us",    F_INT,  MEMBER(found, used_us),           .column = "c.used_us" },
	{ "plan",       F_OBJ,  MEMBER(found, caller.plan),       .of = plan_fields }
);
/* clang-format on */

#define ACCOUNT(rest)                                                                  \
	"SELECT {*} FROM accounts " rest, ROWS_OF(account_fields, struct account)
#define CALLER(where)                                                                  \
	"SELECT {a.*} FROM credentials c JOIN accounts a ON a.id = c.account"          \
	" WHERE c.revoked_us IS NULL AND (c.expires_us IS NULL OR c.expires_us > $1)"  \
	" AND a.status = 'active' AND " where,                                         \
	    ROWS_OF(found_fields, struct found)

/* clang-format off */
enum {
	BY_KEY, BY_CLIENT, BY_ID, USED, ADD, GET, ANY, LIST, PUT, SET_STATUS, STORE, STORED, ACTIVE,
	SQL_END
};

const struct sql	 account_sql[SQL_END + 1] = {
	[BY_KEY] = { "caller.by_key", CALLER("c.kind = 'key' AND c.hash = $2") },
	[BY_CLIENT] = { "caller.by_client", CALLER("c.kind = 'pair' AND c.id = $2") },
	[BY_ID] = { "caller.by_id", CALLER("c.kind NOT IN ('link', 'invite') AND c.id = $2 AND c.account = $3") },
	[USED] = { "caller.used",
	    "UPDATE credentials SET used_us = $2 WHERE id = $1"
	    " AND (used_us IS NULL OR used_us < $2)", .quiet = true },
	[ADD] = { "account.add", "INSERT INTO accounts ({names}) VALUES ({values})",
	    .from = account_fields },
	[GET] = { "account.get", ACCOUNT("WHERE id = $1") },
	[ANY] = { "account.any", "SELECT 1 FROM accounts LIMIT 1" },
	[LIST] = { "account.list", ACCOUNT("ORDER BY created_us, id") },
	[PUT] = { "account.put", "UPDATE accounts SET {changes} WHERE id = :id",
	    .from = account_fields },
	[SET_STATUS] = { "account.set_status", "UPDATE accounts SET status = $2 WHERE id = $1 AND status <> 'deleting'" },
	[STORE] = { "account.store",
	    "UPDATE accounts SET stored_bytes = stored_bytes + $2 WHERE id = $1" },
	[STORED] = { "account.stored", "SELECT stored_bytes FROM accounts WHERE id = $1" },
	[ACTIVE] = { "account.active",
	    "SELECT balance_micro FROM accounts WHERE id = $1 AND status = 'active'" },
};
const struct sql	 caller_sql[] = {
	{ "caller.is_key", "SELECT 1 FROM credentials WHERE id = $1 AND kind IN ('key', 'pair') AND revoked_us IS NULL" },
	{ .name = NULL },
};
/* clang-format on */

static int64_t
limit_or(int64_t set, int64_t otherwise)
{
	return set != NULL_INT ? set : otherwise;
}

static void
apply_settings(struct plan *p, const struct conf *c)
{
	p->voices = limit_or(p->voices, c->plan_voices);
	p->parallel_sessions =
	    limit_or(p->parallel_sessions, c->plan_parallel_sessions);
	p->event_languages = limit_or(p->event_languages, c->plan_event_languages);
	p->storage_bytes = limit_or(p->storage_bytes, c->plan_storage_bytes);
	p->upload_min_bytes = limit_or(p->upload_min_bytes, c->plan_upload_min_bytes);
	p->upload_max_bytes = limit_or(p->upload_max_bytes, c->plan_upload_max_bytes);
	p->glossaries = limit_or(p->glossaries, c->plan_glossaries);
	p->requests_per_min = limit_or(p->requests_per_min, c->plan_requests_per_min);
	p->webhooks = limit_or(p->webhooks, c->plan_webhooks);
	p->streams = limit_or(p->streams, c->plan_streams);
}

/* Returns the start of the hour. */
static int64_t
hour_of(int64_t us)
{
	return us - us % (3600 * S_US);
}

static enum err
set_caller(
    const struct conf *conf, const struct found *f, enum err e, struct caller *to)
{
	if (e != OK)
		return e;
	*to = f->caller;
	to->hour_us = f->used_us < hour_of(now_us()) ? hour_of(now_us()) : 0;
	apply_settings(&to->plan, conf);
	return OK;
}

enum err
caller_by_key(struct db *db, struct arena *mem, const struct conf *conf,
    const char *hash, struct caller *to)
{
	struct found f;
	enum err e =
	    db_one(db, &account_sql[BY_KEY], ARGS(INT(now_us()), TEXT(hash)), mem, &f);

	return set_caller(conf, &f, e, to);
}

enum err
caller_by_id(struct db *db, struct arena *mem, const struct conf *conf, const char *id,
    const char *account, struct caller *to)
{
	struct found f;
	enum err e = db_one(db, &account_sql[BY_ID],
	    ARGS(INT(now_us()), TEXT(id), TEXT(account)), mem, &f);

	return set_caller(conf, &f, e, to);
}

enum err
caller_is_key(struct db *db, const char *credential)
{
	return db_there(db, &caller_sql[0], ARGS(TEXT(credential)));
}

/* Does not wait for the lock, because the next request tries again. */
enum err
caller_used(struct db *db, const struct caller *c)
{
	enum err e;

	if ((e = db_try_begin(db, c->account)) == OK &&
	    ((e = db_exec(db, &account_sql[USED],
		  ARGS(TEXT(c->credential), INT(c->hour_us)), NULL)) != OK ||
		(e = db_commit(db)) != OK))
		db_rollback(db);
	return e;
}

enum err
caller_by_client(struct db *db, struct arena *mem, const struct conf *conf,
    const char *client_id, struct caller *to, const char **hash)
{
	struct found f = { .hash = NULL };
	enum err e = db_one(
	    db, &account_sql[BY_CLIENT], ARGS(INT(now_us()), TEXT(client_id)), mem, &f);

	*hash = f.hash;
	return set_caller(conf, &f, e, to);
}

enum err
caller_by_account(struct db *db, struct arena *mem, const struct conf *conf,
    const char *account, struct caller *to)
{
	struct account a;
	enum err e = account_get(db, mem, account, &a);

	if (e == OK && strcmp(a.status, "active") != 0)
		e = ERR_NOT_FOUND;
	if (e != OK)
		return e;
	*to = (struct caller){ a.id, "", "", .plan = a.plan };
	apply_settings(&to->plan, conf);
	return OK;
}

enum err
account_add(struct db *db, const struct account *a)
{
	return db_save(db, &account_sql[ADD], a, ARGS(), ERR_CONFLICT);
}

enum err
account_get(struct db *db, struct arena *mem, const char *id, struct account *a)
{
	return db_one(db, &account_sql[GET], ARGS(TEXT(id)), mem, a);
}

enum err
account_any(struct db *db)
{
	return db_there(db, &account_sql[ANY], ARGS());
}

enum err
account_list(struct db *db, struct arena *mem, struct list *to)
{
	return db_list(db, &account_sql[LIST], ARGS(), mem, to);
}

enum err
account_put(struct db *db, const struct account *a)
{
	return db_save(db, &account_sql[PUT], a, ARGS(), ERR_NOT_FOUND);
}

enum err
account_set_status(struct db *db, const char *id, const char *status)
{
	return db_change(
	    db, &account_sql[SET_STATUS], ARGS(TEXT(id), TEXT(status)), ERR_NOT_FOUND);
}

enum err
account_store(struct db *db, const char *id, int64_t more)
{
	return db_change(
	    db, &account_sql[STORE], ARGS(TEXT(id), INT(more)), ERR_NOT_FOUND);
}

enum err
account_stored(struct db *db, const char *id, int64_t *bytes)
{
	return db_number(db, &account_sql[STORED], ARGS(TEXT(id)), bytes);
}

enum err
account_active(struct db *db, const char *id, int64_t *balance_micro)
{
	struct rows rs = db_query(db, &account_sql[ACTIVE], ARGS(TEXT(id)));

	if (db_next(&rs))
		*balance_micro = row_int(&rs, 0);
	return db_done_one(&rs);
}
