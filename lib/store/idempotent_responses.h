#ifndef STORE_IDEMPOTENT_RESPONSES_H
#define STORE_IDEMPOTENT_RESPONSES_H

#include "db/db.h"

/* An answer kept for its Idempotency-Key. */
struct idempotent_response {
	const char *account, *owner, *route, *key; /* what it is kept under */
	const char *body_hash;                     /* of the request */
	int64_t status;
	const char *head; /* header lines, each with CRLF */
	const char *body;
	int64_t expires_us;
};

extern const struct sql idempotent_response_sql[];

/* account, owner, route and key say which; ERR_NOT_FOUND: none, or it has expired. */
enum err idempotent_response_get(
    struct db *, struct arena *, struct idempotent_response *) MUST_CHECK;
/* Inside the transaction of its effect.  ERR_CONFLICT: someone was faster. */
enum err idempotent_response_put(
    struct db *, const struct idempotent_response *) MUST_CHECK;
/* At most so many; *n counts them. */
enum err idempotent_response_expire(
    struct db *, int64_t now_us, int most, int64_t *n) MUST_CHECK;

#endif
