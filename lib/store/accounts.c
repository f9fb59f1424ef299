/*
 * Accounts and their credentials.
 */
#include "store/accounts.h"

#include "base/clock.h"

/* clang-format off */
#define AT(m) offsetof(struct plan, m)
static const struct field	 plan_fields[] = {
	{ "voices",            F_INT, AT(voices),            .flags = F_OUT | F_OPT },
	{ "parallel_sessions", F_INT, AT(parallel_sessions), .flags = F_OUT | F_OPT },
	{ "event_languages",   F_INT, AT(event_languages),   .flags = F_OUT | F_OPT },
	{ "storage_bytes",     F_INT, AT(storage_bytes),     .flags = F_OUT | F_OPT },
	{ "upload_min_bytes",  F_INT, AT(upload_min_bytes),  .flags = F_OUT | F_OPT },
	{ "upload_max_bytes",  F_INT, AT(upload_max_bytes),  .flags = F_OUT | F_OPT },
	{ "glossaries",        F_INT, AT(glossaries),        .flags = F_OUT | F_OPT },
	{ "requests_per_min",  F_INT, AT(requests_per_min),  .flags = F_OUT | F_OPT },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct account, m)
const struct field	 account_fields[] = {
	{ "user_id",      F_TEXT, AT(id),           .flags = F_OUT },
	{ "name",         F_TEXT, AT(name),         .flags = F_OUT },
	{ "status",       F_TEXT, AT(status),       .flags = F_OUT },
	{ "created_at",   F_TIME, AT(created_us),   .flags = F_OUT },
	{ "stored_bytes", F_INT,  AT(stored_bytes), .flags = F_OUT },
	{ "plan",         F_OBJ,  AT(plan),         .flags = F_OUT, .of = plan_fields },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct credential, m)
const struct field	 credential_fields[] = {
	{ "id",         F_TEXT, AT(id),         .flags = F_OUT },
	{ "kind",       F_TEXT, AT(kind),       .flags = F_OUT },
	{ "scopes",     F_TEXT, AT(scopes),     .flags = F_OUT },
	{ "label",      F_TEXT, AT(label),      .flags = F_OUT },
	{ "created_at", F_TIME, AT(created_us), .flags = F_OUT },
	{ "revoked_at", F_TIME, AT(revoked_us), .flags = F_OUT | F_OPT },
	FIELDS_END,
};
/* clang-format on */

#define PLAN                                                                           \
	"a.plan_voices, a.plan_parallel_sessions, a.plan_event_languages,"             \
	" a.plan_storage_bytes, a.plan_upload_min_bytes, a.plan_upload_max_bytes,"     \
	" a.plan_glossaries, a.plan_requests_per_min"
#define ACCOUNT "a.id, a.name, a.status, a.created_us, a.stored_bytes, " PLAN
#define CALLER "SELECT a.id, c.scopes, c.id, c.hash, " PLAN
#define OF_GOOD                                                                        \
	" FROM credentials c JOIN accounts a ON a.id = c.account"                      \
	" WHERE c.revoked_us IS NULL AND a.status = 'active' AND "

enum {
	BY_HASH,
	BY_CLIENT,
	BY_ACCOUNT,
	ADD,
	GET,
	LIST,
	PUT,
	SET_STATUS,
	STORE,
	STORED,
	ACTIVE,
	CRED_ADD,
	CRED_LIST,
	CRED_REVOKE,
	CRED_GOOD,
	SQL_END
};

/* clang-format off */
const struct sql	 account_sql[] = {
	[BY_HASH] = { "caller.by_hash",
	    CALLER OF_GOOD "c.kind = $1 AND c.hash = $2", NULL },
	[BY_CLIENT] = { "caller.by_client",
	    CALLER OF_GOOD "c.kind = 'pair' AND c.id = $1", NULL },
	[BY_ACCOUNT] = { "caller.by_account",
	    "SELECT a.id, '', '', '', " PLAN " FROM accounts a WHERE a.id = $1"
	    " AND a.status = 'active'", NULL },
	[ADD] = { "account.add",
	    "INSERT INTO accounts (id, name, status, created_us) VALUES ($1, $2, $3, $4)", NULL },
	[GET] = { "account.get",
	    "SELECT " ACCOUNT " FROM accounts a WHERE a.id = $1", NULL },
	[LIST] = { "account.list",
	    "SELECT " ACCOUNT " FROM accounts a ORDER BY a.created_us, a.id", NULL },
	[PUT] = { "account.put",
	    "UPDATE accounts SET name = $2, plan_voices = $3, plan_parallel_sessions = $4,"
	    " plan_event_languages = $5, plan_storage_bytes = $6,"
	    " plan_upload_min_bytes = $7, plan_upload_max_bytes = $8,"
	    " plan_glossaries = $9, plan_requests_per_min = $10 WHERE id = $1", NULL },
	[SET_STATUS] = { "account.set_status",
	    "UPDATE accounts SET status = $2 WHERE id = $1", NULL },
	[STORE] = { "account.store",
	    "UPDATE accounts SET stored_bytes = stored_bytes + $2 WHERE id = $1", NULL },
	[STORED] = { "account.stored",
	    "SELECT stored_bytes FROM accounts WHERE id = $1", NULL },
	[ACTIVE] = { "account.active",
	    "SELECT balance_micro FROM accounts WHERE id = $1 AND status = 'active'", NULL },
	[CRED_ADD] = { "credential.add",
	    "INSERT INTO credentials (id, account, kind, hash, scopes, label, created_us)"
	    " VALUES ($1, $2, $3, $4, $5, $6, $7)", NULL },
	[CRED_LIST] = { "credential.list",
	    "SELECT id, kind, scopes, label, created_us, revoked_us FROM credentials"
	    " WHERE account = $1 ORDER BY created_us, id", NULL },
	[CRED_REVOKE] = { "credential.revoke",
	    "UPDATE credentials SET revoked_us = $2 WHERE id = $1 AND revoked_us IS NULL", NULL },
	[CRED_GOOD] = { "credential.good", "SELECT 1" OF_GOOD "c.id = $1", NULL },
	[SQL_END] = { NULL, NULL, NULL },
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
}

static enum err
read_caller(struct rows *rs, struct arena *mem, const struct conf *conf,
    struct caller *to, const char **hash)
{
	if (db_next(rs)) {
		to->account = row_text(rs, 0, mem);
		to->scopes = row_text(rs, 1, mem);
		to->credential = row_text(rs, 2, mem);
		*hash = row_text(rs, 3, mem);
		row_fill(rs, 4, mem, plan_fields, &to->plan);
		apply_settings(&to->plan, conf);
	}
	return db_done_one(rs);
}

enum err
caller_by_hash(struct db *db, struct arena *mem, const struct conf *conf,
    const char *kind, const char *hash, struct caller *to)
{
	struct rows rs =
	    db_query(db, &account_sql[BY_HASH], ARGS(TEXT(kind), TEXT(hash)));

	return read_caller(&rs, mem, conf, to, &hash);
}

enum err
caller_by_client(struct db *db, struct arena *mem, const struct conf *conf,
    const char *client_id, struct caller *to, const char **hash)
{
	struct rows rs = db_query(db, &account_sql[BY_CLIENT], ARGS(TEXT(client_id)));

	return read_caller(&rs, mem, conf, to, hash);
}

enum err
caller_by_account(struct db *db, struct arena *mem, const struct conf *conf,
    const char *account, struct caller *to)
{
	struct rows rs = db_query(db, &account_sql[BY_ACCOUNT], ARGS(TEXT(account)));
	const char *none;

	return read_caller(&rs, mem, conf, to, &none);
}

enum err
account_add(struct db *db, const struct account *a)
{
	return db_exec(db, &account_sql[ADD],
	    ARGS(TEXT(a->id), TEXT(a->name), TEXT(a->status), INT(a->created_us)),
	    NULL);
}

enum err
account_get(struct db *db, struct arena *mem, const char *id, struct account *a)
{
	struct rows rs = db_query(db, &account_sql[GET], ARGS(TEXT(id)));

	if (db_next(&rs))
		row_fill(&rs, 0, mem, account_fields, a);
	return db_done_one(&rs);
}

enum err
account_list(struct db *db, struct arena *mem, struct list *to)
{
	struct rows rs = db_query(db, &account_sql[LIST], ARGS());

	return db_all(&rs, mem, account_fields, sizeof(struct account), to);
}

enum err
account_put(struct db *db, const struct account *a)
{
	const struct plan *p = &a->plan;

	return db_change(db, &account_sql[PUT],
	    ARGS(TEXT(a->id), TEXT(a->name), INT(p->voices), INT(p->parallel_sessions),
		INT(p->event_languages), INT(p->storage_bytes),
		INT(p->upload_min_bytes), INT(p->upload_max_bytes), INT(p->glossaries),
		INT(p->requests_per_min)),
	    ERR_NOT_FOUND);
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
	return db_exec(db, &account_sql[CRED_ADD],
	    ARGS(TEXT(c->id), TEXT(account), TEXT(c->kind), TEXT(hash), TEXT(c->scopes),
		TEXT(c->label), INT(c->created_us)),
	    NULL);
}

enum err
credential_list(struct db *db, struct arena *mem, const char *account, struct list *to)
{
	struct rows rs = db_query(db, &account_sql[CRED_LIST], ARGS(TEXT(account)));

	return db_all(&rs, mem, credential_fields, sizeof(struct credential), to);
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
	struct rows rs = db_query(db, &account_sql[CRED_GOOD], ARGS(TEXT(id)));

	while (db_next(&rs))
		continue;
	return db_done_one(&rs);
}
