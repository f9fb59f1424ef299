/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *
buf_grow(struct buf *b, size_t n)
{
	size_t cap = (b->len + n) * 2;

	cap = cap < 256 ? 256 : cap;
	b->p = arena_grow(b->mem, b->p, b->cap, cap);
	b->cap = cap;
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
buf_int(struct buf *b, int64_t i)
{
	char digits[20], *end = digits + sizeof(digits), *at = end;
	uint64_t n = i < 0 ? -(uint64_t)i : (uint64_t)i;

	do
		*--at = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	if (i < 0)
		*--at = '-';
	buf_put(b, at, (size_t)(end - at));
}

void
buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	size_t room = b->cap - b->len;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(room > 0 ? b->p + b->len : NULL, room, fmt, ap);
	if (n < 0)
		abort();
	if ((size_t)n >= room)
		vsnprintf(buf_room(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
	va_end(again);
	b->len += (size_t)n;
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

const char *
buf_text(struct buf *b)
{
	*buf_room(b, 1) = '\0';
	return b->p;
}
