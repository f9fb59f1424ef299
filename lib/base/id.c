/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/id.h"

#include <ctype.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

static const char *
write_uuid(struct arena *mem, unsigned char b[16])
{
	char *to = arena_alloc(mem, sizeof("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"));
	const char *h;
	size_t n = 0;

	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	h = hex(mem, b, 16);
	for (size_t i = 0; i < 32; i++) {
		if (i >= 8 && i <= 20 && i % 4 == 0)
			to[n++] = '-';
		to[n++] = h[i];
	}
	return to;
}

const char *
id_new(struct arena *mem)
{
	unsigned char b[16];

	random_bytes(b, sizeof(b));
	return write_uuid(mem, b);
}

const char *
id_derived(struct arena *mem, const char *from, const char *role)
{
	unsigned char sum[SHA256_BYTES];

	hmac(from, strlen(from), role, strlen(role), sum);
	return write_uuid(mem, sum);
}

const char *
id_of_phrase(struct arena *mem, int64_t at_us)
{
	uint32_t any;

	random_bytes(&any, sizeof(any));
	return arena_printf(mem, "%011llx%05x",
	    (unsigned long long)(at_us / 1000) & 0xfffffffffff, any & 0xfffff);
}

static bool
is_uuid(const char *s)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t i = 0;

	for (; form[i] != '\0'; i++)
		if (form[i] == '-' ? s[i] != '-' : !isxdigit((unsigned char)s[i]))
			return false;
	return s[i] == '\0';
}

const char *
id_read(struct arena *mem, const char *s)
{
	return is_uuid(s) ? text_lower(mem, s) : NULL;
}

const char *
id_check(const char *s)
{
	return is_uuid(s) ? NULL : "must be a uuid";
}
