/*
 * Accounts and their credentials.
 */
#include "store/accounts.h"

#include <string.h>

#include "base/clock.h"

/* A caller, and the hash of its secret. */
struct found {
	struct caller caller;
	const char *hash;
};

/* clang-format off */
#define PLAN F_OUT | F_OPT | F_PUT
static const struct field	 plan_fields[] = FIELDS(
	{ "voices",            F_INT, MEMBER(plan, voices),            .flags = PLAN, .column = "plan_voices" },
	{ "parallel_sessions", F_INT, MEMBER(plan, parallel_sessions), .flags = PLAN, .column = "plan_parallel_sessions" },
	{ "event_languages",   F_INT, MEMBER(plan, event_languages),   .flags = PLAN, .column = "plan_event_languages" },
	{ "storage_bytes",     F_INT, MEMBER(plan, storage_bytes),     .flags = PLAN, .column = "plan_storage_bytes" },
	{ "upload_min_bytes",  F_INT, MEMBER(plan, upload_min_bytes),  .flags = PLAN, .column = "plan_upload_min_bytes" },
	{ "upload_max_bytes",  F_INT, MEMBER(plan, upload_max_bytes),  .flags = PLAN, .column = "plan_upload_max_bytes" },
	{ "glossaries",        F_INT, MEMBER(plan, glossaries),        .flags = PLAN, .column = "plan_glossaries" },
	{ "requests_per_min",  F_INT, MEMBER(plan, requests_per_min),  .flags = PLAN, .column = "plan_requests_per_min" },
	{ "webhooks",          F_INT, MEMBER(plan, webhooks),          .flags = PLAN, .column = "plan_webhooks" }
);
const struct field	 account_fields[] = FIELDS(
	{ "user_id",      F_TEXT, MEMBER(account, id),           .flags = F_OUT | F_ADD, .column = "id" },
	{ "name",         F_TEXT, MEMBER(account, name),         .flags = F_OUT | F_KEPT },
	{ "status",       F_TEXT, MEMBER(account, status),       .flags = F_OUT | F_ADD },
	{ "created_at",   F_TIME, MEMBER(account, created_us),   .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "stored_bytes", F_INT,  MEMBER(account, stored_bytes), .flags = F_OUT },
	{ "plan",         F_OBJ,  MEMBER(account, plan),         .flags = F_OUT, .of = plan_fields }
);
const struct field	 credential_fields[] = FIELDS(
	{ "id",         F_TEXT, MEMBER(credential, id),         .flags = F_OUT | F_ADD },
	{ "kind",       F_TEXT, MEMBER(credential, kind),       .flags = F_OUT | F_ADD },
	{ "scopes",     F_TEXT, MEMBER(credential, scopes),     .flags = F_OUT | F_ADD },
	{ "label",      F_TEXT, MEMBER(credential, label),      .flags = F_OUT | F_ADD },
	{ "created_at", F_TIME, MEMBER(credential, created_us), .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "revoked_at", F_TIME, MEMBER(credential, revoked_us), .flags = F_OUT | F_OPT, .column = "revoked_us" }
);
static const struct field	 found_fields[] = FIELDS(
	{ "account",    F_TEXT, MEMBER(found, caller.account),    .column = "a.id AS account" },
	{ "scopes",     F_TEXT, MEMBER(found, caller.scopes),     .column = "c.scopes" },
	{ "credential", F_TEXT, MEMBER(found, caller.credential), .column = "c.id AS credential" },
	{ "hash",       F_TEXT, MEMBER(found, hash),              .column = "c.hash" },
	{ "plan",       F_OBJ,  MEMBER(found, caller.plan),       .of = plan_fields }
);
/* clang-format on */

#define ACCOUNT(rest)                                                                  \
	"SELECT {*} FROM accounts " rest, ROWS_OF(account_fields, struct account)
#define CALLER(where) "SELECT {a.*}" OF_GOOD where, ROWS_OF(found_fields, struct found)
#define OF_GOOD                                                                        \
	" FROM credentials c JOIN accounts a ON a.id = c.account"                      \
	" WHERE c.revoked_us IS NULL AND a.status = 'active' AND "

/* clang-format off */
enum {
	BY_HASH, BY_CLIENT, ADD, GET, LIST, PUT, SET_STATUS, STORE, STORED, ACTIVE,
	CRED_ADD, CRED_LIST, CRED_REVOKE, CRED_GOOD, SQL_END
};

const struct sql	 account_sql[SQL_END + 1] = {
	[BY_HASH] = { "caller.by_hash", CALLER("c.kind = $1 AND c.hash = $2") },
	[BY_CLIENT] = { "caller.by_client", CALLER("c.kind = 'pair' AND c.id = $1") },
	[ADD] = { "account.add", "INSERT INTO accounts ({names}) VALUES ({values})",
	    .from = account_fields },
	[GET] = { "account.get", ACCOUNT("WHERE id = $1") },
	[LIST] = { "account.list", ACCOUNT("ORDER BY created_us, id") },
	[PUT] = { "account.put", "UPDATE accounts SET {changes} WHERE id = :id",
	    .from = account_fields },
	[SET_STATUS] = { "account.set_status", "UPDATE accounts SET status = $2 WHERE id = $1" },
	[STORE] = { "account.store",
	    "UPDATE accounts SET stored_bytes = stored_bytes + $2 WHERE id = $1" },
	[STORED] = { "account.stored", "SELECT stored_bytes FROM accounts WHERE id = $1" },
	[ACTIVE] = { "account.active",
	    "SELECT balance_micro FROM accounts WHERE id = $1 AND status = 'active'" },
	[CRED_ADD] = { "credential.add",
	    "INSERT INTO credentials ({names}, account, hash) VALUES ({values}, $1, $2)",
	    .from = credential_fields },
	[CRED_LIST] = { "credential.list",
	    "SELECT {*} FROM credentials WHERE account = $1 ORDER BY created_us, id",
	    ROWS_OF(credential_fields, struct credential) },
	[CRED_REVOKE] = { "credential.revoke",
	    "UPDATE credentials SET revoked_us = $2 WHERE id = $1 AND revoked_us IS NULL" },
	[CRED_GOOD] = { "credential.good", "SELECT 1" OF_GOOD "c.id = $1" },
};
/* clang-format on */

static int64_t
in_force(int64_t set, int64_t otherwise)
{
	return set != NULL_INT ? set : otherwise;
}

static void
apply_settings(struct plan *p, const struct conf *c)
{
	p->voices = in_force(p->voices, c->plan_voices);
	p->parallel_sessions =
	    in_force(p->parallel_sessions, c->plan_parallel_sessions);
	p->event_languages = in_force(p->event_languages, c->plan_event_languages);
	p->storage_bytes = in_force(p->storage_bytes, c->plan_storage_bytes);
	p->upload_min_bytes = in_force(p->upload_min_bytes, c->plan_upload_min_bytes);
	p->upload_max_bytes = in_force(p->upload_max_bytes, c->plan_upload_max_bytes);
	p->glossaries = in_force(p->glossaries, c->plan_glossaries);
	p->requests_per_min = in_force(p->requests_per_min, c->plan_requests_per_min);
	p->webhooks = in_force(p->webhooks, c->plan_webhooks);
}

static enum err
give_caller(
    const struct conf *conf, const struct found *f, enum err e, struct caller *to)
{
	if (e != OK)
		return e;
	*to = f->caller;
	apply_settings(&to->plan, conf);
	return OK;
}

enum err
caller_by_hash(struct db *db, struct arena *mem, const struct conf *conf,
    const char *kind, const char *hash, struct caller *to)
{
	struct found f;
	enum err e =
	    db_one(db, &account_sql[BY_HASH], ARGS(TEXT(kind), TEXT(hash)), mem, &f);

	return give_caller(conf, &f, e, to);
}

enum err
caller_by_client(struct db *db, struct arena *mem, const struct conf *conf,
    const char *client_id, struct caller *to, const char **hash)
{
	struct found f = { .hash = NULL };
	enum err e =
	    db_one(db, &account_sql[BY_CLIENT], ARGS(TEXT(client_id)), mem, &f);

	*hash = f.hash;
	return give_caller(conf, &f, e, to);
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
	*to = (struct caller){ a.id, "", "", a.plan };
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

enum err
credential_add(
    struct db *db, const char *account, const struct credential *c, const char *hash)
{
	return db_save(db, &account_sql[CRED_ADD], c, ARGS(TEXT(account), TEXT(hash)),
	    ERR_CONFLICT);
}

enum err
credential_list(struct db *db, struct arena *mem, const char *account, struct list *to)
{
	return db_list(db, &account_sql[CRED_LIST], ARGS(TEXT(account)), mem, to);
}

enum err
credential_revoke(struct db *db, const char *id)
{
	return db_change(db, &account_sql[CRED_REVOKE], ARGS(TEXT(id), INT(now_us())),
	    ERR_NOT_FOUND);
}

enum err
credential_good(struct db *db, const char *id)
{
	return db_there(db, &account_sql[CRED_GOOD], ARGS(TEXT(id)));
}
