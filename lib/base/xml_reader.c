/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Uses libxml2's events of SAX 1: those of SAX 2 look each prefix up among all
 * namespaces in scope.  libxml2 compares each attribute of an element with all others,
 * so elements with many are refused before.
 */
#include "base/xml_reader.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/libxml.h"
struct reading {
	const struct xml_reader *to;
	xmlParserCtxt *parser;
	bool refused;
};

/* ---- attributes ---- */

static const char *
local_name(const xmlChar *name)
{
	const char *colon = strrchr((const char *)name, ':');

	return colon != NULL ? colon + 1 : (const char *)name;
}

const char *
xml_attribute(const char *const *attributes, const char *name)
{
	for (; attributes != NULL && *attributes != NULL; attributes += 2)
		if (strcmp(local_name((const xmlChar *)*attributes), name) == 0)
			return attributes[1];
	return NULL;
}

/* Past a comment, character data or an instruction at s; NULL: it does not end. */
static const char *
past_markup(const char *s, size_t n)
{
	const char *end = n > 3 && memcmp(s, "<!--", 4) == 0 ? "-->"
			  : s[1] == '!'                      ? "]]>"
							     : "?>";
	const char *at = memmem(s, n, end, strlen(end));

	return at != NULL ? at + strlen(end) : NULL;
}

/* Past the element's tag at s; NULL: it does not end, or has too many attributes. */
static const char *
past_tag(const char *s, const char *stop)
{
	int attributes = 0;

	for (; s < stop && *s != '>'; s++) {
		if (*s != '"' && *s != '\'')
			continue;
		s = memchr(s + 1, *s, (size_t)(stop - s - 1));
		if (s == NULL || ++attributes > XML_ATTRIBUTES)
			return NULL;
	}
	return s < stop ? s + 1 : NULL;
}

static bool
has_few_attributes(const char *s, size_t n)
{
	const char *stop = s + n;

	while (s != NULL && (s = memchr(s, '<', (size_t)(stop - s))) != NULL) {
		s = stop - s > 1 && (s[1] == '!' || s[1] == '?')
			? past_markup(s, (size_t)(stop - s))
			: past_tag(s, stop);
		if (s == NULL)
			return false;
	}
	return true;
}

/* ---- events ---- */

static void
begin_element(void *arg, const xmlChar *name, const xmlChar **attributes)
{
	const struct reading *r = arg;

	r->to->begin(r->to->arg, local_name(name),
	    (const char *const *)(const void *)attributes);
}

static void
end_element(void *arg, const xmlChar *name)
{
	const struct reading *r = arg;

	if (r->to->end != NULL)
		r->to->end(r->to->arg, local_name(name));
}

static void
put_text(void *arg, const xmlChar *text, int n)
{
	const struct reading *r = arg;

	if (r->to->text != NULL)
		r->to->text(r->to->arg, (const char *)text, (size_t)n);
}

/* Called at a document type declaration, before its first entity. */
static void
refuse(void *arg, const xmlChar *name, const xmlChar *id, const xmlChar *system)
{
	struct reading *r = arg;

	(void)name, (void)id, (void)system;
	r->refused = true;
	xmlStopParser(r->parser);
}

bool
xml_read_elements(const char *s, size_t n, const struct xml_reader *to)
{
	struct reading r = { .to = to };
	bool whole;

	if (n == 0 || n > INT_MAX || !has_few_attributes(s, n))
		return false;
	if ((r.parser = xmlNewParserCtxt()) == NULL)
		abort();
	*r.parser->sax = (xmlSAXHandler){ .startElement = begin_element,
		.endElement = end_element,
		.characters = put_text,
		.ignorableWhitespace = put_text,
		.cdataBlock = put_text,
		.internalSubset = refuse };
	r.parser->userData = &r;
	xmlCtxtReadMemory(r.parser, s, (int)n, NULL, "UTF-8",
	    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
		XML_PARSE_NOENT | XML_PARSE_SAX1 | XML_PARSE_IGNORE_ENC);
	whole = r.parser->wellFormed && !r.refused;
	xmlFreeParserCtxt(r.parser);
	return whole;
}
