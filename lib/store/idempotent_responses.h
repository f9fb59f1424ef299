/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_IDEMPOTENT_RESPONSES_H
#define STORE_IDEMPOTENT_RESPONSES_H

#include "db/db.h"

/* A response that is stored for its Idempotency-Key. */
struct idempotent_response {
	const char *account, *owner, *route, *key; /* the key of its row */
	const char *body_hash;                     /* hash of the request's body */
	int64_t status;
	const char *head; /* header lines, each with CRLF */
	const char *body;
	int64_t expires_us;
};

extern const struct sql idempotent_response_sql[];

/* Read the response with this account, owner, route and key.  ERR_NOT_FOUND: none, or
   it has expired. */
enum err idempotent_response_get(
    struct db *, struct arena *, struct idempotent_response *) MUST_CHECK;
/* Store the response in the transaction of its effect.  ERR_CONFLICT: another request
   with this key was faster. */
enum err idempotent_response_put(
    struct db *, const struct idempotent_response *) MUST_CHECK;
/* Delete at most `most` expired responses; *n is their number. */
enum err idempotent_response_expire(
    struct db *, int64_t now_us, int most, int64_t *n) MUST_CHECK;

#endif
