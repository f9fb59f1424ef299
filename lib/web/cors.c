/*
 * Cross-origin rules (the Fetch standard).  Credentials are headers, never
 * cookies, so any origin may be let in.
 */
#include <string.h>

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

struct reply
cors_preflight(struct request *rq, const char *methods)
{
	header(rq, "Access-Control-Allow-Methods", "%s", methods);
	header(rq, "Access-Control-Allow-Headers",
	    "Authorization, ClientID, ClientSecret, Content-Type, If-Match, "
	    "If-None-Match, Idempotency-Key, Prefer, X-Request-Id, Range");
	header(rq, "Access-Control-Max-Age", "600");
	return reply_empty(rq, 204);
}
