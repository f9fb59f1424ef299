/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_MULTIPART_H
#define WEB_MULTIPART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * multipart/form-data (RFC 7578, RFC 2046 §5.1), read part by part through
 * one fixed buffer, so memory does not depend on the size of a file.
 *
 *	multipart_open()
 *	while (multipart_next() == OK)
 *		multipart_text()  or  multipart_bytes() until *n is 0  or  nothing
 *
 * multipart_next() skips the unread rest of a part.
 */
struct multipart;

#define MULTIPART_PARTS 64       /* most parts in a body */
#define MULTIPART_NAME_BYTES 255 /* longest name */
#define MULTIPART_HEAD_BYTES                                                           \
	4096 /* most headers of a part; most bytes before the first part */
#define MULTIPART_TEXT_BYTES (128 * 1024) /* total of all texts */

struct multipart_part {
	const char *name; /* name as sent: any bytes but NUL */
	/* name of the file as sent, for display only; NULL: none */
	const char *filename;
	const char *type; /* Content-Type, lower case, without parameters; NULL: none */
	const char *charset;  /* parameter charset in lower case; NULL: none */
	const char *header;   /* parameter header in lower case; NULL: none */
	bool more;            /* the type has other parameters, or is malformed */
	const char *encoding; /* Content-Transfer-Encoding, lower case; NULL: none */
};

/* Reads the body: up to n bytes; 0 at the end. */
typedef size_t multipart_source(void *src, void *to, size_t n);

/*
 * content_type: of the request, or NULL. The reader lives in the arena.
 * ERR_UNSUPPORTED: not multipart/form-data.  ERR_REFUSED: the boundary is missing or
 * violates RFC 2046.
 */
enum err multipart_open(struct arena *, const char *content_type, multipart_source *,
    void *src, struct multipart **) MUST_CHECK;

/*
 * multipart_next(), multipart_text() and multipart_bytes() return ERR_REFUSED if the
 * framing is broken or the body ends before its last boundary, and ERR_LIMIT if a limit
 * above is exceeded; reading cannot continue then.
 *
 * multipart_next() finds the next part; ERR_NOT_FOUND: there are no more.  Its texts
 * live in the arena.
 */
enum err multipart_next(struct multipart *, struct multipart_part *) MUST_CHECK;
/* Decode this part by its encoding when it is read; without this call the bytes are
   returned as sent.  False: the encoding is unknown. */
bool multipart_decode(struct multipart *, const struct multipart_part *);
/* Read the whole part into the arena, terminated by NUL; *n (or NULL) is its length. */
enum err multipart_text(struct multipart *, const char **, size_t *n) MUST_CHECK;
/* Read the next bytes, valid until the next call; *n is 0 at the end of the part. */
enum err multipart_bytes(struct multipart *, const char **, size_t *n) MUST_CHECK;

#endif
