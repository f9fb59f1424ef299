/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blob/sigv4.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"

#define DAY 8 /* characters of a stamp */

void
sigv4_stamp(int64_t us, char to[SIGV4_STAMP])
{
	char text[TIME_TEXT];
	const char *s = time_text(us, text);
	char *end = to + SIGV4_STAMP - 1;

	assert(s != NULL);
	for (; *s != '\0' && to < end; s++)
		if (*s != '-' && *s != ':')
			*to++ = *s;
	*to = '\0';
}

static const char *
scope(struct arena *mem, const struct sigv4 *v, const char *stamp)
{
	return arena_printf(mem, "%.*s/%s/s3/aws4_request", DAY, stamp, v->region);
}

const char *
sigv4_credential(struct arena *mem, const struct sigv4 *v, const char *stamp)
{
	return arena_printf(mem, "%s/%s", v->access_key, scope(mem, v, stamp));
}

const char *
sigv4_sign(
    struct arena *mem, const struct sigv4 *v, const char *stamp, const char *text)
{
	const char *secret = arena_printf(mem, "AWS4%s", v->secret);
	unsigned char key[SHA256_BYTES], next[SHA256_BYTES];
	const char *const steps[] = { v->region, "s3", "aws4_request", text };

	hmac(secret, strlen(secret), stamp, strnlen(stamp, DAY), key);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		hmac(key, sizeof(key), steps[i], strlen(steps[i]), next);
		memcpy(key, next, sizeof(key));
	}
	return hex(mem, key, sizeof(key));
}

const char *
sigv4_encode(struct arena *mem, const char *s, bool slash)
{
	struct buf b = { .mem = mem };

	for (; *s != '\0'; s++)
		if (isalnum((unsigned char)*s) || strchr("-._~", *s) != NULL ||
		    (slash && *s == '/'))
			buf_put(&b, s, 1);
		else
			buf_printf(&b, "%%%02X", (unsigned char)*s);
	return buf_text(&b);
}

static void
put_param(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, "%s%s=%s", b->len > 0 ? "&" : "",
	    sigv4_encode(b->mem, name, false), sigv4_encode(b->mem, value, false));
}

static const char *
query_of(struct arena *mem, const struct sigv4 *v, const struct sigv4_call *c,
    const char *stamp)
{
	struct buf b = { .mem = mem };

	put_param(&b, "X-Amz-Algorithm", SIGV4_ALGORITHM);
	put_param(&b, "X-Amz-Credential", sigv4_credential(mem, v, stamp));
	put_param(&b, "X-Amz-Date", stamp);
	put_param(
	    &b, "X-Amz-Expires", arena_printf(mem, "%lld", (long long)c->seconds));
	put_param(&b, "X-Amz-SignedHeaders", "host");
	for (size_t i = 0; i < c->nparams; i++)
		put_param(&b, c->params[i].name, c->params[i].value);
	return buf_text(&b);
}

const char *
sigv4_url(struct arena *mem, const struct sigv4 *v, const struct sigv4_call *c)
{
	const char *host = strstr(c->url, "://"), *path, *query, *request, *text;
	char stamp[SIGV4_STAMP];

	assert(host != NULL && c->seconds > 0 && c->seconds <= SIGV4_MAX_S);
	host += 3;
	path = host + strcspn(host, "/");
	sigv4_stamp(c->now_us, stamp);
	query = query_of(mem, v, c, stamp);
	request = arena_printf(mem, "%s\n%s\n%s\nhost:%.*s\n\nhost\nUNSIGNED-PAYLOAD",
	    c->method, *path != '\0' ? path : "/", query, (int)(path - host), host);
	text = arena_printf(mem, SIGV4_ALGORITHM "\n%s\n%s\n%s", stamp,
	    scope(mem, v, stamp), hash_hex(mem, request, strlen(request)));
	return arena_printf(mem, "%s?%s&X-Amz-Signature=%s", c->url, query,
	    sigv4_sign(mem, v, stamp, text));
}
