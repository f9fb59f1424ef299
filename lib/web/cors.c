/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cross-origin rules (the Fetch standard).  Credentials are headers, never cookies, so
 * any origin may be allowed.
 */
#include <string.h>
#include <strings.h>

#include "web/policy.h"

static bool
listed(const char *origins, const char *origin)
{
	size_t n;

	for (const char *s = origins; *s != '\0'; s += n) {
		s += strspn(s, " ");
		n = strcspn(s, " ");
		if (n == strlen(origin) && strncmp(s, origin, n) == 0)
			return true;
	}
	return false;
}

void
cors_headers(struct request *rq)
{
	const char *origin;

	if (strcmp(rq->conf->cors_origins, "*") == 0)
		buf_str(&rq->common, "Access-Control-Allow-Origin: *\r\n");
	else {
		origin = rq->param(rq, "HTTP_ORIGIN");
		buf_str(&rq->common, "Vary: Origin\r\n");
		if (origin == NULL || !listed(rq->conf->cors_origins, origin))
			return;
		buf_printf(&rq->common, "Access-Control-Allow-Origin: %s\r\n", origin);
	}
	buf_str(&rq->common,
	    "Access-Control-Expose-Headers: X-Request-Id, ETag, Link, Location, "
	    "RateLimit, RateLimit-Policy, Retry-After, Deprecation, Sunset, "
	    "Idempotency-Replayed, WWW-Authenticate\r\n");
}

#define HEADERS                                                                        \
	"Authorization, ClientID, ClientSecret, Content-Type, If-Match, "              \
	"If-None-Match, Idempotency-Key, Prefer, X-Request-Id, Range"
#define ASKED_BYTES 2048
#define TOKEN                                                                          \
	"!#$%&'*+-.^_`|~0123456789"                                                    \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* True if the list, separated by ", ", contains this name in any case. */
static bool
names(const char *list, const char *name, size_t n)
{
	size_t one;

	for (; *list != '\0'; list += one + strspn(list + one, ", ")) {
		one = strcspn(list, ",");
		if (one == n && strncasecmp(list, name, n) == 0)
			return true;
	}
	return false;
}

/*
 * Our headers, and every other one that the browser requests: tracing tools add some.
 */
static const char *
allowed_headers(struct request *rq)
{
	const char *s = rq->param(rq, "HTTP_ACCESS_CONTROL_REQUEST_HEADERS");
	struct buf b = { .mem = rq->mem };
	size_t n;

	buf_str(&b, HEADERS);
	for (; s != NULL && *(s += strspn(s, ", \t")) != '\0'; s += n) {
		const char *end;

		n = strcspn(s, ",");
		for (end = s + n; end[-1] == ' ' || end[-1] == '\t';)
			end--;
		if (strspn(s, TOKEN) >= (size_t)(end - s) &&
		    !names(buf_text(&b), s, (size_t)(end - s)) &&
		    b.len + (size_t)(end - s) < sizeof(HEADERS) + ASKED_BYTES)
			buf_printf(&b, ", %.*s", (int)(end - s), s);
	}
	return buf_text(&b);
}

struct reply
cors_preflight(struct request *rq, const char *methods)
{
	header(rq, "Access-Control-Allow-Methods", "%s", methods);
	header(rq, "Access-Control-Allow-Headers", "%s", allowed_headers(rq));
	header(rq, "Access-Control-Max-Age", "600");
	return reply_empty(rq, 204);
}
