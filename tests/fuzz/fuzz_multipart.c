/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A multipart body. The first byte selects the sizes of the pieces in which the body
 * arrives, which must not change the result. The rest of the first line is the
 * request's Content-Type, the other lines are the body.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "web/multipart.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct body {
	const char *p;
	size_t n, piece;
};

static size_t
give(void *src, void *to, size_t n)
{
	struct body *b = src;

	n = n > b->piece ? b->piece : n;
	n = n > b->n ? b->n : n;
	memcpy(to, b->p, n);
	b->p += n;
	b->n -= n;
	return n;
}

/* Reads the whole body; returns the parts and the result. */
static struct buf
read_all(struct arena *mem, const char *type, struct body body)
{
	struct buf to = { .mem = mem };
	struct multipart_part part;
	struct multipart *m;
	const char *p;
	size_t n;
	enum err e;

	if ((e = multipart_open(mem, type, give, &body, &m)) == OK)
		while ((e = multipart_next(m, &part)) == OK) {
			buf_printf(&to, "%s,%s,%s=", part.name,
			    part.filename != NULL ? part.filename : "",
			    part.type != NULL ? part.type : "");
			if (part.filename == NULL) {
				if (multipart_text(m, &p, &n) == OK)
					buf_put(&to, p, n);
			} else
				while (multipart_bytes(m, &p, &n) == OK && n > 0)
					buf_put(&to, p, n);
		}
	buf_printf(&to, "%d", (int)e);
	return to;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *s = (const char *)data + 1, *line;
	struct arena *mem;
	struct buf a, b;

	if (n == 0 || (line = memchr(s, '\n', n - 1)) == NULL)
		return 0;
	mem = arena_new();
	s = arena_dup(mem, s, (size_t)(line - s));
	n -= (size_t)(line + 1 - (const char *)data);
	a = read_all(mem, s, (struct body){ line + 1, n, data[0] % 16 + 1u });
	b = read_all(mem, s, (struct body){ line + 1, n, 1 << 20 });
	if (a.len != b.len || memcmp(a.p, b.p, a.len) != 0)
		abort();
	arena_free(mem);
	return 0;
}
