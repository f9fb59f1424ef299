/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_CHUNKED_BODY_H
#define WEB_CHUNKED_BODY_H

#include <stddef.h>
#include <stdint.h>

/* A body that is sent in chunks (RFC 9112, 7.1), decoded piece by piece.
   Zero-initialised: nothing has come. */
struct chunked_body {
	enum {
		CHUNKS_SIZE, /* in the digits of a size */
		CHUNKS_REST, /* in the rest of that line, which is ignored */
		CHUNKS_DATA,
		CHUNKS_END,     /* in the end of line after data */
		CHUNKS_TRAILER, /* in the lines after the last chunk, likewise ignored
				 */
		CHUNKS_DONE,
		CHUNKS_BAD
	} state;
	uint64_t size;   /* the chunk's, or what is left of it */
	unsigned digits; /* how many of the size have come */
	unsigned line;   /* bytes of the line so far */
	unsigned lines;  /* bytes of all trailers so far */
	char last;       /* byte before */
};

/*
 * Decode n bytes in place; returns the number of decoded bytes.  Bytes after the body's
 * end are ignored.  The state tells whether the body is complete, or malformed.
 */
size_t chunked_body_decode(struct chunked_body *, char *bytes, size_t n);

#endif
