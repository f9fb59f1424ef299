/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_CREDENTIALS_H
#define STORE_CREDENTIALS_H

#include "db/db.h"
#include "store/cursor.h"

/*
 * A credential of an account.  Kinds: "key", an API key; "pair", ClientID and
 * ClientSecret; "link" and "invite", which sign in a browser of a member once and then
 * have the kind "browser": only tokens that name it act for it.
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
	const char *member;     /* the member that signs in by it; NULL: none */
};

/* A browser that a member has signed in: a credential of the kind "browser". */
struct sign_in {
	const char *id;
	const char *account, *scopes;
	const char *member, *member_name; /* NULL: the member was removed */
	const char *browser;              /* User-Agent, or NULL */
	int64_t created_us, used_us, expires_us;
	/* SHA-256 of the cookie, the current and the former refresh token; NULL: it is
	   not remembered */
	const char *cookie_hash, *refresh_hash, *former_hash;
	int64_t refreshed_us;
	bool current; /* it is the caller; set by the program */
};

extern const struct field credential_fields[]; /* for the operator */
extern const struct field key_fields[];        /* for its account */
extern const struct field sign_in_fields[];
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
/* Turn a link or an invitation into a browser's credential: with the expiry, browser
   and hashes of *s.  ERR_CONFLICT: it was exchanged before. */
enum err credential_exchange(struct db *, const struct sign_in *) MUST_CHECK;
/* Read a sign-in that is valid now, of an active account. */
enum err sign_in_find(
    struct db *, struct arena *, const char *id, struct sign_in *) MUST_CHECK;
/* Replace the refresh token of a sign-in whose refresh_hash is `was`; ERR_CONFLICT: it
   was replaced meanwhile. */
enum err sign_in_renew(struct db *, const struct sign_in *, const char *was) MUST_CHECK;
/* List the valid sign-ins of an account, the latest first. member NULL: of all. */
enum err sign_in_list(struct db *, struct arena *, const char *account,
    const char *member, struct list *) MUST_CHECK;
/* Revoke the sign-ins and links of a member; NULL: of all members. id NULL: all of
   them. *n: how many were revoked. */
enum err sign_in_revoke(struct db *, const char *account, const char *member,
    const char *id, int64_t *n) MUST_CHECK;
/* Revoke the invitations of a member that were not used. */
enum err invitations_revoke(
    struct db *, const char *account, const char *member) MUST_CHECK;
/* Give the scopes to all credentials of a member. */
enum err member_credentials_put(struct db *, const char *account, const char *member,
    const char *scopes) MUST_CHECK;

/* Delete at most `most` credentials that were revoked, and as many links, invitations
   and browsers that expired, before before_us. */
enum err credential_forget(
    struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;

#endif
