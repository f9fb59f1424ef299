/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_writer.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"

static void
escape(struct buf *b, unsigned char c)
{
	static const char letters[] = "btn-fr"; /* letters of \b to \r */

	if (c == '"' || c == '\\')
		buf_printf(b, "\\%c", c);
	else if (c >= '\b' && c <= '\r' && c != '\v')
		buf_printf(b, "\\%c", letters[c - '\b']);
	else
		buf_printf(b, "\\u%04x", c);
}

static bool
is_plain(unsigned char c)
{
	return c >= 0x20 && c != '"' && c != '\\';
}

/* A vector of sixteen bytes. */
typedef unsigned char block __attribute__((vector_size(16)));

/* Marks the bytes that must be escaped. */
static inline block
odd(block b)
{
	return (block)((b < 0x20) | (b == '"') | (b == '\\'));
}

/*
 * Copy up to twice `half` bytes, but at least `half`, as two blocks that may overlap.
 */
static inline block
copy_ends(char *to, const char *s, size_t n, size_t half)
{
	block b = { ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ',
		' ', ' ', ' ' };

	memcpy(&b, s, half);
	memcpy((char *)&b + half, s + n - half, half);
	memcpy(to, s, half);
	memcpy(to + n - half, s + n - half, half);
	return odd(b);
}

static inline block
copy_block(char *to, const char *s)
{
	block b;

	memcpy(&b, s, sizeof(b));
	memcpy(to, &b, sizeof(b));
	return odd(b);
}

/* Copy n bytes.  True if none of them must be escaped. */
static bool
copy_plain(char *to, const char *s, size_t n)
{
	block some = { 0 };
	uint64_t w[2];

	if (n > 16) {
		some = copy_block(to + n - 16, s + n - 16);
		for (size_t i = 0; i + 16 < n; i += 16)
			some |= copy_block(to + i, s + i);
	} else if (n >= 8)
		some = copy_ends(to, s, n, 8);
	else if (n >= 4)
		some = copy_ends(to, s, n, 4);
	else if (n >= 2)
		some = copy_ends(to, s, n, 2);
	else if (n == 1)
		some = copy_ends(to, s, n, 1);
	memcpy(w, &some, sizeof(w));
	return (w[0] | w[1]) == 0;
}

/* Write a value, and keep room for `more` bytes after it. */
static __attribute__((noinline)) char *
escape_some(struct buf *b, char *to, const char *s, size_t n, size_t more)
{
	b->len = (size_t)(to - b->p);
	for (const char *end = s + n, *run = s; s < end; run = s) {
		while (s < end && is_plain((unsigned char)*s))
			s++;
		buf_put(b, run, (size_t)(s - run));
		if (s < end)
			escape(b, (unsigned char)*s++);
	}
	return buf_room(b, more);
}

/*
 * Write at the end of b, which has room for it and `more` bytes.  Returns the new end.
 */
static inline char *
quote(struct buf *b, char *to, const char *s, size_t n, size_t more)
{
	*to++ = '"';
	to = copy_plain(to, s, n) ? to + n : escape_some(b, to, s, n, more + 1);
	*to++ = '"';
	return to;
}

/*
 * Put the comma and the key that precede a value.  Returns a place with room for n
 * bytes.
 */
static inline char *
value(struct json_writer *j, const char *key, size_t n)
{
	size_t length = key != NULL ? strlen(key) : 0;
	char *to = buf_room(j->out, length + 4 + n);

	if ((j->objects >> j->depth & 1) != (key != NULL))
		abort();
	if (j->some)
		*to++ = ',';
	j->some = true;
	if (key != NULL) {
		to = quote(j->out, to, key, length, n + 1);
		*to++ = ':';
	}
	return to;
}

static void
ends(struct json_writer *j, const char *at)
{
	j->out->len = (size_t)(at - j->out->p);
}

static void
push(struct json_writer *j, const char *key, bool obj)
{
	char *to = value(j, key, 1);

	*to = obj ? '{' : '[';
	ends(j, to + 1);
	if (++j->depth == 64)
		abort();
	j->some = false;
	j->objects &= ~(UINT64_C(1) << j->depth);
	j->objects |= (uint64_t)obj << j->depth;
}

void
jw_open(struct json_writer *j, const char *key)
{
	push(j, key, true);
}

void
jw_list(struct json_writer *j, const char *key)
{
	push(j, key, false);
}

void
jw_close(struct json_writer *j)
{
	if (j->depth == 0)
		abort();
	*buf_room(j->out, 1) = j->objects >> j->depth-- & 1 ? '}' : ']';
	j->out->len++;
	j->some = true;
}

void
jw_raw(struct json_writer *j, const char *key, const char *json)
{
	size_t n = strlen(json = json != NULL ? json : "null");
	char *to = value(j, key, n);

	memcpy(to, json, n);
	ends(j, to + n);
}

void
jw_null(struct json_writer *j, const char *key)
{
	jw_raw(j, key, NULL);
}

static inline __attribute__((always_inline)) void
text(struct json_writer *j, const char *key, const char *s, size_t n)
{
	ends(j, quote(j->out, value(j, key, n + 2), s, n, 0));
}

void
jw_textn(struct json_writer *j, const char *key, const char *s, size_t n)
{
	text(j, key, s, n);
}

void
jw_text(struct json_writer *j, const char *key, const char *s)
{
	if (s == NULL)
		jw_null(j, key);
	else
		text(j, key, s, strlen(s));
}

void
jw_int(struct json_writer *j, const char *key, int64_t i)
{
	if (i == NULL_INT) {
		jw_null(j, key);
		return;
	}
	ends(j, value(j, key, 0));
	buf_int(j->out, i);
}

/*
 * Write a number of up to six decimals. If this quotient of two whole numbers equals d,
 * its decimals are the shortest for d, because reading rounds in the same way.
 */
static bool
write_decimals(struct json_writer *j, const char *key, double d)
{
	double size = fabs(d);
	int64_t scale = 1, n = 0;

	if (!(size >= 1e-4 && size < 1e9))
		return false;
	for (n = (int64_t)size; (double)n / (double)scale != size;
	     n = llrint(size * (double)scale))
		if ((scale *= 10) > 1000000)
			return false;
	ends(j, value(j, key, 0));
	buf_str(j->out, d < 0 ? "-" : "");
	buf_int(j->out, n / scale);
	buf_str(j->out, scale > 1 ? "." : "");
	while ((n %= scale) > 0)
		buf_int(j->out, n / (scale /= 10));
	return true;
}

/* Write the shortest form that reads back as the same number. */
void
jw_real(struct json_writer *j, const char *key, double d)
{
	char num[32];
	int digits = 15;

	if (write_decimals(j, key, d))
		return;
	do
		snprintf(num, sizeof(num), "%.*g", digits, d);
	while (strtod(num, NULL) != d && ++digits <= 17);
	jw_raw(j, key, isfinite(d) ? num : NULL);
}

void
jw_bool(struct json_writer *j, const char *key, bool v)
{
	jw_raw(j, key, v ? "true" : "false");
}
