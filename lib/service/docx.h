/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_DOCX_H
#define SERVICE_DOCX_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * A document of a word processor (ECMA-376, WordprocessingML) made of paragraphs.  Its
 * body is written first, as XML, and then packed.  Nouns: docx.
 */
struct docx_paragraph {
	const char *time;     /* printed before the text in grey, or NULL */
	const char *speaker;  /* printed before the text in bold, or NULL */
	const char *text;     /* UTF-8 on one line */
	const char *language; /* code: proofing, and the direction of writing */
};

void docx_begin(struct buf *);
void docx_put(struct buf *, struct arena *, const struct docx_paragraph *);
void docx_end(struct buf *);
/* Write the document whose body is the n bytes of a file to another file. ERR_FULL: the
   disk is full. */
enum err docx_pack(struct arena *, int body, int64_t n, int to) MUST_CHECK;

#endif
