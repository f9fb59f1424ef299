/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/docx.h"

#include <string.h>

#include "base/lang.h"
#include "base/xml.h"
#include "base/zip.h"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define SCHEMAS "http://schemas.openxmlformats.org/"
#define WORD "application/vnd.openxmlformats-officedocument.wordprocessingml."
#define BODY "word/document.xml"

static const char content_types[] =
    XML "<Types xmlns=\"" SCHEMAS "package/2006/content-types\">"
	"<Default Extension=\"rels\""
	" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
	"<Override PartName=\"/" BODY "\" ContentType=\"" WORD "document.main+xml\"/>"
	"</Types>";
static const char relations[] =
    XML "<Relationships xmlns=\"" SCHEMAS "package/2006/relationships\">"
	"<Relationship Id=\"body\" Type=\"" SCHEMAS
	"officeDocument/2006/relationships/officeDocument\" Target=\"" BODY "\"/>"
	"</Relationships>";

void
docx_begin(struct buf *b)
{
	buf_str(b, XML "<w:document xmlns:w=\"" SCHEMAS
		       "wordprocessingml/2006/main\"><w:body>\n");
}

void
docx_end(struct buf *b)
{
	buf_str(b, "</w:body></w:document>\n");
}

/* Write text of one style; properties: elements of w:rPr, in the order of the schema.
 */
static void
put_run(struct buf *b, struct arena *mem, const struct docx_paragraph *p,
    const char *properties, const char *text, const char *after)
{
	bool right = lang_is_right_to_left(p->language);

	buf_printf(b,
	    "<w:r><w:rPr>%s%s<w:lang w:%s=\"%s\"/></w:rPr>"
	    "<w:t xml:space=\"preserve\">%s%s</w:t></w:r>",
	    properties, right ? "<w:rtl/>" : "", right ? "bidi" : "val", p->language,
	    xml_escaped(mem, text), after);
}

void
docx_put(struct buf *b, struct arena *mem, const struct docx_paragraph *p)
{
	buf_printf(b, "<w:p>%s",
	    lang_is_right_to_left(p->language) ? "<w:pPr><w:bidi/></w:pPr>" : "");
	if (p->time != NULL)
		put_run(b, mem, p, "<w:color w:val=\"767676\"/>", p->time, " ");
	if (p->speaker != NULL)
		put_run(b, mem, p, "<w:b/><w:bCs/>", p->speaker, ": ");
	put_run(b, mem, p, "", p->text, "");
	buf_str(b, "</w:p>\n");
}

enum err
docx_pack(struct arena *mem, int body, int64_t n, int to)
{
	struct zip_writer *z = zip_writer_new(mem, to);

	zip_add(z, "[Content_Types].xml", content_types, strlen(content_types));
	zip_add(z, "_rels/.rels", relations, strlen(relations));
	zip_add_file(z, BODY, body, n);
	return zip_writer_end(z);
}
