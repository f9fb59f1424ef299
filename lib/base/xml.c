/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Uses libxml2's writer and tree. One event of the parser is handled here: a document
 * type declaration, which is reported before the entities that it declares.
 */
#include "base/xml.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/libxml.h"
#include "base/text.h"

#define TEXT (const xmlChar *)

/* Replace the characters that XML 1.0 §2.2 forbids. */
static const char *
writable(struct arena *mem, const char *text)
{
	char *s = arena_str(mem, text);

	assert(text_valid(text, strlen(text)));
	for (char *p = s; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 && strchr("\t\n\r", *p) == NULL)
			*p = '?';
		else if (strncmp(p, "\xef\xbf\xbe", 3) == 0 ||
			 strncmp(p, "\xef\xbf\xbf", 3) == 0)
			p = memcpy(p, "???", 3);
	return s;
}

const char *
xml_escaped(struct arena *mem, const char *text)
{
	xmlChar *s = xmlEncodeSpecialChars(NULL, TEXT writable(mem, text));
	const char *to;

	if (s == NULL)
		abort();
	to = arena_str(mem, (const char *)s);
	xmlFree(s);
	return to;
}

static bool
write_document(struct arena *mem, xmlTextWriter *w, const char *root,
    const struct xml_text *texts, size_t n)
{
	if (xmlTextWriterStartDocument(w, NULL, "UTF-8", NULL) < 0 ||
	    xmlTextWriterStartElement(w, TEXT root) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (xmlTextWriterWriteElement(
			w, TEXT texts[i].name, TEXT writable(mem, texts[i].text)) < 0)
			return false;
	return xmlTextWriterEndDocument(w) >= 0;
}

const char *
xml_write(struct arena *mem, const char *root, const struct xml_text *texts, size_t n)
{
	xmlBuffer *b = xmlBufferCreate();
	xmlTextWriter *w = xmlNewTextWriterMemory(b, 0);
	const char *to;

	if (w == NULL || !write_document(mem, w, root, texts, n))
		abort(); /* fails only when out of memory */
	xmlFreeTextWriter(w);
	to = arena_dup(mem, (const char *)b->content, b->use);
	xmlBufferFree(b);
	return to;
}

/* Called at a document type declaration, before its first entity. */
static void
refuse(void *parser, const xmlChar *name, const xmlChar *id, const xmlChar *system)
{
	(void)name, (void)id, (void)system;
	xmlStopParser(parser);
}

/* The text of the element itself. */
static const char *
text_in(struct arena *mem, const xmlNode *element)
{
	struct buf b = { .mem = mem };

	for (const xmlNode *kid = element->children; kid != NULL; kid = kid->next)
		if (kid->type == XML_TEXT_NODE || kid->type == XML_CDATA_SECTION_NODE)
			buf_str(&b, (const char *)kid->content);
	return buf_text(&b);
}

static bool
is_named(const xmlNode *node, const char *name)
{
	return node->type == XML_ELEMENT_NODE &&
	       strcmp((const char *)node->name, name) == 0;
}

static void
add_element(struct arena *mem, const xmlNode *element, struct xml_text *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (to[i].text == NULL && is_named(element, to[i].name))
			to[i].text = text_in(mem, element);
}

static void
add_children(struct arena *mem, const xmlNode *above, struct xml_text *texts, size_t n)
{
	for (const xmlNode *kid = above->children; kid != NULL; kid = kid->next)
		add_element(mem, kid, texts, n);
}

/* NULL: the document is refused. */
static xmlDoc *
parse(const char *s, size_t n)
{
	xmlParserCtxt *parser = xmlNewParserCtxt();
	xmlDoc *doc = NULL;

	if (parser == NULL)
		abort();
	parser->sax->internalSubset = refuse;
	if (n <= XML_READ_BYTES)
		doc = xmlCtxtReadMemory(parser, s, (int)n, NULL, NULL,
		    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	if (doc != NULL && parser->errNo != XML_ERR_OK) {
		xmlFreeDoc(doc);
		doc = NULL;
	}
	xmlFreeParserCtxt(parser);
	return doc;
}

bool
xml_read(
    struct arena *mem, const char *s, size_t n, struct xml_text *texts, size_t ntexts)
{
	xmlDoc *doc = parse(s, n);

	for (size_t i = 0; i < ntexts; i++)
		texts[i].text = NULL;
	if (doc == NULL)
		return false;
	add_children(mem, xmlDocGetRootElement(doc), texts, ntexts);
	xmlFreeDoc(doc);
	return true;
}

static const struct xml_text *
read_row(struct arena *mem, const xmlNode *row, const struct xml_rows *is)
{
	struct xml_text *texts = arena_alloc(mem, is->ntexts * sizeof(*texts));

	for (size_t i = 0; i < is->ntexts; i++)
		texts[i].name = is->names[i];
	add_children(mem, row, texts, is->ntexts);
	return texts;
}

bool
xml_read_rows(struct arena *mem, const char *s, size_t n, struct xml_rows *to)
{
	xmlDoc *doc = parse(s, n);
	struct buf b = { .mem = mem };

	to->rows = (struct list){ 0 };
	if (doc == NULL)
		return false;
	for (const xmlNode *kid = xmlDocGetRootElement(doc)->children; kid != NULL;
	     kid = kid->next)
		if (is_named(kid, to->element)) {
			buf_put(&b, read_row(mem, kid, to),
			    to->ntexts * sizeof(struct xml_text));
			to->rows.n++;
		}
	to->rows.items = b.p;
	xmlFreeDoc(doc);
	return true;
}
