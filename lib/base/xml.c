/*
 * libxml2's writer, and its SAX2 parser rather than a tree or a reader: there
 * the document type declaration announces itself before what it declares.
 */
#include "base/xml.h"

#include <assert.h>
#include <libxml/parser.h>
#include <libxml/xmlwriter.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

#define TEXT (const xmlChar *)

/* The text with what XML 1.0 §2.2 excludes replaced. */
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
		abort(); /* only ever for want of memory */
	xmlFreeTextWriter(w);
	to = arena_dup(mem, (const char *)b->content, b->use);
	xmlBufferFree(b);
	return to;
}

struct reading {
	struct arena *mem;
	xmlParserCtxt *parser;
	struct xml_text *texts;
	size_t n;
	int depth;           /* elements open */
	struct xml_text *in; /* whose text is being gathered, or NULL */
	struct buf text;     /* of it so far */
	bool refused;
};

static void
refuse(struct reading *r)
{
	r->refused = true;
	xmlStopParser(r->parser);
}

static void
declaration(void *arg, const xmlChar *name, const xmlChar *id, const xmlChar *system)
{
	(void)name, (void)id, (void)system;
	refuse(arg);
}

static void
element_opens(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
    int nnamespaces, const xmlChar **namespaces, int nattributes, int ndefaulted,
    const xmlChar **attributes)
{
	struct reading *r = arg;

	(void)prefix, (void)uri, (void)nnamespaces, (void)namespaces;
	(void)nattributes, (void)ndefaulted, (void)attributes;
	if (++r->depth != 2)
		return;
	for (size_t i = 0; i < r->n; i++)
		if (r->texts[i].text == NULL &&
		    strcmp(r->texts[i].name, (const char *)name) == 0)
			r->in = &r->texts[i];
	r->text = (struct buf){ .mem = r->mem };
}

static void
element_closes(
    void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct reading *r = arg;

	(void)name, (void)prefix, (void)uri;
	if (r->depth-- == 2 && r->in != NULL) {
		r->in->text = buf_text(&r->text);
		r->in = NULL;
	}
}

static void
characters(void *arg, const xmlChar *p, int n)
{
	struct reading *r = arg;

	if (r->depth == 2 && r->in != NULL)
		buf_put(&r->text, p, (size_t)n);
}

bool
xml_read(
    struct arena *mem, const char *s, size_t n, struct xml_text *texts, size_t ntexts)
{
	struct reading r = { .mem = mem, .texts = texts, .n = ntexts };
	xmlSAXHandler sax = { .initialized = XML_SAX2_MAGIC,
		.internalSubset = declaration,
		.startElementNs = element_opens,
		.endElementNs = element_closes,
		.characters = characters,
		.cdataBlock = characters };
	bool whole;

	for (size_t i = 0; i < ntexts; i++)
		texts[i].text = NULL;
	if (n > XML_READ_BYTES)
		return false;
	if ((r.parser = xmlCreatePushParserCtxt(&sax, &r, NULL, 0, NULL)) == NULL)
		abort();
	xmlCtxtUseOptions(
	    r.parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	whole = xmlParseChunk(r.parser, s, (int)n, 1) == 0 && !r.refused;
	if (r.parser->myDoc != NULL)
		xmlFreeDoc(r.parser->myDoc);
	xmlFreeParserCtxt(r.parser);
	return whole;
}
