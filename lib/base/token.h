#ifndef BASE_TOKEN_H
#define BASE_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* An API token: JWT (RFC 7519), HS256 and nothing else. */
struct api_token {
	const char *sub;   /* user_id */
	const char *scope; /* space-separated; "" when absent */
};

/*
 * Check signature, iss, aud (dragoman-api), exp (required, at most a day
 * ahead), nbf and iat, with 30 s of leeway.  secrets: "KID:SECRET KID:SECRET".
 */
bool token_check(struct arena *, const char *token, const char *secrets,
    const char *issuer, int64_t now_us, struct api_token *);
/* A token signed by the first secret, good for ttl_s from now. */
const char *token_make(struct arena *, const char *secrets, const char *issuer,
    int64_t now_us, int64_t ttl_s, const struct api_token *);

#endif
