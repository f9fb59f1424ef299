/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cells of a sheet. Most texts are in the list of shared strings, which is read
 * after the sheet, so only those of its first columns are stored.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "service/xlsx.h"
#include "service/xlsx_internal.h"

struct reader {
	struct arena *mem;
	const struct xlsx_styles *styles;
	struct xlsx_sheet *to;
	struct xlsx_cell cell;
	const char *type; /* the cell's type, or NULL */
	int64_t style;
	bool open;        /* inside a cell, or a shared string */
	bool reading;     /* inside an element with a part of its text */
	int reading_aids; /* depth of elements with the pronunciation */
	struct buf text;
	/* shared strings: those wanted, by index */
	struct xlsx_cell **wanted;
	size_t nwanted, next;
	int64_t index;
};

/* ---- texts ---- */

/* The code point of an escape like "_x000D_", or -1. */
static int64_t
escaped(const char *s, size_t n)
{
	char digits[5] = "";
	char *end;
	long cp;

	if (n < 7 || s[0] != '_' || s[1] != 'x' || s[6] != '_')
		return -1;
	memcpy(digits, s + 2, 4);
	cp = strtol(digits, &end, 16);
	return end == digits + 4 && digits[0] != '-' && digits[0] != '+' ? cp : -1;
}

/* The text without escapes; a line end becomes a blank. */
static struct csv_cell
plain_text(struct arena *mem, const struct buf *b)
{
	char *to = arena_alloc(mem, b->len + 1), *s = to;
	size_t n, step;
	int64_t cp;

	for (size_t i = 0; i < b->len; i += step) {
		cp = escaped(b->p + i, b->len - i);
		n = cp > 0 ? text_put(s, (uint32_t)cp) : 0;
		step = n > 0 ? 7 : 1;
		if (n == 0)
			*s = b->p[i];
		if (*s == '\r' || *s == '\n')
			*s = ' ';
		s += n > 0 ? n : 1;
	}
	return (struct csv_cell){ to, (size_t)(s - to) };
}

static void
begin_text(struct reader *r, const char *name, const char *element)
{
	r->reading_aids += strcmp(name, "rPh") == 0;
	if (r->open && r->reading_aids == 0 && strcmp(name, element) == 0)
		r->reading = true;
}

static void
end_text(struct reader *r, const char *name)
{
	r->reading_aids -= strcmp(name, "rPh") == 0;
	r->reading = false;
}

static void
put_text(void *arg, const char *s, size_t n)
{
	struct reader *r = arg;

	if (r->reading)
		buf_put(&r->text, s, n);
}

/* ---- the sheet ---- */

/* Read a reference like "B12"; without one the cell is beside the last one. */
static void
place_cell(struct reader *r, const char *reference)
{
	int column = 0;
	long row;

	r->cell.column++;
	if (reference == NULL)
		return;
	for (; *reference >= 'A' && *reference <= 'Z' && column < 1 << 20; reference++)
		column = column * 26 + *reference - 'A' + 1;
	row = strtol(reference, NULL, 10);
	if (column > 0)
		r->cell.column = column;
	if (row > 0)
		r->cell.row = row;
}

static int64_t
number_of(const char *const *a, const char *name, int64_t otherwise)
{
	const char *s = xml_attribute(a, name);

	return s != NULL ? strtoll(s, NULL, 10) : otherwise;
}

static bool
is_type(const struct reader *r, const char *type)
{
	return r->type != NULL && strcmp(r->type, type) == 0;
}

static void
begin_in_sheet(void *arg, const char *name, const char *const *a)
{
	struct reader *r = arg;

	if (strcmp(name, "row") == 0) {
		r->cell.row = number_of(a, "r", r->cell.row + 1);
		r->cell.column = 0;
	} else if (strcmp(name, "c") == 0) {
		place_cell(r, xml_attribute(a, "r"));
		r->type = arena_str(r->mem, xml_attribute(a, "t"));
		r->style = number_of(a, "s", 0);
		r->text.len = 0;
		r->open = true;
	} else
		begin_text(r, name, is_type(r, "inlineStr") ? "t" : "v");
}

/* Set text or shared of the cell. */
static void
read_value(struct reader *r)
{
	static const char *const texts[] = { "str", "inlineStr", "e", "d" };
	const char *value = buf_text(&r->text);
	bool is_text = false;

	r->cell.shared = -1;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		is_text |= is_type(r, texts[i]);
	if (is_text)
		r->cell.text = plain_text(r->mem, &r->text);
	else if (is_type(r, "s") && *value != '-')
		r->cell.shared = strtoll(value, NULL, 10);
	else if (is_type(r, "b"))
		r->cell.text = *value == '0' ? (struct csv_cell){ "FALSE", 5 }
					     : (struct csv_cell){ "TRUE", 4 };
	else
		r->cell.text =
		    xlsx_number(r->mem, arena_str(r->mem, value), r->style, r->styles);
}

static void
end_in_sheet(void *arg, const char *name)
{
	struct reader *r = arg;

	end_text(r, name);
	if (strcmp(name, "c") != 0)
		return;
	r->open = false;
	if (r->text.len == 0 || r->cell.column > XLSX_COLUMNS)
		return;
	r->to->many |= r->to->cells.len >= XLSX_COLUMNS * XLSX_ROWS * sizeof(r->cell) ||
		       r->cell.row < 1 || r->cell.row > XLSX_LAST_ROW;
	if (r->to->many)
		return;
	read_value(r);
	buf_put(&r->to->cells, &r->cell, sizeof(r->cell));
}

bool
xlsx_read_sheet(struct arena *mem, const struct buf *part,
    const struct xlsx_styles *styles, struct xlsx_sheet *to)
{
	struct reader r = { .mem = mem, .styles = styles, .to = to, .text.mem = mem };

	to->cells.mem = mem;
	return xml_read_elements(part->p, part->len,
	    &(struct xml_reader){ begin_in_sheet, put_text, end_in_sheet, &r });
}

/* ---- shared strings ---- */

static void
begin_in_shared(void *arg, const char *name, const char *const *a)
{
	struct reader *r = arg;

	(void)a;
	if (strcmp(name, "si") == 0) {
		r->open =
		    r->next < r->nwanted && r->wanted[r->next]->shared == r->index;
		r->text.len = 0;
	} else
		begin_text(r, name, "t");
}

static void
end_in_shared(void *arg, const char *name)
{
	struct reader *r = arg;
	struct csv_cell text;

	end_text(r, name);
	if (strcmp(name, "si") != 0)
		return;
	if (r->open)
		text = plain_text(r->mem, &r->text);
	for (; r->next < r->nwanted && r->wanted[r->next]->shared == r->index;
	     r->next++)
		r->wanted[r->next]->text = text;
	r->open = false;
	r->index++;
}

static int
by_index(const void *a, const void *b)
{
	int64_t x = (*(struct xlsx_cell *const *)a)->shared;
	int64_t y = (*(struct xlsx_cell *const *)b)->shared;

	return x < y ? -1 : x > y;
}

bool
xlsx_read_shared(struct arena *mem, const struct buf *part, struct xlsx_sheet *to)
{
	struct xlsx_cell *cells = (struct xlsx_cell *)(void *)to->cells.p;
	size_t n = to->cells.len / sizeof(*cells);
	struct reader r = { .mem = mem, .text.mem = mem };

	r.wanted = arena_alloc(mem, n * sizeof(struct xlsx_cell *));
	for (size_t i = 0; i < n; i++)
		if (cells[i].shared >= 0)
			r.wanted[r.nwanted++] = &cells[i];
	if (r.nwanted == 0)
		return true;
	qsort(r.wanted, r.nwanted, sizeof(*r.wanted), by_index);
	return xml_read_elements(part->p, part->len,
		   &(struct xml_reader){
		       begin_in_shared, put_text, end_in_shared, &r }) &&
	       r.next == r.nwanted;
}
