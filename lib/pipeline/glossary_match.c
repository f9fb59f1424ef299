/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Folds a text, keeping the byte position of each unit; finds entries in the text,
 * exactly or almost; chooses among overlapping hits.
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

/* Replace white space by a blank, and U+2019 by an apostrophe. */
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
		b.len / sizeof(struct unit), !lang_has_blanks(lang), text };
}

/* True if unit i begins a character of the text, or is the end of the text. */
static bool
splits(const struct folded *f, size_t i)
{
	return i == 0 || i == f->n || f->u[i].from != f->u[i - 1].from;
}

/* True if a word may begin or end before unit i. */
static bool
borders(const struct folded *f, size_t i)
{
	return splits(f, i) && (f->anywhere || i == 0 || i == f->n ||
				   !f->u[i - 1].word || !f->u[i].word);
}

bool
glossary_serves(const struct entry *e, const char *lang)
{
	return e->source == NULL || lang_same_base(e->source, lang);
}

/* ---- finding exact matches ---- */

static void
add_hit(struct hits *hits, struct hit h)
{
	buf_put(&hits->b, &h, sizeof(h));
}

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
	if ((x->exact != NULL) != (y->exact != NULL))
		return x->exact != NULL ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void
glossary_sort_exact(struct table *t)
{
	qsort(t->e, t->n, sizeof(*t->e), by_key);
}

/* A range of entries [lo, hi) with a common prefix. */
struct span {
	size_t lo, hi;
};

/* The first entry of the span whose i-th code point is cp or above. */
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

/* True unless the entry requires a case that the n units do not have. */
static bool
is_as_written(const struct entry *e, const struct folded *f, size_t at, size_t n)
{
	size_t from = f->u[at].from, len = f->u[at + n - 1].to - from;

	return e->exact == NULL ||
	       (strlen(e->exact) == len && memcmp(f->text + from, e->exact, len) == 0);
}

/* Add the entries that match the units starting at `at`. */
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
			if (glossary_serves(&t->e[k], lang) && borders(f, at + i + 1) &&
			    is_as_written(&t->e[k], f, at, i + 1)) {
				add_hit(
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

/* ---- finding rows of words that resemble a hotword ---- */

/*
 * Hotwords are sorted by first letter and length. The set of letters rules out most of
 * those in range; only a few are compared letter by letter.
 */
#define RUN_WORDS 4
#define WRONG_MAX 2

uint64_t
glossary_bag(const uint32_t *s, size_t n)
{
	uint64_t bag = 0;

	for (size_t i = 0; i < n; i++)
		bag |= UINT64_C(1) << (s[i] * UINT32_C(2654435761) >> 26);
	return bag;
}

static int
by_head(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->key[0] != y->key[0])
		return x->key[0] < y->key[0] ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void
glossary_sort_hotwords(struct table *t)
{
	qsort(t->e, t->n, sizeof(*t->e), by_head);
}

static size_t
wrong_allowed(size_t letters)
{
	return letters < 5 ? 0 : letters < 10 ? 1 : WRONG_MAX;
}

/* A sequence of letters. */
struct word {
	const uint32_t *s;
	size_t n;
};

/* True if the edit distance is at most d letters. */
static bool
within(struct word a, struct word b, size_t d)
{
	while (a.n > 0 && b.n > 0 && *a.s == *b.s) {
		a.s++, a.n--;
		b.s++, b.n--;
	}
	if (a.n == 0 || b.n == 0)
		return a.n + b.n <= d;
	if (d == 0)
		return false;
	return within((struct word){ a.s + 1, a.n - 1 },
		   (struct word){ b.s + 1, b.n - 1 }, d - 1) ||
	       within((struct word){ a.s + 1, a.n - 1 }, b, d - 1) ||
	       within(a, (struct word){ b.s + 1, b.n - 1 }, d - 1);
}

/* The words of a text and their letters. */
struct words {
	const struct folded *f;
	size_t *at;        /* first unit of each word */
	size_t *end;       /* unit after each word */
	size_t *first;     /* first letter of each word; n + 1 items */
	uint32_t *letters; /* letters of all words */
	size_t n;          /* number of words */
};

static struct words
split(struct arena *mem, const struct folded *f)
{
	size_t bytes = (f->n + 1) * sizeof(size_t), k = 0;
	struct words w = { f, arena_alloc(mem, bytes), arena_alloc(mem, bytes),
		arena_alloc(mem, bytes), arena_alloc(mem, bytes), 0 };

	for (size_t i = 0; i < f->n; i++) {
		if (!f->u[i].word)
			continue;
		if (i == 0 || !f->u[i - 1].word || (f->anywhere && splits(f, i))) {
			w.at[w.n] = i;
			w.first[w.n++] = k;
		}
		w.end[w.n - 1] = i + 1;
		w.letters[k++] = f->u[i].cp;
	}
	w.first[w.n] = k;
	return w;
}

/* True if only blanks, hyphens and apostrophes separate a word from the next. */
static bool
joined(const struct words *w, size_t left)
{
	for (size_t i = w->end[left]; i < w->at[left + 1]; i++)
		switch (w->f->u[i].cp) {
		case ' ':
		case '-':
		case '\'':
		case 0x2010:
		case 0x2019:
			break;
		default:
			return false;
		}
	return true;
}

static struct word
run_of(const struct words *w, size_t at, size_t n)
{
	return (
	    struct word){ w->letters + w->first[at], w->first[at + n] - w->first[at] };
}

/* The number of wrong letters; WRONG_MAX + 1: too many. */
static size_t
wrong(struct word run, const struct entry *e)
{
	const struct word key = { e->key, e->n };
	size_t d = 0, most = wrong_allowed(e->n);

	if (run.n + most < e->n || e->n + most < run.n || run.s[0] != e->key[0])
		return WRONG_MAX + 1;
	while (d <= most && !within(run, key, d))
		d++;
	return d <= most ? d : WRONG_MAX + 1;
}

/* True if a part of the words matches the term better than all of them. */
static bool
has_better_part(const struct words *w, size_t at, size_t n, const struct entry *e)
{
	size_t d = wrong(run_of(w, at, n), e);

	for (size_t k = 1; k < n; k++)
		for (size_t i = at; i + k <= at + n; i++)
			if (wrong(run_of(w, i, k), e) < d)
				return true;
	return false;
}

/* The first entry that begins with cp and has n letters or more. */
static size_t
first_entry(const struct table *t, uint32_t cp, size_t n)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct entry *e = &t->e[mid];

		if (e->key[0] < cp || (e->key[0] == cp && e->n < n))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool
may_fit(const struct entry *e, uint64_t bag)
{
	return (size_t)__builtin_popcountll(e->bag ^ bag) <= 2 * wrong_allowed(e->n);
}

/* The first term, in the order of the rows, that matches the n words at `at`; or NULL.
 */
static const struct entry *
find_entry(
    const struct table *t, const char *lang, const struct words *w, size_t at, size_t n)
{
	struct word run = run_of(w, at, n);
	uint64_t bag = glossary_bag(run.s, run.n);
	size_t least = run.n > WRONG_MAX ? run.n - WRONG_MAX : 1;
	const struct entry *best = NULL;

	for (size_t i = first_entry(t, run.s[0], least); i < t->n; i++) {
		const struct entry *e = &t->e[i];

		if (e->key[0] != run.s[0] || e->n > run.n + WRONG_MAX)
			break;
		if (may_fit(e, bag) && (best == NULL || e->order < best->order) &&
		    glossary_serves(e, lang) && wrong(run, e) <= WRONG_MAX &&
		    !has_better_part(w, at, n, e))
			best = e;
	}
	return best;
}

void
glossary_find_hotword(
    struct hits *hits, const struct table *t, const char *lang, const struct folded *f)
{
	struct words w = split(hits->b.mem, f);
	size_t most = f->anywhere ? t->longest + WRONG_MAX : RUN_WORDS;
	const struct entry *e;

	for (size_t at = 0; at < w.n; at++)
		for (size_t n = 1; n <= most && at + n <= w.n; n++) {
			size_t from = w.at[at], end = w.end[at + n - 1];

			if ((n > 1 && !joined(&w, at + n - 2)) ||
			    run_of(&w, at, n).n > t->longest + WRONG_MAX)
				break;
			if ((e = find_entry(t, lang, &w, at, n)) != NULL)
				add_hit(hits, (struct hit){ from, end - from, n, e });
		}
}

/* ---- choosing ---- */

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
by_position(const void *a, const void *b)
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
	qsort(h, *n, sizeof(*h), by_position);
	return h;
}
