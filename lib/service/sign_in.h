/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_SIGN_IN_H
#define SERVICE_SIGN_IN_H

#include "store/credentials.h"

/*
 * Browsers that stay signed in.  Each has a refresh token, which is replaced at each
 * use, and a cookie that scripts cannot read: both are needed.
 */
#define SIGN_IN_S (30 * 86400) /* a sign-in ends after this time without a use */
#define SIGN_IN_TOKEN_S 43200  /* seconds that its API tokens are valid */

/* Make the next refresh token of a sign-in; sets its hash, and when it ends. */
const char *sign_in_refresh_token(struct arena *, struct sign_in *);

/*
 * Use a refresh token. cookie: that of the browser, or NULL. OK: *next is the next one,
 * in a transaction that the caller commits; NULL: another tab of the browser has used
 * the token moments ago, and has the next one. ERR_NOT_FOUND: there is no such sign-in,
 * or not in this browser. ERR_REFUSED: the token was used before, so one of its users
 * has stolen it; the sign-in has ended.
 */
enum err sign_in_use(struct db *, struct arena *, const char *token, const char *cookie,
    struct sign_in *, const char **next) MUST_CHECK;

#endif
