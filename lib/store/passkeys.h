/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_PASSKEYS_H
#define STORE_PASSKEYS_H

#include "db/db.h"

/* Passkeys of members, see service/passkey.h. */
struct passkey {
	const char *id, *account, *member;
	const char *name;
	int64_t created_us;
	int64_t used_us; /* NULL_INT: never */
	const char *credential_id;
	int64_t algorithm; /* its number in COSE */
	const char *public_key;
	int64_t sign_count;
	int64_t challenge_us; /* when the last challenge that it answered was made */
};

#define PASSKEYS_MOST 20 /* passkeys of a member at most */

extern const struct field passkey_fields[];
extern const struct sql passkey_sql[];

/* Store a passkey; sets its id and created_us.  ERR_CONFLICT: it is known, or the
   member has answered the challenge or a later one.  ERR_LIMIT: the member has too
   many. */
enum err passkey_add(struct db *, struct arena *, struct passkey *) MUST_CHECK;
/* Find a passkey of an active account by the id in its authenticator. */
enum err passkey_find(struct db *, struct arena *, const char *credential_id,
    struct passkey *) MUST_CHECK;
/* List the passkeys of a member, the newest first. */
enum err passkey_list(struct db *, struct arena *, const char *account,
    const char *member, struct list *) MUST_CHECK;
/* Store a use: its counter and challenge.  ERR_CONFLICT: the challenge or a later one
   was answered, or the counter has not grown. */
enum err passkey_used(struct db *, const struct passkey *) MUST_CHECK;
/* Delete a passkey of a member; id NULL: all of them.  *n: how many. */
enum err passkey_drop(struct db *, const char *account, const char *member,
    const char *id, int64_t *n) MUST_CHECK;

#endif
