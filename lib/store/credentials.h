/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_CREDENTIALS_H
#define STORE_CREDENTIALS_H

#include "db/db.h"
#include "store/cursor.h"

/*
 * A credential of an account.  Kinds: "key", an API key; "pair", ClientID and
 * ClientSecret; "link", which signs in a browser once and then has the kind "browser":
 * only tokens that name it act for it.
 */
struct credential {
	const char *id; /* for a pair: the ClientID */
	const char *kind;
	const char *scopes; /* space-separated */
	const char *label;
	int64_t created_us;
	int64_t used_us;        /* hour of the last use; NULL_INT: never used */
	int64_t expires_us;     /* NULL_INT: does not expire */
	int64_t revoked_us;     /* NULL_INT: not revoked */
	struct list scope_list; /* const char *; set by credential_fill_view() */
};

extern const struct field credential_fields[]; /* for the operator */
extern const struct field key_fields[];        /* for its account */
extern const struct sql credential_sql[];

/* hash: SHA-256 of the secret in hex.  The secret itself is never stored. */
enum err credential_add(struct db *, const char *account, const struct credential *,
    const char *hash) MUST_CHECK;
/* List all credentials of an account. */
enum err credential_list(
    struct db *, struct arena *, const char *account, struct list *) MUST_CHECK;
/* ERR_NOT_FOUND: there is no such credential, or it is revoked already. */
enum err credential_revoke(struct db *, const char *id) MUST_CHECK;
/* Check a credential.  ERR_NOT_FOUND: it is revoked or expired, or its account is not
   active. */
enum err credential_good(struct db *, const char *id) MUST_CHECK;

/* Read a credential of an account, revoked or not. */
enum err credential_get(struct db *, struct arena *, const char *account,
    const char *id, struct credential *) MUST_CHECK;
/*
 * Count the rows of an account, including revoked credentials that are not deleted yet.
 */
enum err credential_count(struct db *, const char *account, int64_t *n) MUST_CHECK;
/* List the keys and pairs of an account that are not revoked. */
enum err credential_keys(struct db *, struct arena *, const char *account,
    const struct list_cursor *, struct list *) MUST_CHECK;
/* Read a key or pair of an account that is not revoked. */
enum err credential_key(struct db *, struct arena *, const char *account,
    const char *id, struct credential *) MUST_CHECK;
/* Look for another valid key or pair with all scopes. ERR_NOT_FOUND: there is none. */
enum err credential_other_full(
    struct db *, const char *account, const char *id) MUST_CHECK;
void credential_fill_view(struct arena *, struct credential *); /* set scope_list */

/*
 * Find the credential of a link; after its exchange the kind is "browser".
 * ERR_NOT_FOUND: there is none, it is expired or revoked, or its account is not active.
 */
enum err credential_link(struct db *, struct arena *, const char *hash,
    struct credential *, const char **account) MUST_CHECK;
/* Turn a link into a browser's credential until expires_us.  ERR_CONFLICT: it was
   exchanged before. */
enum err credential_exchange(
    struct db *, const char *id, int64_t expires_us) MUST_CHECK;

/* Delete at most `most` credentials that were revoked, and as many links and browsers
   that expired, before before_us. */
enum err credential_forget(
    struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;

#endif
