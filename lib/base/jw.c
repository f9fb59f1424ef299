#include "base/jw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"

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

static void
quote(struct buf *b, const char *s, size_t n)
{
	const char *end = s + n, *run = s;

	buf_put(b, "\"", 1);
	for (; s < end; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		buf_put(b, run, (size_t)(s - run));
		escape(b, c);
		run = s + 1;
	}
	buf_put(b, run, (size_t)(s - run));
	buf_put(b, "\"", 1);
}

/* Put the comma and the key that precede a value. */
static void
value(struct jw *j, const char *key)
{
	if (j->obj[j->depth] != (key != NULL))
		abort();
	if (j->some[j->depth])
		buf_put(j->out, ",", 1);
	j->some[j->depth] = true;
	if (key != NULL) {
		quote(j->out, key, strlen(key));
		buf_put(j->out, ":", 1);
	}
}

static void
push(struct jw *j, const char *key, bool obj)
{
	value(j, key);
	if (++j->depth == sizeof(j->some) / sizeof(j->some[0]))
		abort();
	j->some[j->depth] = false;
	j->obj[j->depth] = obj;
	buf_put(j->out, obj ? "{" : "[", 1);
}

void
jw_open(struct jw *j, const char *key)
{
	push(j, key, true);
}

void
jw_list(struct jw *j, const char *key)
{
	push(j, key, false);
}

void
jw_close(struct jw *j)
{
	if (j->depth == 0)
		abort();
	buf_put(j->out, j->obj[j->depth--] ? "}" : "]", 1);
}

void
jw_raw(struct jw *j, const char *key, const char *json)
{
	value(j, key);
	buf_str(j->out, json != NULL ? json : "null");
}

void
jw_null(struct jw *j, const char *key)
{
	jw_raw(j, key, NULL);
}

void
jw_textn(struct jw *j, const char *key, const char *s, size_t n)
{
	value(j, key);
	quote(j->out, s, n);
}

void
jw_text(struct jw *j, const char *key, const char *s)
{
	if (s == NULL)
		jw_null(j, key);
	else
		jw_textn(j, key, s, strlen(s));
}

void
jw_int(struct jw *j, const char *key, int64_t i)
{
	char num[24];

	snprintf(num, sizeof(num), "%" PRId64, i);
	jw_raw(j, key, i == NULL_INT ? NULL : num);
}

/* The shortest form that reads back as the same number. */
void
jw_real(struct jw *j, const char *key, double d)
{
	char num[32];
	int digits = 15;

	do
		snprintf(num, sizeof(num), "%.*g", digits, d);
	while (strtod(num, NULL) != d && ++digits <= 17);
	jw_raw(j, key, isfinite(d) ? num : NULL);
}

void
jw_bool(struct jw *j, const char *key, bool v)
{
	jw_raw(j, key, v ? "true" : "false");
}
