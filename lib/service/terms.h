/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_TERMS_H
#define SERVICE_TERMS_H

#include "store/glossaries.h"

/*
 * Reads the file of a glossary: rows of one or two terms, as CSV. A column TERM_CASE
 * after two terms says that their case matters. The file is accepted completely, or
 * rejected with the faults found.
 */
#define TERM_BYTES 1024
#define TERM_FAULTS 100 /* faults reported, at most */

/* End of the content type of a file that begins with a header (RFC 4180). */
#define TERMS_HEADED "; header=present"

struct terms_form {
	size_t columns; /* columns that each row must have */
	bool headed;    /* the first non-empty row is skipped */
};

/* Read n bytes. */
void terms_read(
    struct arena *, const char *, size_t n, const struct terms_form *, struct terms *);

#endif
