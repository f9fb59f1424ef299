/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libcsv gets one line at a time. So a row's first line is known, each line end becomes
 * LF, and a broken row ends with its line.
 */
#include "base/csv.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH 4096 /* bytes by which libcsv's room for a cell grows */

struct reading {
	struct csv_parser parser;
	char separator;
	struct buf cells;
	char *text; /* text of all cells, which is never longer than the file */
	struct csv_row row;
	bool open; /* the row continues in the next line */
	bool more; /* take() wants more rows */
	csv_taker *take;
	void *arg;
};

/* Blanks are part of a cell. */
static int
is_blank(unsigned char c)
{
	(void)c;
	return 0;
}

static int
is_line_end(unsigned char c)
{
	return c == '\n';
}

static void
begin_parser(struct reading *r)
{
	struct csv_parser *p = &r->parser;

	if (csv_init(p, CSV_STRICT | CSV_STRICT_FINI) != 0)
		abort();
	csv_set_delim(p, (unsigned char)r->separator);
	csv_set_space_func(p, is_blank);
	csv_set_term_func(p, is_line_end);
	csv_set_blk_size(p, GROWTH);
}

static void
on_cell(void *s, size_t n, void *arg)
{
	struct reading *r = arg;
	struct csv_cell c = { r->text, n };

	if (n > 0)
		memcpy(r->text, s, n);
	r->text += n;
	buf_put(&r->cells, &c, sizeof(c));
}

static void
end_row(struct reading *r, const char *broken)
{
	r->row.broken = broken;
	r->row.cells = (const struct csv_cell *)(const void *)r->cells.p;
	r->row.n = r->cells.len / sizeof(struct csv_cell);
	r->more = r->take(r->arg, &r->row);
	r->cells.len = 0;
	r->open = false;
}

static void
on_row(int c, void *arg)
{
	(void)c;
	end_row(arg, NULL);
}

/* False: the row is broken, which was reported. */
static bool
feed(struct reading *r, const char *s, size_t n)
{
	bool closed;

	if (csv_parse(&r->parser, s, n, on_cell, on_row, r) == n)
		return true;
	if (csv_error(&r->parser) != CSV_EPARSE)
		abort(); /* out of memory, so abort as arenas do */
	closed = r->parser.quoted;
	csv_free(&r->parser);
	begin_parser(r);
	end_row(r, closed ? "continues after its closing quote"
			  : "has a quote but does not begin with one");
	return false;
}

static void
read_line(struct reading *r, int64_t line, const char *s, size_t n, bool ended)
{
	if (!r->open && n == 0)
		return;
	if (!r->open)
		r->row.line = line;
	r->open = true;
	if (feed(r, s, n) && ended)
		feed(r, "\n", 1);
}

/*
 * Returns the character after the line end at s (LF, CR, CRLF or CRCRLF); n bytes are
 * left.
 */
static const char *
past_line_end(const char *s, size_t n)
{
	size_t crs = n > 2 && memcmp(s, "\r\r\n", 3) == 0 ? 2 : *s == '\r';

	return s + crs + (crs < n && s[crs] == '\n');
}

void
csv_read(struct arena *mem, const char *s, size_t n, char separator, csv_taker *take,
    void *arg)
{
	struct reading r = { .cells.mem = mem,
		.separator = separator,
		.more = true,
		.take = take,
		.arg = arg };
	const char *stop = s + n, *end;

	r.text = arena_alloc(mem, n);
	begin_parser(&r);
	for (int64_t line = 1; s < stop && r.more; line++) {
		for (end = s; end < stop && *end != '\n' && *end != '\r'; end++)
			continue;
		read_line(&r, line, s, (size_t)(end - s), end < stop);
		s = end < stop ? past_line_end(end, (size_t)(stop - end)) : stop;
	}
	if (r.more && r.open && csv_fini(&r.parser, on_cell, on_row, &r) != 0)
		end_row(&r, "has a quote that is never closed");
	csv_free(&r.parser);
}

/* ---- writing ---- */

void
csv_put(struct buf *to, const char *s, size_t n)
{
	bool quoted = false;

	for (size_t i = 0; i < n && !quoted; i++)
		quoted = s[i] == ',' || s[i] == '"' || s[i] == '\r' || s[i] == '\n';
	if (quoted)
		to->len += csv_write(buf_room(to, 2 * n + 2), 2 * n + 2, s, n);
	else
		buf_put(to, s, n);
}

const char *
csv_cell(struct arena *mem, const char *s)
{
	struct buf b = { .mem = mem };

	csv_put(&b, s, strlen(s));
	return buf_text(&b);
}

const char *
csv_cell_guarded(struct arena *mem, const char *s)
{
	bool formula = s[0] != '\0' && strchr("=+-@\t\r", s[0]) != NULL;

	return csv_cell(mem, formula ? arena_printf(mem, "'%s", s) : s);
}
