#ifndef STORE_TERMS_H
#define STORE_TERMS_H

#include "base/field.h"

/*
 * The file of a glossary: rows of one or two terms, as CSV.  All of it is good,
 * or none of it is taken and it is said why.
 */
#define TERM_BYTES 1024
#define TERM_FAULTS 100 /* told of, at most */

struct terms {
	int64_t rows;    /* 0 when there are faults */
	const char *csv; /* the rows: terms trimmed, LF line ends; csv_read() them */
	/* A line each: row, column (empty: all of them), and a problem line; ""
	   when the file is good. */
	const char *faults;
};

/* Read n bytes that should have rows of so many columns. */
void terms_read(struct arena *, const char *, size_t n, size_t columns, struct terms *);

#endif
