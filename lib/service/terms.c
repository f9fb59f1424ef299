/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/terms.h"

#include <inttypes.h>
#include <string.h>

#include "base/csv.h"
#include "base/hash.h"
#include "base/problem.h"
#include "base/text.h"

#define BOM "\xef\xbb\xbf"

struct reader {
	struct arena *mem;
	size_t columns;
	bool headed;    /* the header has not been read yet */
	size_t width;   /* columns up to the last one that is used in any row */
	bool other;     /* the column after the terms has another text than TERM_CASE */
	int64_t passed; /* lines before the rows */
	int64_t rows;
	int nfaults;
	struct buf faults, terms;
	struct first **known; /* chains, by hash */
	uint64_t nknown;      /* number of known terms: a power of two */
	uint64_t key;
};

/* The first term of a row. */
struct first {
	struct csv_cell term;
	int64_t row;
	struct first *next;
};

#define PRIME ((UINT64_C(1) << 61) - 1)
#define WORD 7 /* bytes of a word, so that it is less than PRIME */

/*
 * The polynomial of the term's words at a secret point, modulo a Mersenne prime (Carter
 * and Wegman, 1979): without the point, an attacker cannot construct colliding terms.
 */
static uint64_t
hash_term(uint64_t point, const struct csv_cell *term)
{
	uint64_t h = term->n, word;
	unsigned __int128 wide;

	for (size_t i = 0; i < term->n; i += WORD) {
		word = 0;
		memcpy(&word, term->p + i, term->n - i < WORD ? term->n - i : WORD);
		wide = (unsigned __int128)(h + word) * point;
		h = (uint64_t)(wide & PRIME) + (uint64_t)(wide >> 61);
		while (h >= PRIME)
			h -= PRIME;
	}
	return h;
}

/* Allocate enough chains for the rows of n bytes. */
static void
make_known(struct reader *r, size_t n)
{
	random_bytes(&r->key, sizeof(r->key));
	r->key %= PRIME;
	for (r->nknown = 64; r->nknown < n / 32; r->nknown *= 2)
		continue;
	r->known = arena_alloc(r->mem, r->nknown * sizeof(struct first *));
}

/* Add a fault of the file; column 0: of the whole row. */
static void
fault(struct reader *r, int64_t row, size_t column, const char *problem_line)
{
	if (r->nfaults++ >= TERM_FAULTS)
		return;
	buf_printf(&r->faults, "%" PRId64 "\t", row);
	if (column > 0)
		buf_printf(&r->faults, "%zu", column);
	buf_printf(&r->faults, "\t%s", problem_line);
}

#define FAULT(r, row, column, ...)                                                     \
	fault(r, row, column, problem_line((r)->mem, __VA_ARGS__))

/* "The term in row 3, column 2" */
static const char *
position(struct reader *r, int64_t row, size_t column)
{
	return arena_printf(
	    r->mem, "The term in row %" PRId64 ", column %zu", row, column);
}

static struct csv_cell
trimmed(struct csv_cell c)
{
	for (; c.n > 0 && (*c.p == ' ' || *c.p == '\t'); c.n--)
		c.p++;
	while (c.n > 0 && (c.p[c.n - 1] == ' ' || c.p[c.n - 1] == '\t'))
		c.n--;
	return c;
}

/* The first control character (category Cc) that no term may hold, or -1. */
static int
control_in(const struct csv_cell *term)
{
	const unsigned char *s = (const unsigned char *)term->p;

	for (size_t i = 0; i < term->n; i++) {
		if ((s[i] < 0x20 && s[i] != '\t' && s[i] != '\n') || s[i] == 0x7f)
			return s[i];
		if (s[i] == 0xc2 && s[i + 1] < 0xa0) /* U+0080 to U+009F */
			return s[i + 1];
	}
	return -1;
}

/* Trim white space and invisible characters. */
static struct csv_cell
visible(struct arena *mem, const struct csv_cell *term)
{
	struct buf b = { .mem = mem };
	const char *s = arena_dup(mem, term->p, term->n), *stop = s + term->n, *next;
	uint32_t cp;

	for (; s < stop; s = next) {
		next = text_next(s, &cp);
		if (!text_is_ignorable(cp))
			buf_put(&b, s, (size_t)(next - s));
	}
	return trimmed((struct csv_cell){ b.p, b.len });
}

/* The earlier row that begins with this term, or 0. */
static int64_t
seen_in(struct reader *r, const struct csv_cell *written, int64_t row)
{
	struct csv_cell seen = visible(r->mem, written), *term = &seen;
	struct first **chain = &r->known[hash_term(r->key, term) & (r->nknown - 1)];
	struct first *f = *chain;

	while (f != NULL &&
	       (f->term.n != term->n || memcmp(f->term.p, term->p, term->n) != 0))
		f = f->next;
	if (f != NULL)
		return f->row;
	f = arena_alloc(r->mem, sizeof(*f));
	*f = (struct first){ *term, row, *chain };
	*chain = f;
	return 0;
}

static void
check_term(struct reader *r, int64_t row, size_t column, const struct csv_cell *term)
{
	int control = control_in(term);
	int64_t earlier;

	if (term->n == 0) {
		FAULT(r, row, column, P_CSV_EMPTY, "%s is empty.",
		    position(r, row, column));
		return;
	}
	if (term->n > TERM_BYTES)
		FAULT(r, row, column, P_CSV_TERM_LENGTH,
		    "%s has %zu bytes; a term may have %d.", position(r, row, column),
		    term->n, TERM_BYTES);
	if (control >= 0)
		FAULT(r, row, column, P_CSV_CONTROL,
		    "%s holds the control character U+%04X.", position(r, row, column),
		    (unsigned)control);
	if (column == 1 && (earlier = seen_in(r, term, row)) > 0)
		FAULT(r, row, column, P_CSV_DUPLICATE,
		    "%s stands in row %" PRId64 " already.", position(r, row, column),
		    earlier);
}

static void
check_terms(struct reader *r, const struct csv_row *row)
{
	for (size_t i = 0; i < r->columns; i++) {
		struct csv_cell term = trimmed(row->cells[i]);

		check_term(r, row->line, i + 1, &term);
		buf_put(&r->terms, term.p, term.n);
		buf_str(&r->terms, i + 1 < r->columns ? TERM_END : "");
	}
	if (row->n > r->columns && trimmed(row->cells[r->columns]).n > 0)
		buf_str(&r->terms, TERM_END TERM_CASE);
	buf_str(&r->terms, TERMS_END);
}

/* The number of cells up to the last one that is not empty. */
static size_t
used(const struct csv_row *row)
{
	size_t n = row->n;

	while (n > 0 && trimmed(row->cells[n - 1]).n == 0)
		n--;
	return n;
}

static bool
is_header(struct reader *r, const struct csv_row *row)
{
	bool is = r->headed && row->broken == NULL && used(row) > 0;

	r->headed &= !is;
	return is;
}

/* True if the column after the two terms is empty or says that case matters. */
static bool
is_case(const struct csv_cell *written)
{
	struct csv_cell cell = trimmed(*written);

	return cell.n == 0 ||
	       (cell.n == strlen(TERM_CASE) && memcmp(cell.p, TERM_CASE, cell.n) == 0);
}

static bool
measure_row(void *arg, const struct csv_row *row)
{
	struct reader *r = arg;

	if (is_header(r, row))
		return true;
	if (used(row) > r->width)
		r->width = used(row);
	r->other |= r->columns != 2 ||
		    (row->n > r->columns && !is_case(&row->cells[r->columns]));
	return true;
}

/* Check the form of a row first. If it is wrong, its terms are not checked. */
static bool
add_row(void *arg, const struct csv_row *found)
{
	struct reader *r = arg;
	struct csv_row row = *found;

	if ((row.broken == NULL && used(&row) == 0) || is_header(r, &row))
		return true;
	row.line += r->passed;
	if (row.broken == NULL && row.n > r->width)
		row.n = r->width;
	r->rows++;
	if (row.broken != NULL)
		FAULT(r, row.line, row.n + 1, P_CSV_QUOTING, "%s %s.",
		    position(r, row.line, row.n + 1), row.broken);
	else if (row.n != r->columns && (r->other || row.n != r->columns + 1))
		FAULT(r, row.line, 0, P_CSV_COLUMNS,
		    "Row %" PRId64 " has %zu column%s, not %zu.", row.line, row.n,
		    row.n == 1 ? "" : "s", r->columns);
	else
		check_terms(r, &row);
	return r->nfaults < TERM_FAULTS;
}

/* The first line that is not UTF-8. No character contains an LF. */
static int64_t
bad_line(const char *s, size_t n)
{
	const char *stop = s + n, *end;
	int64_t line = 1;

	for (; (end = memchr(s, '\n', (size_t)(stop - s))) != NULL; line++) {
		if (!text_valid(s, (size_t)(end - s)))
			break;
		s = end + 1;
	}
	return line;
}

/*
 * The length of a first line like "sep=;", which names the separator; 0: there is none.
 */
static size_t
separator_line(const char *s, size_t n, char *separator)
{
	if (n < 6 || memcmp(s, "sep=", 4) != 0 || strchr("\"\r\n", s[4]) != NULL ||
	    (unsigned char)s[4] >= 0x80 || (s[5] != '\r' && s[5] != '\n'))
		return 0;
	*separator = s[4];
	return n > 7 && memcmp(s + 5, "\r\r\n", 3) == 0 ? 8
	       : n > 6 && memcmp(s + 5, "\r\n", 2) == 0 ? 7
							: 6;
}

static void
read_rows(struct reader *r, const char *s, size_t n)
{
	bool headed = r->headed;
	char separator = ',';
	size_t head;

	if (n == 0)
		s = ""; /* a workbook without a row has none */
	if (n >= 3 && memcmp(s, BOM, 3) == 0) {
		s += 3;
		n -= 3;
	}
	while (n > 0 && (s[n - 1] == '\0' || s[n - 1] == '\x1a'))
		n--;
	head = separator_line(s, n, &separator);
	r->passed = head > 0;
	s += head;
	n -= head;
	make_known(r, n);
	r->width = r->columns;
	csv_read(r->mem, s, n, separator, measure_row, r);
	r->headed = headed;
	csv_read(r->mem, s, n, separator, add_row, r);
	if (r->rows == 0)
		FAULT(r, 1, 0, P_CSV_NO_ENTRIES, "The file has no rows.");
}

void
terms_read(struct arena *mem, const char *s, size_t n, const struct terms_form *form,
    struct terms *to)
{
	struct reader r = { .mem = mem,
		.columns = form->columns,
		.headed = form->headed,
		.faults.mem = mem,
		.terms.mem = mem };
	int64_t row;

	if (text_valid(s, n))
		read_rows(&r, s, n);
	else {
		row = bad_line(s, n);
		FAULT(&r, row, 0, P_CSV_UTF8,
		    "Row %" PRId64 " has bytes that are not UTF-8.", row);
	}
	*to = (struct terms){ r.nfaults > 0 ? 0 : r.rows, buf_text(&r.terms),
		buf_text(&r.faults) };
}
