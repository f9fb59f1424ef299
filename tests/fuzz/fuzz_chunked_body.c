/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A body in chunks. The first byte selects the sizes of the pieces in which it arrives,
 * which must not change what is decoded.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "web/chunked_body.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static struct buf
decode(struct arena *mem, const uint8_t *data, size_t size, size_t piece, int *state)
{
	struct buf to = { .mem = mem };
	struct chunked_body k = { 0 };

	for (size_t at = 0, n; at < size; at += n) {
		n = size - at < piece ? size - at : piece;
		char *bytes = arena_dup(mem, (const char *)data + at, n);
		size_t got = chunked_body_decode(&k, bytes, n);

		if (got > n)
			abort();
		buf_put(&to, bytes, got);
	}
	*state = (int)k.state;
	return to;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	int state, other;
	struct buf all, parts;

	if (size > 0) {
		all = decode(mem, data + 1, size - 1, size, &state);
		parts = decode(mem, data + 1, size - 1, data[0] % 32 + 1, &other);
		if (state != other || all.len != parts.len ||
		    (all.len > 0 && memcmp(all.p, parts.p, all.len) != 0))
			abort();
	}
	arena_free(mem);
	return 0;
}
