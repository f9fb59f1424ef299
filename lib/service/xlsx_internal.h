/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_XLSX_INTERNAL_H
#define SERVICE_XLSX_INTERNAL_H

#include "base/buf.h"
#include "base/csv.h"
#include "base/err.h"
#include "base/xml_reader.h"

/* The parts of a workbook. Nouns: xlsx. */

#define XLSX_COLUMNS 3 /* two terms, and whether their case matters */
#define XLSX_LAST_ROW (1 << 20)

/* ---- numbers ---- */

struct xlsx_styles {
	bool in_formats;      /* inside the element of the cells' formats */
	bool from_1904;       /* days are counted from 1904 */
	unsigned char *dates; /* by number of a format: 1: it shows a date or time */
	struct buf cells;     /* by style: 1: a date or time */
};

/* Read styles.xml. False: it is damaged. */
bool xlsx_read_styles(struct arena *, const struct buf *part, struct xlsx_styles *);
/* The text of a number as a cell of this style shows it, or as it is. */
struct csv_cell xlsx_number(
    struct arena *, const char *number, int64_t style, const struct xlsx_styles *);

/* ---- cells ---- */

struct xlsx_cell {
	int64_t row;
	int column;     /* from 1 */
	int64_t shared; /* index of a shared string; -1: text is the text */
	struct csv_cell text;
};

struct xlsx_sheet {
	bool many;        /* there are more cells than rows allow */
	struct buf cells; /* struct xlsx_cell */
};

/* Read a sheet, and the texts of its cells in the list of shared strings. False: a part
   is damaged. */
bool xlsx_read_sheet(struct arena *, const struct buf *part, const struct xlsx_styles *,
    struct xlsx_sheet *);
bool xlsx_read_shared(struct arena *, const struct buf *part, struct xlsx_sheet *);

/* ---- parts ---- */

struct xlsx_parts {
	bool from_1904;
	const char *sheet, *shared, *styles; /* names of entries; NULL: none */
};

struct zip_reader;
/* Find the parts by their relationships. ERR_NOT_FOUND: it is no workbook, or it has no
   sheet. ERR_REFUSED, ERR_LIMIT: as zip_read(). */
enum err xlsx_find_parts(
    struct arena *, struct zip_reader *, struct xlsx_parts *) MUST_CHECK;

#endif
