/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_ACCOUNTS_H
#define STORE_ACCOUNTS_H

#include "base/conf.h"
#include "db/db.h"

/* The limits of an account; 0: no limit.  In a row NULL_INT stands for the setting's
   value. */
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
	struct plan plan; /* as stored, without the settings' values */
};

/* The caller of a request: its valid credential and the limits of its account. */
struct caller {
	const char *account;
	const char *scopes;     /* space-separated */
	const char *credential; /* its id; "": it cannot be revoked */
	int64_t hour_us;        /* hour of this use, not stored yet; 0: it is stored */
	int64_t token_us;       /* expiry of the API token that was sent; 0: no token */
	bool joined;            /* the scopes of two credentials are combined */
	struct plan plan;       /* limits, including the settings' values */
};

extern const struct field account_fields[], plan_fields[];
extern const struct sql account_sql[];
extern const struct sql caller_sql[]; /* rarely needed */

/* Find the caller of an API key.  ERR_NOT_FOUND: the key is unknown, revoked or
   expired, or its account is not active. */
enum err caller_by_key(struct db *, struct arena *, const struct conf *,
    const char *hash, struct caller *) MUST_CHECK;
/* Find the caller of a client pair; *hash is that of its secret, which must be
   compared. */
enum err caller_by_client(struct db *, struct arena *, const struct conf *,
    const char *client_id, struct caller *, const char **hash) MUST_CHECK;
/* Find the caller of the credential that an API token names. The credential must belong
   to the account. */
enum err caller_by_id(struct db *, struct arena *, const struct conf *, const char *id,
    const char *account, struct caller *) MUST_CHECK;
/* Returns the account as a caller, with scopes ""; ERR_NOT_FOUND: it is not active. */
enum err caller_by_account(struct db *, struct arena *, const struct conf *,
    const char *account, struct caller *) MUST_CHECK;

/* Check that a credential is a key or a client pair that is not revoked; ERR_NOT_FOUND:
   it is none. */
enum err caller_is_key(struct db *, const char *credential) MUST_CHECK;

/* Store the hour of the caller's last use in a separate transaction, unless it is
   stored already.  ERR_BUSY: another process is writing now; nothing is stored. */
enum err caller_used(struct db *, const struct caller *) MUST_CHECK;

enum err account_add(struct db *, const struct account *) MUST_CHECK;
enum err account_get(
    struct db *, struct arena *, const char *id, struct account *) MUST_CHECK;
/* OK: there is an account; ERR_NOT_FOUND: there is none. */
enum err account_any(struct db *) MUST_CHECK;
enum err account_list(struct db *, struct arena *, struct list *) MUST_CHECK;
enum err account_put(struct db *, const struct account *) MUST_CHECK; /* name, plan */
/* ERR_NOT_FOUND: there is no such account, or it is being deleted. */
enum err account_set_status(struct db *, const char *id, const char *status) MUST_CHECK;

/* Add to the account's stored bytes; more_bytes may be negative. */
enum err account_store(struct db *, const char *id, int64_t more_bytes) MUST_CHECK;
enum err account_stored(struct db *, const char *id, int64_t *bytes) MUST_CHECK;
/* Read the balance of an active account; ERR_NOT_FOUND: it is not active. */
enum err account_active(struct db *, const char *id, int64_t *balance_micro) MUST_CHECK;

#endif
