/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CREDENTIAL_ISSUE_H
#define SERVICE_CREDENTIAL_ISSUE_H

#include "base/conf.h"
#include "db/db.h"
#include "store/credentials.h"
#include "store/members.h"

/* Credentials, which are shown only once. */
struct issued {
	const char *user_id; /* id of a new account, else NULL */
	const char *api_key;
	const char *client_id, *client_secret;
};

extern const struct field issued_fields[];

/* Scopes and label of new credentials. */
struct issue_want {
	const char *scopes; /* NULL: all */
	const char *label;  /* NULL: the key's first characters */
};

/* An API key and a client pair for an account, in the caller's transaction. */
enum err credential_issue_credentials(struct db *, struct arena *, const char *account,
    const struct issue_want *, struct issued *) MUST_CHECK;
/* Issue an API key; c: its label, scopes and expiry; the other members are set. */
enum err credential_issue_key(struct db *, struct arena *, const char *account,
    struct credential *c, const char **api_key) MUST_CHECK;
/*
 * Issue a sign-in link: a credential that is valid once, for LINK_S seconds; *secret:
 * its text. It signs in the oldest owner.
 */
#define LINK_S 86400
enum err credential_issue_link(struct db *, struct arena *, const char *account,
    const char *scopes, const char **secret) MUST_CHECK;
/*
 * Issue an invitation of a member: a credential that is valid once, for INVITE_S
 * seconds. Earlier ones are void.
 */
#define INVITE_S (7 * 86400)
enum err credential_issue_invitation(
    struct db *, struct arena *, const struct member *, const char **secret) MUST_CHECK;
/* Issue a credential for credential_exchange() in the same transaction. */
enum err credential_issue_sign_in(
    struct db *, struct arena *, const struct member *, struct credential *) MUST_CHECK;
/* Returns 256 random bits as text. */
const char *credential_secret(struct arena *);
/* Create an account with an owner, credentials and starting credits, in the caller's
   transaction.  want NULL: no credentials; a link signs the owner in. */
enum err credential_issue_account(struct db *, struct arena *, const struct conf *,
    const char *name, const struct issue_want *, struct issued *) MUST_CHECK;

#endif
