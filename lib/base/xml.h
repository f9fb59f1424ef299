/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_XML_H
#define BASE_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/field.h"

/*
 * The XML of S3: a root whose children hold text and nothing else,
 *     <Error><Code>NoSuchKey</Code><Message>...</Message></Error>
 */
struct xml_text {
	const char *name; /* name of the element */
	const char *text; /* UTF-8; reading: NULL if the element is absent */
};

#define XML_READ_BYTES 65536 /* the longest document that is read */

/*
 * The document with its declaration, in the arena.  Texts must be UTF-8; a character
 * that XML 1.0 forbids becomes '?'.
 */
const char *xml_write(
    struct arena *, const char *root, const struct xml_text *, size_t n);

/* The text as the content of an element.  It must be UTF-8; a character that XML 1.0
   forbids becomes '?'. */
const char *xml_escaped(struct arena *, const char *);

/*
 * Fill in the texts of the named children of the root, the first of each name;
 * namespaces and deeper elements are ignored.  The document is untrusted: a document
 * type declaration ends the reading before its first entity, nothing is ever fetched,
 * and memory use is a small multiple of n.  False: not well-formed, such a
 * declaration, or longer than XML_READ_BYTES.
 */
bool xml_read(struct arena *, const char *, size_t n, struct xml_text *, size_t ntexts);

struct xml_rows {
	const char *element; /* name of a child of the root, which holds elements */
	const char *const *names; /* names of the elements, equal for all rows */
	size_t ntexts;
	struct list rows; /* read: arrays of ntexts struct xml_text, one after the
			     other; n: their number */
};

/* Read each child of the root that is such an element. */
bool xml_read_rows(struct arena *, const char *, size_t n, struct xml_rows *);

#endif
