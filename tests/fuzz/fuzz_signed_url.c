/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signed addresses, as lines "blob\nexpires\nsignature". A signature "S" is replaced by
 * the right one. Only an address with the right signature is accepted, and only until
 * it expires.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"
#include "blob/signed_url.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define NOW_S INT64_C(1795169924)

static const char *
right(const struct conf *c, struct arena *mem, const char *blob, const char *expires)
{
	const char *text = arena_printf(mem, "%s\n%s", blob, expires);
	unsigned char sum[SHA256_BYTES];

	hmac(c->link_key, sizeof(c->link_key), text, strlen(text), sum);
	return base64url(mem, sum, sizeof(sum));
}

/* An address that we sign is valid until its expiry. */
static void
make(const struct conf *c, struct arena *mem, const char *blob)
{
	const char *url = signed_url_make(c, mem, blob, NOW_S * S_US);
	const char *expires = strstr(url, "?expires="), *signature;

	if (expires == NULL)
		return; /* not a name that the store makes */
	expires += strlen("?expires=");
	if ((signature = strstr(expires, "&signature=")) == NULL ||
	    signed_url_left(c, mem, blob,
		arena_dup(mem, expires, (size_t)(signature - expires)),
		signature + strlen("&signature="), NOW_S * S_US) != c->blob_url_s)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct conf c = { .server_base_url = "https://x", .blob_url_s = 900 };
	char *save, *s = arena_dup(mem, (const char *)data, size);
	const char *blob = strtok_r(s, "\n", &save);
	const char *expires = strtok_r(NULL, "\n", &save);
	const char *given = strtok_r(NULL, "", &save);
	int64_t left;

	memset(c.link_key, 7, sizeof(c.link_key));
	if (blob != NULL) {
		if (given != NULL && strcmp(given, "S") == 0)
			given = right(&c, mem, blob, expires);
		left = signed_url_left(&c, mem, blob, expires, given, NOW_S * S_US);
		if (left < 0 ||
		    (left > 0 &&
			(strtoll(expires, NULL, 10) != NOW_S + left ||
			    strcmp(given, right(&c, mem, blob, expires)) != 0)))
			abort();
		if (strpbrk(blob, "?&=") == NULL)
			make(&c, mem, blob);
	}
	arena_free(mem);
	return 0;
}
