#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *
buf_room(struct buf *b, size_t n)
{
	size_t cap = (b->len + n) * 2;
	char *p;

	if (b->cap - b->len < n) {
		b->cap = cap < 256 ? 256 : cap;
		p = arena_alloc(b->mem, b->cap);
		if (b->len > 0)
			memcpy(p, b->p, b->len);
		b->p = p;
	}
	return b->p + b->len;
}

void
buf_put(struct buf *b, const void *p, size_t n)
{
	if (n == 0)
		return;
	memcpy(buf_room(b, n), p, n);
	b->len += n;
}

void
buf_str(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	va_start(ap, fmt);
	vsnprintf(buf_room(b, (size_t)n + 1), (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

const char *
buf_text(struct buf *b)
{
	*buf_room(b, 1) = '\0';
	return b->p;
}
