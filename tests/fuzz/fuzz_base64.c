/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Base64, both ways. Any bytes must survive encoding and decoding, in either alphabet,
 * with and without padding. A text must be accepted exactly when RFC 4648 allows it: no
 * foreign character, the right padding or none, a possible length.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
expect(struct arena *mem, const char *text, size_t n, const uint8_t *data, size_t size)
{
	size_t bytes;
	const unsigned char *p = base64_read(mem, arena_dup(mem, text, n), n, &bytes);

	if (p == NULL || bytes != size || (size > 0 && memcmp(p, data, size) != 0))
		abort();
}

static void
write_and_read(struct arena *mem, const uint8_t *data, size_t size)
{
	const char *padded = base64(mem, data, size), *url = base64url(mem, data, size);
	size_t n = strcspn(padded, "=");

	if (strlen(padded) != (size + 2) / 3 * 4 || strlen(url) != n ||
	    strpbrk(padded, "-_") != NULL || strpbrk(url, "+/=") != NULL)
		abort();
	expect(mem, padded, strlen(padded), data, size);
	expect(mem, padded, n, data, size);
	expect(mem, url, n, data, size);
}

/* Number of leading characters that belong to the alphabets. */
static size_t
count_letters(const uint8_t *s, size_t n)
{
	static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789+/-_";
	size_t k = 0;

	while (k < n && s[k] != '\0' && strchr(all, s[k]) != NULL)
		k++;
	return k;
}

static bool
is_base64(const uint8_t *s, size_t n, size_t k)
{
	for (size_t i = k; i < n; i++)
		if (s[i] != '=')
			return false;
	return k == n ? k % 4 != 1 : n % 4 == 0 && n - k <= 2;
}

/* Compares the letters, except for unused bits of the last one. */
static void
same_again(const char *again, const uint8_t *s, size_t k)
{
	for (size_t i = 0; i + (k % 4 != 0) < k; i++) {
		char c = s[i] == '-' ? '+' : s[i] == '_' ? '/' : (char)s[i];

		if (again[i] != c)
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	size_t k = count_letters(data, size), bytes;
	const unsigned char *p = base64_read(mem, (const char *)data, size, &bytes);

	if ((p != NULL) != is_base64(data, size, k))
		abort();
	if (p != NULL && bytes != k * 3 / 4)
		abort();
	if (p != NULL)
		same_again(base64(mem, p, bytes), data, k);
	write_and_read(mem, data, size);
	arena_free(mem);
	return 0;
}
