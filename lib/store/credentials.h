#ifndef STORE_CREDENTIALS_H
#define STORE_CREDENTIALS_H

#include "db/db.h"
#include "store/place.h"

/*
 * What an account is recognised by.  Kinds: "key", an API key; "pair", ClientID and
 * ClientSecret; "link", which signs a browser in once and is "browser" from then on:
 * nothing but tokens that name it acts for that.
 */
struct credential {
	const char *id; /* ClientID of a pair */
	const char *kind;
	const char *scopes; /* space-separated */
	const char *label;
	int64_t created_us;
	int64_t used_us;        /* the hour of its last use; NULL_INT: never */
	int64_t expires_us;     /* NULL_INT: it stays good */
	int64_t revoked_us;     /* NULL_INT: it is not */
	struct list scope_list; /* scopes, of const char *; credential_tell() sets it */
};

extern const struct field credential_fields[]; /* for the operator */
extern const struct field key_fields[];        /* for its account */
extern const struct sql credential_sql[];

/* hash: SHA-256 of the secret in hex; the secret itself is never stored. */
enum err credential_add(struct db *, const char *account, const struct credential *,
    const char *hash) MUST_CHECK;
/* All of an account, whatever they are. */
enum err credential_list(
    struct db *, struct arena *, const char *account, struct list *) MUST_CHECK;
/* ERR_NOT_FOUND: there is none that could be revoked. */
enum err credential_revoke(struct db *, const char *id) MUST_CHECK;
/* ERR_NOT_FOUND: it was revoked, has expired, or its account is not active. */
enum err credential_good(struct db *, const char *id) MUST_CHECK;

/* One of an account, revoked or not. */
enum err credential_get(struct db *, struct arena *, const char *account,
    const char *id, struct credential *) MUST_CHECK;
/* Rows of an account, with those that were revoked and are not forgotten yet. */
enum err credential_count(struct db *, const char *account, int64_t *n) MUST_CHECK;
/* The keys and pairs of an account that are not revoked. */
enum err credential_keys(struct db *, struct arena *, const char *account,
    const struct list_place *, struct list *) MUST_CHECK;
/* One of these. */
enum err credential_key(struct db *, struct arena *, const char *account,
    const char *id, struct credential *) MUST_CHECK;
/* Whether another of these is good and holds all scopes; ERR_NOT_FOUND: none. */
enum err credential_other_full(
    struct db *, const char *account, const char *id) MUST_CHECK;
void credential_tell(struct arena *, struct credential *); /* scope_list */

/*
 * A link that can be exchanged, or was: then its kind is "browser".  ERR_NOT_FOUND:
 * there is none, it has expired, was revoked, or its account is not active.
 */
enum err credential_link(struct db *, struct arena *, const char *hash,
    struct credential *, const char **account) MUST_CHECK;
/* Make the link a browser's credential until then.  ERR_CONFLICT: it was exchanged. */
enum err credential_exchange(
    struct db *, const char *id, int64_t expires_us) MUST_CHECK;

/* Forget those revoked, and links and browsers expired, before then, at most so many.
 */
enum err credential_forget(
    struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;

#endif
