/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_LIBXML_H
#define BASE_LIBXML_H

#include <libxml/entities.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlwriter.h>

#include "base/lazy_library.h"

/* The functions of libxml2.so.2 in use; see base/lazy_library.h. */
/* clang-format off */
#define LIBXML_FUNCTIONS(X) \
	X(xmlBufferCreate) X(xmlBufferFree) X(xmlCtxtReadMemory) \
	X(xmlDocGetRootElement) X(xmlEncodeSpecialChars) X(xmlFree) X(xmlFreeDoc) \
	X(xmlFreeParserCtxt) X(xmlFreeTextWriter) X(xmlNewParserCtxt) \
	X(xmlNewTextWriterMemory) X(xmlStopParser) X(xmlTextWriterEndDocument) \
	X(xmlTextWriterStartDocument) X(xmlTextWriterStartElement) \
	X(xmlTextWriterWriteElement)
/* clang-format on */

#undef xmlFree

LAZY_LIBRARY(libxml, LIBXML_FUNCTIONS);

#define xmlBufferCreate (*libxml_use()->xmlBufferCreate)
#define xmlBufferFree (*libxml_use()->xmlBufferFree)
#define xmlCtxtReadMemory (*libxml_use()->xmlCtxtReadMemory)
#define xmlDocGetRootElement (*libxml_use()->xmlDocGetRootElement)
#define xmlEncodeSpecialChars (*libxml_use()->xmlEncodeSpecialChars)
#define xmlFree (*libxml_use()->xmlFree)
#define xmlFreeDoc (*libxml_use()->xmlFreeDoc)
#define xmlFreeParserCtxt (*libxml_use()->xmlFreeParserCtxt)
#define xmlFreeTextWriter (*libxml_use()->xmlFreeTextWriter)
#define xmlNewParserCtxt (*libxml_use()->xmlNewParserCtxt)
#define xmlNewTextWriterMemory (*libxml_use()->xmlNewTextWriterMemory)
#define xmlStopParser (*libxml_use()->xmlStopParser)
#define xmlTextWriterEndDocument (*libxml_use()->xmlTextWriterEndDocument)
#define xmlTextWriterStartDocument (*libxml_use()->xmlTextWriterStartDocument)
#define xmlTextWriterStartElement (*libxml_use()->xmlTextWriterStartElement)
#define xmlTextWriterWriteElement (*libxml_use()->xmlTextWriterWriteElement)

#endif
