#ifndef SERVICE_TERMS_H
#define SERVICE_TERMS_H

#include "store/glossaries.h"

/*
 * The file of a glossary: rows of one or two terms, as CSV.  All of it is good,
 * or none of it is taken and it is said why.
 */
#define TERM_BYTES 1024
#define TERM_FAULTS 100 /* told of, at most */

/* Read n bytes that should have rows of so many columns. */
void terms_read(struct arena *, const char *, size_t n, size_t columns, struct terms *);

#endif
