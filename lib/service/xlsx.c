/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/xlsx.h"

#include <stdlib.h>
#include <string.h>

#include "base/zip.h"
#include "service/xlsx_internal.h"
#include "store/glossaries.h"

#define DAMAGED "The workbook is damaged."

static enum err
fail(enum err e, const char *sentence, const char **why)
{
	*why = sentence;
	return e;
}

/* The sentence about a failure of the archive. */
static enum err
unreadable(enum err e, const char **why)
{
	if (e == ERR_LIMIT)
		return fail(e, "The workbook unpacks to more than 32 MiB.", why);
	return fail(ERR_UNSUPPORTED,
	    e == ERR_NOT_FOUND ? "The file is no workbook (XLSX)."
			       : "The workbook is damaged or encrypted.",
	    why);
}

/* ---- reading ---- */

/* A part that may be absent. */
static enum err
read_part(struct zip_reader *z, const char *name, struct buf *b)
{
	enum err e = name != NULL ? zip_read(z, name, b) : OK;

	return e == ERR_NOT_FOUND ? OK : e;
}

static enum err
read_parts(struct arena *mem, struct zip_reader *z, const struct xlsx_parts *parts,
    struct xlsx_sheet *sheet, const char **why)
{
	struct xlsx_styles styles = { .from_1904 = parts->from_1904 };
	struct buf cells = { .mem = mem }, shared = cells, formats = cells;
	enum err e;

	if ((e = read_part(z, parts->styles, &formats)) != OK ||
	    (e = read_part(z, parts->shared, &shared)) != OK ||
	    (e = zip_read(z, parts->sheet, &cells)) != OK)
		return e == ERR_NOT_FOUND ? fail(ERR_UNSUPPORTED, DAMAGED, why)
					  : unreadable(e, why);
	if ((formats.len > 0 && !xlsx_read_styles(mem, &formats, &styles)) ||
	    !xlsx_read_sheet(mem, &cells, &styles, sheet) ||
	    (!sheet->many && !xlsx_read_shared(mem, &shared, sheet)))
		return fail(ERR_UNSUPPORTED, DAMAGED, why);
	return OK;
}

/* ---- writing ---- */

static int
by_place(const void *a, const void *b)
{
	const struct xlsx_cell *x = a, *y = b;

	return x->row != y->row ? (x->row < y->row ? -1 : 1) : x->column - y->column;
}

static bool
is_blank(const struct csv_cell *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->p[i] != ' ' && c->p[i] != '\t')
			return false;
	return true;
}

static bool
is_case(const struct csv_cell *c)
{
	return c->n == strlen(TERM_CASE) && memcmp(c->p, TERM_CASE, c->n) == 0;
}

/* Append a row; false: it is empty. */
static bool
put_row(struct buf *csv, const struct csv_cell cells[XLSX_COLUMNS])
{
	if (is_blank(&cells[0]) && is_blank(&cells[1]))
		return false;
	csv_put(csv, cells[0].p, cells[0].n);
	buf_str(csv, ",");
	csv_put(csv, cells[1].p, cells[1].n);
	if (is_case(&cells[2]))
		buf_str(csv, "," TERM_CASE);
	return true;
}

/* The cells of the row at *i, which moves behind them. */
static void
gather(const struct xlsx_cell *cells, size_t n, size_t *i, struct csv_cell *to)
{
	int64_t row = cells[*i].row;

	for (int k = 0; k < XLSX_COLUMNS; k++)
		to[k] = (struct csv_cell){ "", 0 };
	for (; *i < n && cells[*i].row == row; ++*i)
		to[cells[*i].column - 1] = cells[*i].text;
}

static enum err
put_rows(struct arena *mem, struct buf *csv, struct xlsx_sheet *sheet, const char **why)
{
	struct xlsx_cell *cells = (struct xlsx_cell *)(void *)sheet->cells.p;
	size_t n = sheet->cells.len / sizeof(*cells), from = csv->len, rows = 0;
	struct csv_cell row[XLSX_COLUMNS];
	int64_t line = 1;

	if (n > 0)
		qsort(cells, n, sizeof(*cells), by_place);
	for (size_t i = 0; i < n && !sheet->many; buf_str(csv, "\n"), line++) {
		for (; line < cells[i].row; line++)
			buf_str(csv, "\n");
		gather(cells, n, &i, row);
		rows += put_row(csv, row);
		sheet->many |= rows > XLSX_ROWS;
		if (csv->len - from > XLSX_TEXT_BYTES)
			return fail(ERR_LIMIT,
			    arena_printf(mem, "The terms may have at most %d bytes.",
				XLSX_TEXT_BYTES),
			    why);
	}
	return !sheet->many ? OK
			    : fail(ERR_LIMIT,
				  arena_printf(mem,
				      "The sheet may have at most %d rows.", XLSX_ROWS),
				  why);
}

enum err
xlsx_csv(struct arena *mem, const char *p, size_t n, struct buf *csv, const char **why)
{
	struct xlsx_sheet sheet = { .many = false };
	struct xlsx_parts parts;
	struct zip_reader *z;
	enum err e;

	if ((e = zip_reader_new(mem, p, n, XLSX_UNPACKED, &z)) != OK ||
	    (e = xlsx_find_parts(mem, z, &parts)) != OK)
		return unreadable(e, why);
	if (parts.sheet == NULL)
		return fail(ERR_UNSUPPORTED, "The workbook has no sheet.", why);
	if ((e = read_parts(mem, z, &parts, &sheet, why)) != OK)
		return e;
	return put_rows(mem, csv, &sheet, why);
}
