/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_XLSX_H
#define SERVICE_XLSX_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Workbooks of spreadsheets (ECMA-376, SpreadsheetML), which are untrusted.
 */
#define XLSX_TYPE "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
#define XLSX_ROWS 10000          /* rows with a term, at most */
#define XLSX_UNPACKED (32 << 20) /* bytes of the workbook unpacked, at most */
#define XLSX_TEXT_BYTES 4000000  /* bytes of the rows as CSV, at most */

/*
 * Append the rows of the first sheet that is not hidden as CSV, in which a row has the
 * same number as in the sheet: the first two columns, and a third one where it says
 * TERM_CASE.  Formulas have their stored values, dates become ISO 8601, and a line
 * break becomes a blank.  ERR_UNSUPPORTED: it is no workbook, or a damaged one.
 * ERR_LIMIT: it exceeds a limit.  Then *why is a sentence.
 */
enum err xlsx_csv(struct arena *, const char *, size_t n, struct buf *csv,
    const char **why) MUST_CHECK;

#endif
