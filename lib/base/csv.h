/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/*
 * Comma-separated values, strictly by RFC 4180: a cell with quotes is in quotes,
 * spaces count, lines end with LF, CRLF, CR or CRCRLF.  NUL is a character like any
 * other.  Empty lines are not rows.
 */
struct csv_cell {
	const char *p; /* no NUL after it; lives in the arena */
	size_t n;
};

struct csv_row {
	int64_t line; /* line where the row begins, from 1 */
	size_t n;     /* complete cells */
	const struct csv_cell *cells;
	/*
	 * The fault in the quotes of the next cell, worded to follow the cell in a
	 * sentence; NULL: the row is valid.
	 */
	const char *broken;
};

/* Receives a row, which is valid during the call; false: stop reading. */
typedef bool csv_taker(void *arg, const struct csv_row *);

/*
 * Read all rows of n bytes, in order; the separator is an ASCII character.  A line end
 * inside quotes becomes LF.  After a broken row, reading continues with the next line.
 */
void csv_read(
    struct arena *, const char *, size_t n, char separator, csv_taker *, void *arg);

/* Append a cell of n bytes by RFC 4180: in quotes only where needed. */
void csv_put(struct buf *, const char *, size_t n);
/* As csv_put(), but returns the text in the arena. */
const char *csv_cell(struct arena *, const char *);
/*
 * As csv_cell(), for files that a spreadsheet may open: a cell that it would read as a
 * formula (it begins with = + -
 * @, tab or CR) gets an apostrophe before it.
 */
const char *csv_cell_guarded(struct arena *, const char *);

#endif
