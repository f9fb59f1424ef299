/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * API tokens and stream tokens. The input is tried as a token, and as header and claims
 * (separated by a newline) that are then signed correctly. A token must be refused
 * unless all claims are right, and unless its spelling is the signed one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/token.h"

#define SECRET "a-secret-for-fuzzing"
#define KEYS "k:other x:" SECRET
#define NOW_US (1795169924 * S_US)

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char *
signed_token(struct arena *mem, const char *head, size_t n)
{
	const char *claims = head[n] == '\n' ? head + n + 1 : "";
	const char *text = arena_printf(mem, "%s.%s", base64url(mem, head, n),
	    base64url(mem, claims, strlen(claims)));
	unsigned char mac[SHA256_BYTES];

	hmac(SECRET, strlen(SECRET), text, strlen(text), mac);
	return arena_printf(mem, "%s.%s", text, base64url(mem, mac, sizeof(mac)));
}

static bool
is_api(struct arena *mem, const char *token)
{
	struct api_token to;

	if (!token_check(mem, token, KEYS, "dragoman", NOW_US, &to))
		return false;
	if (to.sub == NULL || to.scope == NULL)
		abort();
	return true;
}

static bool
is_stream(struct arena *mem, const char *token)
{
	struct stream_token to;

	if (!stream_token_check(mem, token, KEYS, NOW_US, &to))
		return false;
	if (to.role > (to.sid != NULL ? STREAM_LISTENER : STREAM_SUBSCRIBER) ||
	    to.expires_us <= NOW_US - 60 * S_US)
		abort();
	return true;
}

static void
refuse(struct arena *mem, const char *token)
{
	if (is_api(mem, token) || is_stream(mem, token))
		abort(); /* a valid signature cannot be guessed */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *text = arena_dup(mem, (const char *)data, size);
	const char *token = signed_token(mem, text, strcspn(text, "\n"));
	char *other = arena_str(mem, token);
	bool api = is_api(mem, token), stream = is_stream(mem, token);

	if ((api || stream) && strpbrk(text, "\\") == NULL &&
	    strstr(text, "HS256") == NULL)
		abort();
	if (api && stream)
		abort();
	refuse(mem, text);
	other[strlen(other) - 1] ^= 1; /* nearly always still a letter or digit */
	refuse(mem, other);
	arena_free(mem);
	return 0;
}
