#ifndef STORE_ACCOUNTS_H
#define STORE_ACCOUNTS_H

#include "base/conf.h"
#include "db/db.h"

/* What an account may use; 0: no limit.  In a row NULL_INT: the setting's. */
struct plan {
	int64_t voices;
	int64_t parallel_sessions;
	int64_t event_languages;
	int64_t storage_bytes;
	int64_t upload_min_bytes, upload_max_bytes;
	int64_t glossaries;
	int64_t requests_per_min;
	int64_t webhooks;
	int64_t streams;
};

struct account {
	const char *id;
	const char *name;
	const char *status; /* active, suspended, deleting */
	int64_t created_us;
	int64_t stored_bytes;
	struct plan plan; /* as set, without the settings' values */
};

/* A credential that was found good, and what its account may do. */
struct caller {
	const char *account;
	const char *scopes;     /* space-separated */
	const char *credential; /* its id; "": none that could be revoked */
	int64_t hour_us;        /* of this use, to be noted; 0: it is noted */
	int64_t token_us;       /* end of the API token that was sent; 0: none was */
	bool joined;            /* scopes are those of two credentials */
	struct plan plan;       /* in force */
};

extern const struct field account_fields[], plan_fields[];
extern const struct sql account_sql[];

/* ERR_NOT_FOUND: unknown, revoked, expired, or of a suspended account. */
enum err caller_by_key(struct db *, struct arena *, const struct conf *,
    const char *hash, struct caller *) MUST_CHECK;
/* *hash: of the pair's secret, for the caller to compare. */
enum err caller_by_client(struct db *, struct arena *, const struct conf *,
    const char *client_id, struct caller *, const char **hash) MUST_CHECK;
/* The credential behind an API token, which has to be of the account. */
enum err caller_by_id(struct db *, struct arena *, const struct conf *, const char *id,
    const char *account, struct caller *) MUST_CHECK;
/* The account itself, active; scopes "". */
enum err caller_by_account(struct db *, struct arena *, const struct conf *,
    const char *account, struct caller *) MUST_CHECK;

/*
 * Note the hour of a caller's use, in a transaction of its own, if it is not noted
 * yet.  ERR_BUSY: another process writes just now; then it is not noted.
 */
enum err caller_used(struct db *, const struct caller *) MUST_CHECK;

enum err account_add(struct db *, const struct account *) MUST_CHECK;
enum err account_get(
    struct db *, struct arena *, const char *id, struct account *) MUST_CHECK;
enum err account_list(struct db *, struct arena *, struct list *) MUST_CHECK;
enum err account_put(struct db *, const struct account *) MUST_CHECK; /* name, plan */
/* ERR_NOT_FOUND: there is none, or it is being deleted. */
enum err account_set_status(struct db *, const char *id, const char *status) MUST_CHECK;

/* Add to what the account has stored; more may be negative. */
enum err account_store(struct db *, const char *id, int64_t more_bytes) MUST_CHECK;
enum err account_stored(struct db *, const char *id, int64_t *bytes) MUST_CHECK;
/* What it has left; ERR_NOT_FOUND: it is suspended. */
enum err account_active(struct db *, const char *id, int64_t *balance_micro) MUST_CHECK;

#endif
