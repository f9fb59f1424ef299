#ifndef STORE_ANSWERS_H
#define STORE_ANSWERS_H

#include "db/db.h"

/* An answer kept for its Idempotency-Key. */
struct answer {
	const char *account, *route, *key; /* what it is kept under */
	const char *body_hash;             /* of the request */
	int64_t status;
	const char *head; /* header lines, each with CRLF */
	const char *body;
	int64_t expires_us;
};

extern const struct sql answer_sql[];

/* account, route and key say which; ERR_NOT_FOUND: none, or it has expired. */
enum err answer_get(struct db *, struct arena *, struct answer *) MUST_CHECK;
/* Inside the transaction of its effect.  ERR_CONFLICT: someone was faster. */
enum err answer_put(struct db *, const struct answer *) MUST_CHECK;
/* At most so many; *n counts them. */
enum err answer_expire(struct db *, int64_t now_us, int most, int64_t *n) MUST_CHECK;

#endif
