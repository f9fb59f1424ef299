/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/base64.h"

#include <openssl/evp.h>
#include <stdint.h>
#include <string.h>

const char *
base64(struct arena *mem, const void *p, size_t n)
{
	char *to = arena_alloc(mem, (n + 2) / 3 * 4 + 1);

	EVP_EncodeBlock((unsigned char *)to, p, (int)n);
	return to;
}

const char *
base64url(struct arena *mem, const void *p, size_t n)
{
	char *to = arena_str(mem, base64(mem, p, n));

	for (char *s = to; *s != '\0'; s++)
		*s = (char)(*s == '+' ? '-' : *s == '/' ? '_' : *s);
	to[strcspn(to, "=")] = '\0';
	return to;
}

static int
sextet(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

unsigned char *
base64_read(struct arena *mem, const char *s, size_t n, size_t *bytes)
{
	unsigned char *to = arena_alloc(mem, n / 4 * 3 + 4);
	uint32_t bits = 0;
	int v;

	for (int pad = 0;
	     pad < 2 && n > 0 && n % 4 == (pad ? 3u : 0u) && s[n - 1] == '='; pad++)
		n--;
	if (n % 4 == 1)
		return NULL;
	*bytes = 0;
	for (size_t i = 0; i < n; i++) {
		if ((v = sextet(s[i])) < 0)
			return NULL;
		bits = bits << 6 | (uint32_t)v;
		if (i % 4 != 0)
			to[(*bytes)++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
	}
	return to;
}
