/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIVEKIT_TOKEN_H
#define TESTS_LIVEKIT_TOKEN_H

/* Makes tokens as LiveKit's own tools do. */
#include <string.h>

#include "base/base64.h"
#include "base/hash.h"

/*
 * keys: "ISSUER:SECRET ...", of which the first signs; claims: the members after iss.
 */
static inline const char *
livekit_token(struct arena *mem, const char *keys, const char *claims)
{
	static const char head[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
	size_t issuer = strcspn(keys, ":"), secret = strcspn(keys + issuer, " ");
	const char *body = arena_printf(
	    mem, "{\"iss\":\"%s\",%s}", arena_dup(mem, keys, issuer), claims);
	const char *text = arena_printf(mem, "%s.%s",
	    base64url(mem, head, sizeof(head) - 1), base64url(mem, body, strlen(body)));
	unsigned char mac[SHA256_BYTES];

	hmac(keys + issuer + 1, secret - 1, text, strlen(text), mac);
	return arena_printf(mem, "%s.%s", text, base64url(mem, mac, sizeof(mac)));
}

#endif
