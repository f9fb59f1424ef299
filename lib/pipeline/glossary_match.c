/*
 * Folds a text, keeping the byte position of each unit; finds entries in the text;
 * chooses among overlapping hits.
 */
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/text.h"
#include "pipeline/glossary_internal.h"

/* ---- folding ---- */

static void
put_unit(struct buf *b, struct unit u)
{
	struct unit *last;

	if (u.cp == ' ' && b->len > 0) {
		last = (struct unit *)(void *)(b->p + b->len - sizeof(*last));
		if (last->cp == ' ') {
			last->to = u.to;
			return;
		}
	}
	buf_put(b, &u, sizeof(u));
}

/* White space is a blank; what word processors make of an apostrophe is one. */
static uint32_t
plain(uint32_t cp)
{
	return cp == '\t' || cp == '\n' || cp == '\r' ? ' ' : cp == 0x2019 ? '\'' : cp;
}

static void
put_folded(struct buf *b, uint32_t cp, size_t from, size_t to)
{
	struct unit *last;
	uint32_t cps[TEXT_FOLD];
	size_t n = text_is_ignorable(cp) ? 0 : text_fold_one(plain(cp), cps);

	for (size_t i = 0; i < n; i++)
		put_unit(b, (struct unit){ cps[i], from, to, text_is_word(cp) });
	if (n == 0 && b->len > 0) {
		last = (struct unit *)(void *)(b->p + b->len - sizeof(*last));
		last->to = to;
	}
}

struct folded
glossary_fold(struct arena *mem, const char *lang, const char *text)
{
	struct buf b = { .mem = mem };
	const char *s = text, *next;
	uint32_t cp;

	for (; *s != '\0'; s = next) {
		next = text_next(s, &cp);
		put_folded(&b, cp, (size_t)(s - text), (size_t)(next - text));
	}
	return (struct folded){ (const struct unit *)(void *)b.p,
		b.len / sizeof(struct unit), !lang_has_blanks(lang) };
}

bool
glossary_splits(const struct folded *f, size_t i)
{
	return i == 0 || i == f->n || f->u[i].from != f->u[i - 1].from;
}

/* Whether a word may begin or end before unit i. */
static bool
borders(const struct folded *f, size_t i)
{
	return glossary_splits(f, i) && (f->anywhere || i == 0 || i == f->n ||
					    !f->u[i - 1].word || !f->u[i].word);
}

bool
glossary_serves(const struct entry *e, const char *lang)
{
	return e->source == NULL || lang_same_base(e->source, lang);
}

/* ---- finding ---- */

static int
by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	size_t n = x->n < y->n ? x->n : y->n;

	for (size_t i = 0; i < n; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void
glossary_sort_exact(struct table *t)
{
	qsort(t->e, t->n, sizeof(*t->e), by_key);
}

/* Entries [lo, hi) with a common prefix. */
struct span {
	size_t lo, hi;
};

/* The first of the span whose i-th code point is cp or above. */
static size_t
lower_bound(const struct table *t, struct span s, size_t i, uint32_t cp)
{
	while (s.lo < s.hi) {
		size_t mid = s.lo + (s.hi - s.lo) / 2;

		if (t->e[mid].n <= i || t->e[mid].key[i] < cp)
			s.lo = mid + 1;
		else
			s.hi = mid;
	}
	return s.lo;
}

/* Add the entries that match the units from `at` on. */
static void
find_from(struct hits *hits, const struct table *t, const char *lang,
    const struct folded *f, size_t at)
{
	struct span s = { 0, t->n };

	for (size_t i = 0; s.lo < s.hi && at + i < f->n; i++) {
		uint32_t cp = f->u[at + i].cp;

		s.lo = lower_bound(t, s, i, cp);
		s.hi = lower_bound(t, s, i, cp + 1);
		for (size_t k = s.lo; k < s.hi && t->e[k].n == i + 1; k++)
			if (glossary_serves(&t->e[k], lang) && borders(f, at + i + 1)) {
				glossary_add_hit(
				    hits, (struct hit){ at, i + 1, i + 1, &t->e[k] });
				break;
			}
	}
}

void
glossary_find_exact(
    struct hits *hits, const struct table *t, const char *lang, const struct folded *f)
{
	for (size_t at = 0; at < f->n; at++)
		if (borders(f, at))
			find_from(hits, t, lang, f, at);
}

/* ---- choosing ---- */

void
glossary_add_hit(struct hits *hits, struct hit h)
{
	buf_put(&hits->b, &h, sizeof(h));
}

static int
by_rank(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->e->order < y->e->order ? -1 : x->e->order > y->e->order;
}

static int
by_place(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

const struct hit *
glossary_choose(struct hits *hits, struct arena *mem, const struct folded *f, size_t *n)
{
	struct hit *h = (struct hit *)(void *)hits->b.p;
	size_t all = hits->b.len / sizeof(*h);
	bool *taken = arena_alloc(mem, f->n + 1);

	*n = 0;
	if (all == 0)
		return NULL;
	qsort(h, all, sizeof(*h), by_rank);
	for (size_t i = 0; i < all; i++) {
		if (memchr(taken + h[i].at, true, h[i].n) != NULL)
			continue;
		memset(taken + h[i].at, true, h[i].n);
		h[(*n)++] = h[i];
	}
	qsort(h, *n, sizeof(*h), by_place);
	return h;
}
