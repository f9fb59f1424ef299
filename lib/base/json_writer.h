/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Nouns: jw. */

/*
 * JSON (RFC 8259) as a stream of values.  The writer places the commas; a key
 * is required inside an object and forbidden elsewhere, and getting that wrong
 * is a bug, so it aborts.  Text must be valid UTF-8.
 */
struct json_writer {
	struct buf *out;
	unsigned depth;   /* up to 63 */
	bool some;        /* a value was already put at this depth */
	uint64_t objects; /* a bit for each depth: it is an object */
};

void jw_open(struct json_writer *, const char *key);               /* { */
void jw_list(struct json_writer *, const char *key);               /* [ */
void jw_close(struct json_writer *);                               /* } or ] */
void jw_text(struct json_writer *, const char *key, const char *); /* NULL: null */
void jw_textn(struct json_writer *, const char *key, const char *, size_t);
void jw_int(struct json_writer *, const char *key, int64_t); /* NULL_INT: null */
/* writes null if it is not finite */
void jw_real(struct json_writer *, const char *key, double);
void jw_bool(struct json_writer *, const char *key, bool);
void jw_null(struct json_writer *, const char *key);
void jw_raw(struct json_writer *, const char *key, const char *json); /* NULL: null */

#endif
