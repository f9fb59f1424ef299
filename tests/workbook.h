/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WORKBOOK_H
#define TESTS_WORKBOOK_H

/* Workbooks for tests, with some parts replaced. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/zip.h"

#define WORKBOOK_NS                                                                    \
	" xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\""         \
	" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/"            \
	"relationships\""
#define WORKBOOK_RELATIONS(them)                                                       \
	"<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/"       \
	"relationships\">" them "</Relationships>"
#define WORKBOOK_RELATION(id, type, target)                                            \
	"<Relationship Id=\"" id "\" Type=\"http://schemas.openxmlformats.org/"        \
	"officeDocument/2006/relationships/" type "\" Target=\"" target "\"/>"
#define WORKBOOK_ROWS(them)                                                            \
	"<worksheet" WORKBOOK_NS "><sheetData>" them "</sheetData></worksheet>"
#define WORKBOOK_SHEETS(them)                                                          \
	"<workbook" WORKBOOK_NS "><sheets>" them "</sheets></workbook>"
/* A cell with its text, an index of a shared string, or a number of a style. */
#define CELL(text) "<c t=\"inlineStr\"><is><t>" text "</t></is></c>"
#define SHARED(index) "<c t=\"s\"><v>" index "</v></c>"
#define STYLED(style, number) "<c s=\"" style "\"><v>" number "</v></c>"
#define ROW(cells) "<row>" cells "</row>"

struct workbook_part {
	const char *name, *content; /* content NULL: the part is left out */
	size_t n;                   /* bytes; 0: a text */
};

#define SHEET_PART "xl/worksheets/sheet1.xml"
#define STRINGS_PART "xl/sharedStrings.xml"
#define STYLES_PART "xl/styles.xml"
#define BOOK_PART "xl/workbook.xml"
#define LINKS_PART "xl/_rels/workbook.xml.rels"

/* clang-format off */
static const struct workbook_part workbook_parts[] = {
	{ "_rels/.rels", WORKBOOK_RELATIONS(WORKBOOK_RELATION("a", "officeDocument", BOOK_PART)), 0 },
	{ BOOK_PART, WORKBOOK_SHEETS("<sheet name=\"Terms\" sheetId=\"1\" r:id=\"b\"/>"), 0 },
	{ LINKS_PART, WORKBOOK_RELATIONS(WORKBOOK_RELATION("b", "worksheet", "worksheets/sheet1.xml")
	    WORKBOOK_RELATION("c", "sharedStrings", "sharedStrings.xml")
	    WORKBOOK_RELATION("d", "styles", "styles.xml")), 0 },
	{ SHEET_PART, WORKBOOK_ROWS(ROW(SHARED("1") SHARED("0")) ROW(CELL("lung") CELL("Lunge"))), 0 },
	{ STRINGS_PART, "<sst><si><t>Herz</t></si><si><r><t>he</t></r><r><t>art</t></r></si></sst>", 0 },
	{ STYLES_PART, "<styleSheet><numFmts><numFmt numFmtId=\"170\" formatCode=\"[Red]dd/mm\"/>"
	    "<numFmt numFmtId=\"171\" formatCode=\"0 &quot;days&quot; \\d\"/></numFmts>"
	    "<cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs><cellXfs><xf numFmtId=\"0\"/>"
	    "<xf numFmtId=\"14\"/><xf numFmtId=\"170\"/><xf numFmtId=\"171\"/></cellXfs></styleSheet>", 0 },
};
/* clang-format on */

/* The part as it is in `changed`, or as it is. */
static inline const struct workbook_part *
workbook_part(
    const struct workbook_part *part, const struct workbook_part *changed, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(changed[i].name, part->name) == 0)
			return &changed[i];
	return part;
}

static inline struct buf
workbook_pack(struct arena *mem, const struct workbook_part *changed, size_t n)
{
	int fd = memfd_create("workbook", MFD_CLOEXEC);
	struct zip_writer *w = zip_writer_new(mem, fd);
	struct buf b = { .mem = mem };
	size_t size;

	for (size_t i = 0; i < sizeof(workbook_parts) / sizeof(workbook_parts[0]);
	     i++) {
		const struct workbook_part *p =
		    workbook_part(&workbook_parts[i], changed, n);

		if (p->content != NULL)
			zip_add(w, p->name, p->content,
			    p->n > 0 ? p->n : strlen(p->content));
	}
	if (zip_writer_end(w) != OK)
		abort();
	size = (size_t)lseek(fd, 0, SEEK_END);
	if (pread(fd, buf_room(&b, size), size, 0) != (ssize_t)size)
		abort();
	b.len = size;
	close(fd);
	return b;
}

#endif
