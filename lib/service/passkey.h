/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_PASSKEY_H
#define SERVICE_PASSKEY_H

#include "base/conf.h"
#include "base/json.h"
#include "store/members.h"
#include "store/passkeys.h"

/*
 * Passkeys by WebAuthn level 2: no attestation, user verification required.  A
 * challenge is signed instead of stored, so asking for one takes nothing; it is valid
 * for five minutes, and once, as a passkey answers no challenge older than its last
 * one.
 */
#define PASSKEY_CHALLENGE_S 300

/* The relying party's id, which is the host of server.base_url; NULL: passkeys need an
   address with https and a name. */
const char *passkey_host(struct arena *, const struct conf *);
/* The options of navigator.credentials.create() for a member with these passkeys, or of
   .get() if m is NULL, as JSON. */
const char *passkey_options(struct arena *, const struct conf *, const struct member *m,
    const struct list *had);
/*
 * Read the answer of create(), as JSON; member: the one that asked for the options.
 * OK: *to is the passkey without account and name.  ERR_REFUSED: *why is a sentence.
 */
enum err passkey_made(struct arena *, const struct conf *, const char *member,
    const struct json *sent, struct passkey *to, const char **why) MUST_CHECK;
/* Check the answer of get() with a stored passkey; set its sign_count and challenge_us.
   ERR_REFUSED: *why is a sentence. */
enum err passkey_check(struct arena *, const struct conf *, const struct json *sent,
    struct passkey *, const char **why) MUST_CHECK;

#endif
