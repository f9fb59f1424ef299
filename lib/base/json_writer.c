#include "base/json_writer.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"

static void
put(struct buf *b, char c)
{
	*buf_room(b, 1) = c;
	b->len++;
}

static void
escape(struct buf *b, unsigned char c)
{
	static const char letters[] = "btn-fr"; /* of \b to \r */

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

/*
 * Do eight bytes stand for themselves?  Subtraction carries into the highest bit
 * of each byte that is less than 0x20, and of each that is nothing once it was
 * compared (S. E. Anderson, "Bit Twiddling Hacks", hasless).
 */
static bool
eight_plain(const char *s)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t w;

	memcpy(&w, s, sizeof(w));
	return (((w - ones * 0x20) | ((w ^ ones * '"') - ones) |
		    ((w ^ ones * '\\') - ones)) &
		   ~w & ones << 7) == 0;
}

/* How many bytes at s stand for themselves. */
static size_t
plain_bytes(const char *s, size_t n)
{
	size_t i = 0;

	while (i + 8 <= n && eight_plain(s + i))
		i += 8;
	if (n >= 8 && i + 8 > n && eight_plain(s + n - 8))
		return n;
	while (i < n && is_plain((unsigned char)s[i]))
		i++;
	return i;
}

static void
quote(struct buf *b, const char *s, size_t n)
{
	size_t run = plain_bytes(s, n);
	char *to = buf_room(b, run + 2);

	*to++ = '"';
	memcpy(to, s, run);
	b->len += run + 1;
	while (run < n) {
		escape(b, (unsigned char)s[run++]);
		s += run;
		n -= run;
		run = plain_bytes(s, n);
		buf_put(b, s, run);
	}
	put(b, '"');
}

/* Put the comma and the key that precede a value. */
static void
value(struct json_writer *j, const char *key)
{
	if (j->obj[j->depth] != (key != NULL))
		abort();
	if (j->some[j->depth])
		put(j->out, ',');
	j->some[j->depth] = true;
	if (key != NULL) {
		quote(j->out, key, strlen(key));
		put(j->out, ':');
	}
}

static void
push(struct json_writer *j, const char *key, bool obj)
{
	value(j, key);
	if (++j->depth == sizeof(j->some) / sizeof(j->some[0]))
		abort();
	j->some[j->depth] = false;
	j->obj[j->depth] = obj;
	put(j->out, obj ? '{' : '[');
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
	put(j->out, j->obj[j->depth--] ? '}' : ']');
}

void
jw_raw(struct json_writer *j, const char *key, const char *json)
{
	value(j, key);
	buf_str(j->out, json != NULL ? json : "null");
}

void
jw_null(struct json_writer *j, const char *key)
{
	jw_raw(j, key, NULL);
}

void
jw_textn(struct json_writer *j, const char *key, const char *s, size_t n)
{
	value(j, key);
	quote(j->out, s, n);
}

void
jw_text(struct json_writer *j, const char *key, const char *s)
{
	if (s == NULL)
		jw_null(j, key);
	else
		jw_textn(j, key, s, strlen(s));
}

void
jw_int(struct json_writer *j, const char *key, int64_t i)
{
	if (i == NULL_INT) {
		jw_null(j, key);
		return;
	}
	value(j, key);
	buf_int(j->out, i);
}

/* The shortest form that reads back as the same number. */
void
jw_real(struct json_writer *j, const char *key, double d)
{
	char num[32];
	int digits = 15;

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
