/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream of bits, the highest first:
 *
 *	cursor: time (64), 1 and a uuid (128) or 0 and another TEXT
 *	for each field with a value: row (5), value
 *	end: 31 (5)
 *
 * TEXT is length (13), width (2) and the code points, all as wide as the widest.  ENUM
 * is the number of the name (8).  A TEXT in a list with names is the same, or 255 (8)
 * and the TEXT.  INT and TIME have 64 bits, BOOL one.  LIST starts with a count (13).
 */
#include "web/page_token.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/text.h"

#define ROW 5
#define ROW_END 31
#define LENGTH 13
#define WIDTH 2
#define NAME 8
#define NAME_OTHER 255

static const int widths[] = { 7, 11, 16, 21 };

/* ---- writing ---- */

struct writer {
	struct buf *out;
	size_t bits;
};

static void
put(struct writer *w, uint64_t v, int bits)
{
	for (; bits > 0; bits--, w->bits++) {
		if (w->bits % 8 == 0)
			buf_put(w->out, "", 1);
		if (v >> (bits - 1) & 1)
			w->out->p[w->out->len - 1] |= (char)(0x80 >> w->bits % 8);
	}
}

static void
put_text(struct writer *w, const char *s)
{
	uint32_t cp, widest = 0;
	int width = 0;

	for (const char *p = s; *p != '\0';) {
		p = text_next(p, &cp);
		widest |= cp;
	}
	while (widest >> widths[width] != 0)
		width++;
	put(w, text_length(s), LENGTH);
	put(w, (uint64_t)width, WIDTH);
	while (*s != '\0') {
		s = text_next(s, &cp);
		put(w, cp, widths[width]);
	}
}

static void
put_name(struct writer *w, const struct field *f, const char *name)
{
	uint64_t i = 0;

	while (f->names[i] != NULL && strcmp(f->names[i], name) != 0)
		i++;
	if (f->names[i] != NULL) {
		put(w, i, NAME);
		return;
	}
	put(w, NAME_OTHER, NAME);
	put_text(w, name);
}

static void
put_list(struct writer *w, const struct field *f, const struct list *l)
{
	put(w, l->n, LENGTH);
	for (size_t i = 0; i < l->n; i++) {
		const char *item = ((const char *const *)l->items)[i];

		if (f->of->names != NULL)
			put_name(w, f->of, item);
		else
			put_text(w, item);
	}
}

static bool
is_null(const struct field *f, const void *at)
{
	switch (f->type) {
	case F_TEXT:
	case F_ENUM:
		return *(const char *const *)at == NULL;
	case F_INT:
	case F_TIME:
		return *(const int64_t *)at == NULL_INT;
	case F_LIST:
		return ((const struct list *)at)->n == 0;
	default:
		return false;
	}
}

static void
put_value(struct writer *w, const struct field *f, const void *at)
{
	switch (f->type) {
	case F_TEXT:
		put_text(w, *(const char *const *)at);
		break;
	case F_ENUM:
		put_name(w, f, *(const char *const *)at);
		break;
	case F_INT:
	case F_TIME:
		put(w, (uint64_t) * (const int64_t *)at, 64);
		break;
	case F_BOOL:
		put(w, *(const bool *)at, 1);
		break;
	case F_LIST:
		put_list(w, f, at);
		break;
	default:
		abort(); /* filters have no such type */
	}
}

static void
put_id(struct writer *w, const char *id)
{
	const char *uuid = id_read(w->out->mem, id);

	put(w, uuid != NULL, 1);
	if (uuid == NULL)
		put_text(w, id);
	else
		for (; *uuid != '\0'; uuid++)
			if (*uuid != '-')
				put(w, (uint64_t)hex_digit(*uuid), 4);
}

void
page_token_query(struct buf *out, const struct field *fs, const struct page *q)
{
	struct writer w = { .out = out };

	put(&w, (uint64_t)q->after_us, 64);
	put_id(&w, q->after_id);
	for (int row = 0; fs[row].name != NULL; row++) {
		const void *at = (const char *)q + fs[row].at;

		if (is_null(&fs[row], at))
			continue;
		put(&w, (uint64_t)row, ROW);
		put_value(&w, &fs[row], at);
	}
	put(&w, ROW_END, ROW);
}

/* ---- reading ---- */

struct reader {
	struct arena *mem;
	const unsigned char *in;
	size_t left; /* bits */
	size_t at;
	bool wrong;
};

static uint64_t
get(struct reader *r, int bits)
{
	uint64_t v = 0;

	if (r->left < (size_t)bits) {
		r->wrong = true;
		return 0;
	}
	r->left -= (size_t)bits;
	for (; bits > 0; bits--, r->at++)
		v = v << 1 | (r->in[r->at / 8] >> (7 - r->at % 8) & 1);
	return v;
}

static const char *
get_text(struct reader *r)
{
	size_t n = get(r, LENGTH);
	int width = widths[get(r, WIDTH)];
	struct buf b = { .mem = r->mem };

	for (; n > 0 && !r->wrong; n--)
		b.len += text_put(buf_room(&b, 4), (uint32_t)get(r, width));
	return buf_text(&b);
}

static const char *
get_name(struct reader *r, const struct field *f)
{
	uint64_t i = get(r, NAME);

	if (i == NAME_OTHER && f->type == F_TEXT)
		return get_text(r);
	for (uint64_t k = 0; f->names[k] != NULL; k++)
		if (k == i)
			return f->names[i];
	r->wrong = true;
	return NULL;
}

static struct list
get_list(struct reader *r, const struct field *f)
{
	size_t n = get(r, LENGTH);
	const char **items = arena_alloc(r->mem, n * sizeof(*items));

	for (size_t i = 0; i < n && !r->wrong; i++)
		items[i] = f->of->names != NULL ? get_name(r, f->of) : get_text(r);
	return (struct list){ items, n };
}

static void
get_value(struct reader *r, const struct field *f, void *at)
{
	switch (f->type) {
	case F_TEXT:
		*(const char **)at = get_text(r);
		break;
	case F_ENUM:
		*(const char **)at = get_name(r, f);
		break;
	case F_INT:
	case F_TIME:
		*(int64_t *)at = (int64_t)get(r, 64);
		break;
	case F_BOOL:
		*(bool *)at = get(r, 1) != 0;
		break;
	case F_LIST:
		*(struct list *)at = get_list(r, f);
		break;
	default:
		r->wrong = true;
	}
}

static const char *
get_id(struct reader *r)
{
	uint64_t high, low;

	if (get(r, 1) == 0)
		return get_text(r);
	high = get(r, 64);
	low = get(r, 64);
	return arena_printf(r->mem, "%08x-%04x-%04x-%04x-%012llx",
	    (unsigned)(high >> 32), (unsigned)(high >> 16 & 0xffff),
	    (unsigned)(high & 0xffff), (unsigned)(low >> 48),
	    (unsigned long long)(low & 0xffffffffffff));
}

bool
page_token_read(struct arena *mem, const unsigned char *in, size_t n,
    const struct field *fs, struct page *q)
{
	struct reader r = { .mem = mem, .in = in, .left = 8 * n };
	uint64_t rows = 0, row;

	while (fs[rows].name != NULL)
		rows++;
	field_clear(fs, q);
	q->after_us = (int64_t)get(&r, 64);
	q->after_id = get_id(&r);
	while (!r.wrong && (row = get(&r, ROW)) != ROW_END) {
		if (row >= rows)
			return false;
		get_value(&r, &fs[row], (char *)q + fs[row].at);
	}
	return !r.wrong;
}
