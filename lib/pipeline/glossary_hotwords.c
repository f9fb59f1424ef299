/*
 * Finds rows of words that resemble a term.  Terms are sorted by first letter and
 * length.  Of the terms in range, most are ruled out by the set of their letters; only
 * a few are compared letter by letter.
 */
#include <stdlib.h>

#include "pipeline/glossary_internal.h"

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

/* Letters in a row. */
struct word {
	const uint32_t *s;
	size_t n;
};

/* Whether the edit distance is at most d letters. */
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
	uint32_t *letters; /* of all words */
	size_t n;          /* words */
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
		if (i == 0 || !f->u[i - 1].word ||
		    (f->anywhere && glossary_splits(f, i))) {
			w.at[w.n] = i;
			w.first[w.n++] = k;
		}
		w.end[w.n - 1] = i + 1;
		w.letters[k++] = f->u[i].cp;
	}
	w.first[w.n] = k;
	return w;
}

/* Whether only blanks, hyphens and apostrophes are between a word and the next. */
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

/* How many letters are wrong; WRONG_MAX + 1: too many. */
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

/* Whether some of the words match the term better than all of them. */
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

/* The first term, in the order of the rows, that n words from `at` match; or NULL. */
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
				glossary_add_hit(
				    hits, (struct hit){ from, end - from, n, e });
		}
}
