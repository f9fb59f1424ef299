/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/captions.h"

#include <stdbool.h>
#include <string.h>

#include "base/lang.h"
#include "base/text.h"

#define LONGEST_MS 3600000 /* longest phrase */

/* The boundary after a piece of text. */
enum ending { END_WORD, END_CLAUSE, END_SENTENCE };

/* A word, or a character of a script without blanks, with the punctuation after it. */
struct piece {
	const char *p;
	size_t bytes;
	int columns;
	bool blank; /* preceded by a blank */
	enum ending ending;
};

/* Pieces of one caption. */
struct cut {
	size_t from, n;
	size_t first; /* pieces of the first row */
	int64_t need_ms;
};

/* A phrase, split. */
struct phrase {
	struct arena *mem; /* reset for each */
	int columns;       /* columns of a row */
	struct piece *pieces;
	size_t n_pieces;
	struct cut *cuts;
	size_t n; /* number of cuts; 0: there is no phrase */
	int64_t start_ms, end_ms;
};

struct captions {
	caption_taker *take;
	void *arg;
	struct phrase at[2], *last,
	    /*
	     * true when the caption is the last, whose end depends on the next phrase
	     */
	    *next;
	struct arena *scratch; /* rows, reset for each caption */
};

/* ---- pieces ---- */

static bool
is_one_of(uint32_t cp, const uint32_t *of)
{
	while (*of != 0 && *of != cp)
		of++;
	return *of != 0;
}

static bool
is_blank(uint32_t cp)
{
	return cp <= ' ' || cp == 0x7f || cp == 0x85 || cp == 0xa0 || cp == 0x3000 ||
	       (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029;
}

/* Scripts without blanks between words: kana, Han. */
static bool
stands_alone(uint32_t cp)
{
	return (cp >= 0x2e80 && cp <= 0x31ff) || (cp >= 0x3400 && cp <= 0x9fff) ||
	       (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0xff00 && cp <= 0xffef) ||
	       (cp >= 0x20000 && cp <= 0x3ffff);
}

static const uint32_t sentence_marks[] = { '.', '!', '?', 0x2026, 0x3002, 0xff0e,
	0xff01, 0xff1f, 0x061f, 0x06d4, 0x0964, 0 };
static const uint32_t clause_marks[] = { ',', ';', ':', 0x2013, 0x2014, 0x3001, 0xff0c,
	0xff1a, 0xff1b, 0x060c, 0x061b, 0 };
/* Closing marks that may follow the end of a sentence or clause. */
static const uint32_t closing[] = { '"', '\'', ')', ']', '}', 0xbb, 0x2019, 0x201d,
	0x300d, 0x300f, 0x3011, 0x3009, 0x300b, 0xff09, 0 };

/* Combining characters, joiners and variation selectors. */
static bool
is_mark(uint32_t cp)
{
	uint32_t folded[TEXT_FOLD];

	return cp == 0x200d || (cp >= 0xfe00 && cp <= 0xfe0f) ||
	       text_fold_one(cp, folded) == 0;
}

/* True if the code point stays with the text before it. */
static bool
clings(uint32_t cp)
{
	return is_one_of(cp, sentence_marks) || is_one_of(cp, clause_marks) ||
	       is_one_of(cp, closing) || is_mark(cp);
}

static enum ending
ending_after(enum ending before, uint32_t cp)
{
	if (is_one_of(cp, sentence_marks))
		return END_SENTENCE;
	if (is_one_of(cp, clause_marks))
		return END_CLAUSE;
	return is_one_of(cp, closing) || is_mark(cp) ? before : END_WORD;
}

/* True if cp begins a new piece after this one. */
static bool
begins(const struct phrase *ph, const struct piece *w, uint32_t before, uint32_t cp)
{
	if (w->columns >= ph->columns) /* a word longer than a row */
		return true;
	return (stands_alone(cp) || stands_alone(before)) && !clings(cp);
}

/* Split into pieces. Blanks at the ends are removed, and repeated ones are merged. */
static void
read_pieces(struct phrase *ph, const char *s)
{
	struct piece *w = NULL;
	uint32_t before = ' ', cp;

	ph->pieces = arena_alloc(ph->mem, (strlen(s) + 1) * sizeof(*w));
	ph->n_pieces = 0;
	for (const char *at = s, *next; *at != '\0'; at = next, before = cp) {
		next = text_next(at, &cp);
		if (is_blank(cp))
			continue;
		if (w == NULL || is_blank(before) || begins(ph, w, before, cp)) {
			w = &ph->pieces[ph->n_pieces++];
			*w = (struct piece){ .p = at, .blank = is_blank(before) };
		}
		w->bytes = (size_t)(next - w->p);
		w->columns++;
		w->ending = ending_after(w->ending, cp);
	}
}

/* ---- rows ---- */

/* Columns of n pieces as a row. */
static int
width(const struct piece *w, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += w[i].columns + (i > 0 && w[i].blank);
	return columns;
}

/* The number of pieces, at least one, that fit into a row. */
static size_t
row_holds(const struct phrase *ph, const struct piece *w, size_t n)
{
	int columns = 0;
	size_t i = 0;

	while (i < n) {
		columns += w[i].columns + (i > 0 && w[i].blank);
		if (i > 0 && columns > ph->columns)
			break;
		i++;
	}
	return i;
}

static size_t
caption_holds(const struct phrase *ph, const struct piece *w, size_t n)
{
	size_t first = row_holds(ph, w, n);

	return first + row_holds(ph, w + first, n - first);
}

/* End the first row with a clause if both rows then fit, or else in the middle. */
static size_t
first_row(const struct phrase *ph, const struct piece *w, size_t n)
{
	size_t most = row_holds(ph, w, n), best = most;
	int all = width(w, n), least = all + ph->columns;

	if (most == n)
		return n;
	for (size_t i = 1; i <= most; i++) {
		int a = width(w, i), b = width(w + i, n - i);
		int uneven = (a > b ? a - b : b - a) -
			     (w[i - 1].ending != END_WORD ? ph->columns / 2 : 0);

		if (b <= ph->columns && uneven < least) {
			least = uneven;
			best = i;
		}
	}
	return best;
}

/* ---- captions of a phrase ---- */

/*
 * The number of pieces up to the last ending of this kind that is after a third of
 * their width; 0: none.
 */
static size_t
last_ending(const struct piece *w, size_t n, enum ending is)
{
	int all = width(w, n);

	for (size_t i = n; i > 0; i--)
		if (w[i - 1].ending >= is && 3 * width(w, i) >= all)
			return i;
	return 0;
}

/* The number of remaining pieces in the next caption. */
static size_t
next_cut(const struct phrase *ph, const struct piece *w, size_t n)
{
	size_t most = caption_holds(ph, w, n), at;

	if (most == n)
		return n;
	if ((at = last_ending(w, most, END_SENTENCE)) > 0 ||
	    (at = last_ending(w, most, END_CLAUSE)) > 0)
		return at;
	/* Do not leave one or two words for the next caption. */
	return n - most < most / 3 ? (n + 1) / 2 : most;
}

static int64_t
need_ms(int columns)
{
	int64_t ms = (int64_t)columns * 1000 / CAPTION_CPS + 1;

	return ms < CAPTION_MIN_MS   ? CAPTION_MIN_MS
	       : ms > CAPTION_MAX_MS ? CAPTION_MAX_MS
				     : ms;
}

static void
split(struct phrase *ph)
{
	ph->cuts = arena_alloc(ph->mem, (ph->n_pieces + 1) * sizeof(*ph->cuts));
	ph->n = 0;
	for (size_t at = 0, n; at < ph->n_pieces; at += n) {
		const struct piece *w = ph->pieces + at;

		n = next_cut(ph, w, ph->n_pieces - at);
		ph->cuts[ph->n++] = (struct cut){ .from = at,
			.n = n,
			.first = first_row(ph, w, n),
			.need_ms = need_ms(width(w, n)) };
	}
}

/* ---- times ---- */

/* Returns how long the captions of a phrase may be shown. next: start of the next
   phrase. */
static int64_t
window_ms(const struct phrase *ph, int64_t next)
{
	int64_t need = 0, until = ph->end_ms;

	for (size_t i = 0; i < ph->n; i++)
		need += ph->cuts[i].need_ms;
	if (until < ph->start_ms + need)
		until = ph->start_ms + need;
	until = until < next ? until : next;
	return until < ph->start_ms + LONGEST_MS ? until - ph->start_ms : LONGEST_MS;
}

static const char *
row(struct arena *mem, const struct piece *w, size_t n)
{
	size_t bytes = 0;
	char *to, *at;

	if (n == 0)
		return NULL;
	for (size_t i = 0; i < n; i++)
		bytes += w[i].bytes + 1;
	at = to = arena_alloc(mem, bytes + 1);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && w[i].blank)
			*at++ = ' ';
		memcpy(at, w[i].p, w[i].bytes);
		at += w[i].bytes;
	}
	return to;
}

static void
show(struct captions *c, const struct phrase *ph, const struct cut *k, int64_t start,
    int64_t end)
{
	const struct piece *w = ph->pieces + k->from;
	const struct caption out = { .start_ms = start,
		.end_ms = end < start + CAPTION_MAX_MS ? end : start + CAPTION_MAX_MS,
		.rows = { row(c->scratch, w, k->first),
		    row(c->scratch, w + k->first, k->n - k->first) } };

	c->take(c->arg, &out);
	arena_reset(c->scratch);
}

/* Show the captions of a phrase. They share its time in proportion to their lengths. */
static void
show_phrase(struct captions *c, const struct phrase *ph, int64_t next)
{
	int64_t window = window_ms(ph, next), need = 0, done = 0, at = ph->start_ms;

	for (size_t i = 0; i < ph->n; i++)
		need += ph->cuts[i].need_ms;
	for (size_t i = 0; i < ph->n; i++) {
		int64_t start = at;

		done += ph->cuts[i].need_ms;
		at = ph->start_ms + window * done / need;
		show(c, ph, &ph->cuts[i], start, at);
	}
}

/* ---- phrases ---- */

struct captions *
captions_new(struct arena *mem, caption_taker *take, void *arg)
{
	struct captions *c = arena_alloc(mem, sizeof(*c));

	*c = (struct captions){ .take = take, .arg = arg, .scratch = arena_new() };
	c->last = &c->at[0];
	c->next = &c->at[1];
	c->last->mem = arena_new();
	c->next->mem = arena_new();
	return c;
}

static int
columns_of(const char *language)
{
	static const char *const wide[] = { "zh", "yue", "ja", "ko" };

	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (lang_same_base(language, wide[i]))
			return CAPTION_COLUMNS_WIDE;
	return CAPTION_COLUMNS;
}

void
captions_put(struct captions *c, const char *text, const char *language,
    int64_t start_ms, int64_t end_ms)
{
	struct phrase *ph = c->next, *last = c->last;
	int64_t first = last->n > 0
			    ? last->start_ms + CAPTION_STEP_MS * (int64_t)last->n
			    : start_ms;

	arena_reset(ph->mem);
	ph->columns = columns_of(language);
	read_pieces(ph, arena_str(ph->mem, text));
	split(ph);
	if (ph->n == 0)
		return;
	ph->start_ms = start_ms > first ? start_ms : first;
	ph->end_ms = end_ms > ph->start_ms ? end_ms : ph->start_ms;
	show_phrase(c, last, ph->start_ms);
	c->last = ph;
	c->next = last;
}

void
captions_end(struct captions *c)
{
	show_phrase(c, c->last, INT64_MAX);
	c->last->n = 0;
}

void
captions_free(struct captions *c)
{
	arena_free(c->at[0].mem);
	arena_free(c->at[1].mem);
	arena_free(c->scratch);
}
