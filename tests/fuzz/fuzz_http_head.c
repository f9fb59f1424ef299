/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heads of HTTP requests. Fields that were read can be written again, and contain no
 * line end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "web/http_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
check(const char *s)
{
	if (strpbrk(s, "\r\n") != NULL)
		abort();
}

/* Write the parsed head and read it again. */
static void
read_again(struct arena *mem, const struct http_head *h)
{
	struct buf b = { .mem = mem };
	struct http_head again;

	buf_printf(&b, "%s %s HTTP/1.1\r\n", h->method, h->target);
	for (size_t i = 0; i < h->n; i++)
		buf_printf(&b, "%s: %s\r\n", h->lines[i].name, h->lines[i].value);
	buf_str(&b, "\r\n");
	if (http_head_length(b.p, b.len) != b.len ||
	    !http_head_read(mem, b.p, b.len, &again) || again.n != h->n ||
	    strcmp(again.target, h->target) != 0)
		abort();
	for (size_t i = 0; i < h->n; i++)
		if (strcmp(again.lines[i].value, h->lines[i].value) != 0)
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *s = arena_dup(mem, (const char *)data, size);
	size_t n = http_head_length(s, size);
	struct http_head h;

	if (n > 0 && n <= HTTP_HEAD_BYTES && http_head_read(mem, s, n, &h)) {
		check(h.method);
		check(h.target);
		for (size_t i = 0; i < h.n; i++) {
			check(h.lines[i].name);
			check(h.lines[i].value);
			if (http_head_get(&h, h.lines[i].name) == NULL)
				abort();
		}
		http_head_lists(&h, "Connection", "upgrade");
		http_head_get_cgi(&h, "HTTP_X_FORWARDED_FOR");
		read_again(mem, &h);
	}
	arena_free(mem);
	return 0;
}
