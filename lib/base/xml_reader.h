/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_XML_READER_H
#define BASE_XML_READER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * XML of any length, element by element.  Names are without their namespace.  Nouns:
 * xml.
 */
struct xml_reader {
	/* attributes: names and values, ended by NULL; valid during the call */
	void (*begin)(void *arg, const char *name, const char *const *attributes);
	void (*text)(void *arg, const char *, size_t n); /* a piece of text; or NULL */
	void (*end)(void *arg, const char *name);        /* or NULL */
	void *arg;
};

/*
 * The document is untrusted: a document type declaration ends the reading before its
 * first entity, nothing is ever fetched, an element has at most XML_ATTRIBUTES
 * attributes, and time is in proportion to n.  False: not well-formed, not UTF-8, or
 * one of these; elements before the fault were reported.
 */
bool xml_read_elements(const char *, size_t n, const struct xml_reader *);
/* The value of an attribute, or NULL. */
const char *xml_attribute(const char *const *attributes, const char *name);

#define XML_ATTRIBUTES 100

#endif
