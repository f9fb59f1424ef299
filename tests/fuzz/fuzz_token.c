/*
 * API tokens: as sent, and as header and claims, parted by a newline, that are
 * signed as they should be.  Only a token of all the right claims is good.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/token.h"

#define SECRET "a-secret-for-fuzzing"
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *text = arena_dup(mem, (const char *)data, size);
	const char *token = signed_token(mem, text, strcspn(text, "\n"));
	struct api_token to;

	if (token_check(mem, text, "k:other x:" SECRET, "dragoman", NOW_US, &to))
		abort(); /* nobody guesses the signature */
	if (token_check(mem, token, "k:other x:" SECRET, "dragoman", NOW_US, &to) &&
	    (strstr(text, "HS256") == NULL || to.sub == NULL || to.scope == NULL))
		abort();
	arena_free(mem);
	return 0;
}
