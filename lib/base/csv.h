#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/*
 * Comma-separated values as RFC 4180 has them, read to the letter: cells are in
 * quotes or hold none, spaces count, lines end with LF, CRLF, CR or CRCRLF.  NUL is a
 * character like any other.  Empty lines are no rows.
 */
struct csv_cell {
	const char *p; /* no NUL behind it; lives in the arena */
	size_t n;
};

struct csv_row {
	int64_t line; /* where it begins, from 1 */
	size_t n;     /* cells that are whole */
	const struct csv_cell *cells;
	/* What is wrong with the quotes of the cell behind these, as the end of a
	   sentence that begins with the cell; NULL: the row is good. */
	const char *broken;
};

/* What becomes of a row, which is good until it answers; false: enough read. */
typedef bool csv_taker(void *arg, const struct csv_row *);

/*
 * All rows of n bytes, in order; cells are parted by the separator, one of ASCII.  A
 * line end inside quotes becomes LF.  Behind a broken row, reading goes on with the
 * next line.
 */
void csv_read(
    struct arena *, const char *, size_t n, char separator, csv_taker *, void *arg);

/* A cell of n bytes as RFC 4180 writes it: in quotes only where it must be. */
void csv_put(struct buf *, const char *, size_t n);
/* The same of a text, in the arena. */
const char *csv_cell(struct arena *, const char *);
/*
 * The same for files that a spreadsheet may open: what it would take for a
 * formula (it begins with = + - @, tab or CR) gets an apostrophe in front.
 */
const char *csv_cell_guarded(struct arena *, const char *);

#endif
