/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blob/signed_url.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"

static const char *
sign(const struct conf *c, struct arena *mem, const char *blob_id, const char *expires)
{
	const char *text = arena_printf(mem, "%s\n%s", blob_id, expires);
	unsigned char sum[SHA256_BYTES];

	hmac(c->link_key, sizeof(c->link_key), text, strlen(text), sum);
	return base64url(mem, sum, sizeof(sum));
}

const char *
signed_url_make(
    const struct conf *c, struct arena *mem, const char *blob_id, int64_t now)
{
	long long until = now / S_US + c->blob_url_s;
	const char *expires = arena_printf(mem, "%lld", until);

	return arena_printf(mem, "%s/blobs/%s?expires=%s&signature=%s",
	    c->server_base_url, blob_id, expires, sign(c, mem, blob_id, expires));
}

int64_t
signed_url_left(const struct conf *c, struct arena *mem, const char *blob_id,
    const char *expires, const char *signature, int64_t now)
{
	const char *good;
	int64_t until;
	size_t n;

	if (expires == NULL || signature == NULL)
		return 0;
	n = strlen(expires);
	if (n == 0 || n > 12 || strspn(expires, "0123456789") != n)
		return 0;
	good = sign(c, mem, blob_id, expires);
	if (strlen(signature) != strlen(good) ||
	    !same_bytes(signature, good, strlen(good)))
		return 0;
	until = strtoll(expires, NULL, 10);
	return until > now / S_US ? until - now / S_US : 0;
}
