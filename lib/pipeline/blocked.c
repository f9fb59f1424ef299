/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/blocked.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

/* A folded code point, and the bytes [from, to) of the text that it stands for. */
struct unit {
	uint32_t cp;
	size_t from, to;
};

struct units {
	const struct unit *u;
	size_t n;
};

struct word {
	const uint32_t *key; /* folded */
	size_t n;
};

struct blocked {
	struct word *words; /* the longest first */
	size_t n;
};

struct range {
	uint32_t first, last;
};

static bool
is_in(const struct range *ranges, size_t n, uint32_t cp)
{
	for (size_t i = 0; i < n; i++)
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return true;
	return false;
}

#define IS_IN(ranges, cp) is_in(ranges, sizeof(ranges) / sizeof((ranges)[0]), cp)

/* True for accents, which people leave out. Marks of other scripts are vowels. */
static bool
is_accent(uint32_t cp)
{
	static const struct range accents[] = { { 0x300, 0x36f }, { 0x483, 0x489 },
		{ 0x591, 0x5c7 }, { 0x610, 0x61a }, { 0x64b, 0x65f }, { 0x670, 0x670 },
		{ 0x6d6, 0x6ed }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
		{ 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f } };

	return IS_IN(accents, cp);
}

/* True for scripts that do not separate words by blanks. */
static bool
is_unspaced(uint32_t cp)
{
	static const struct range unspaced[] = { { 0xe00, 0xeff }, { 0x1000, 0x109f },
		{ 0x1780, 0x17ff }, { 0x3005, 0x3007 }, { 0x3040, 0x30ff },
		{ 0x31f0, 0x31ff }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff },
		{ 0xf900, 0xfaff }, { 0x20000, 0x3ffff } };

	return IS_IN(unspaced, cp);
}

/* ---- folding ---- */

static bool
is_blank(uint32_t cp)
{
	static const struct range blanks[] = { { '\t', '\r' }, { ' ', ' ' },
		{ '-', '-' }, { 0x85, 0x85 }, { 0x1680, 0x1680 }, { 0x2000, 0x200a },
		{ 0x2010, 0x2015 }, { 0x2028, 0x2029 }, { 0x2212, 0x2212 },
		{ 0x3000, 0x3000 } };

	return IS_IN(blanks, cp);
}

static void
put_unit(struct buf *b, struct unit u)
{
	struct unit *last =
	    b->len == 0 ? NULL : (struct unit *)(void *)(b->p + b->len - sizeof(u));

	if (is_blank(u.cp))
		u.cp = ' ';
	if (u.cp == 0x2019 || u.cp == 0x2bc)
		u.cp = '\'';
	if (last != NULL && last->cp == ' ' && u.cp == ' ')
		last->to = u.to;
	else
		buf_put(b, &u, sizeof(u));
}

static void
put_folded(struct buf *b, uint32_t cp, size_t from, size_t to)
{
	uint32_t cps[TEXT_FOLD];
	size_t n = text_is_ignorable(cp) || is_accent(cp) ? 0 : text_fold_one(cp, cps);

	if (n == 0 && !text_is_ignorable(cp) && !is_accent(cp)) {
		cps[0] = cp; /* a vowel sign */
		n = 1;
	}
	for (size_t i = 0; i < n; i++)
		put_unit(b, (struct unit){ cps[i], from, to });
	if (n == 0 && b->len > 0)
		((struct unit *)(void *)(b->p + b->len - sizeof(struct unit)))->to = to;
}

static struct units
fold(struct arena *mem, const char *text)
{
	struct buf b = { .mem = mem };
	const char *s = text, *next;
	uint32_t cp;

	for (; *s != '\0'; s = next) {
		next = text_next(s, &cp);
		put_folded(&b, cp, (size_t)(s - text), (size_t)(next - text));
	}
	return (struct units){ (const struct unit *)(void *)b.p,
		b.len / sizeof(struct unit) };
}

/* ---- the index ---- */

static struct word
make_word(struct arena *mem, const char *text)
{
	struct arena *scratch = arena_new();
	struct units f = fold(scratch, text);
	uint32_t *key = arena_alloc(mem, (f.n + 1) * sizeof(*key));
	size_t from = 0, n = 0;

	while (from < f.n && f.u[from].cp == ' ')
		from++;
	while (f.n > from && f.u[f.n - 1].cp == ' ')
		f.n--;
	for (; from < f.n; from++)
		key[n++] = f.u[from].cp;
	arena_free(scratch);
	return (struct word){ key, n };
}

static int
by_length(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return (x->n < y->n) - (x->n > y->n);
}

struct blocked *
blocked_new(struct arena *mem, const struct list *words)
{
	const char *const *text = words->items;
	struct blocked *b;

	if (words->n == 0)
		return NULL;
	b = arena_alloc(mem, sizeof(*b));
	b->words = arena_alloc(mem, words->n * sizeof(*b->words));
	b->n = 0;
	for (size_t i = 0; i < words->n; i++) {
		struct word w = make_word(mem, text[i]);

		if (w.n > 0)
			b->words[b->n++] = w;
	}
	qsort(b->words, b->n, sizeof(*b->words), by_length);
	return b;
}

/* ---- masking ---- */

/* True if a word may begin or end before unit i. */
static bool
borders(const struct units *f, size_t i)
{
	uint32_t a, b;

	if (i == 0 || i == f->n)
		return true;
	a = f->u[i - 1].cp;
	b = f->u[i].cp;
	return f->u[i].from != f->u[i - 1].from &&
	       (!text_is_word(a) || !text_is_word(b) || is_unspaced(a) ||
		   is_unspaced(b));
}

static bool
is_at(const struct word *w, const struct units *f, size_t at)
{
	if (w->n > f->n - at || !borders(f, at + w->n))
		return false;
	for (size_t i = 0; i < w->n; i++)
		if (w->key[i] != f->u[at + i].cp)
			return false;
	return true;
}

/* The units of the longest word that begins at a unit; 0: none. */
static size_t
find(const struct blocked *b, const struct units *f, size_t at)
{
	if (!borders(f, at))
		return 0;
	for (size_t i = 0; i < b->n; i++)
		if (is_at(&b->words[i], f, at))
			return b->words[i].n;
	return 0;
}

const char *
blocked_mask(const struct blocked *b, struct arena *mem, const char *text)
{
	struct buf to = { .mem = mem };
	struct units f;
	size_t done = 0, n;

	if (b == NULL)
		return text;
	f = fold(mem, text);
	for (size_t i = 0; i < f.n; i += n) {
		if ((n = find(b, &f, i)) == 0) {
			n = 1;
			continue;
		}
		buf_put(&to, text + done, f.u[i].from - done);
		buf_str(&to, BLOCKED_MARK);
		done = f.u[i + n - 1].to;
	}
	if (done == 0)
		return text;
	buf_str(&to, text + done);
	return buf_text(&to);
}

/* ---- speech and translation ---- */

const char *
blocked_spoken(struct arena *mem, const char *text)
{
	struct buf b = { .mem = mem };
	const char *at;

	while ((at = strstr(text, BLOCKED_MARK)) != NULL) {
		buf_put(&b, text, (size_t)(at - text));
		text = at + strlen(BLOCKED_MARK);
		if (*text == ' ' && (b.len == 0 || b.p[b.len - 1] == ' '))
			text++;
	}
	buf_str(&b, text);
	return text_first_word(buf_text(&b)) != 0 ? buf_text(&b) : "";
}

void
blocked_keep(struct arena *mem, struct mt_text *t)
{
	size_t n = strlen(t->text) / strlen(BLOCKED_MARK), k = 0, all = 0;
	struct mt_term *terms = arena_alloc(mem, (t->nterms + n + 1) * sizeof(*terms));
	const char *at = t->text;

	for (; (at = strstr(at, BLOCKED_MARK)) != NULL; at += strlen(BLOCKED_MARK)) {
		size_t from = (size_t)(at - t->text);

		for (; k < t->nterms && t->terms[k].at < from; k++)
			terms[all++] = t->terms[k];
		terms[all++] = (struct mt_term){ .at = from,
			.len = strlen(BLOCKED_MARK),
			.target = BLOCKED_MARK,
			.name = true };
	}
	for (; k < t->nterms; k++)
		terms[all++] = t->terms[k];
	t->terms = terms;
	t->nterms = all;
}
