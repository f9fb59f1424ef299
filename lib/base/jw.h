#ifndef BASE_JW_H
#define BASE_JW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * JSON (RFC 8259) as a stream of values.  The writer places the commas; a key
 * is required inside an object and forbidden elsewhere, and getting that wrong
 * is a bug, so it aborts.  Text must be valid UTF-8.
 */
struct jw {
	struct buf *out;
	int depth;
	bool some[64]; /* a value was already put at this depth */
	bool obj[64];  /* this depth is an object */
};

void jw_open(struct jw *, const char *key);               /* { */
void jw_list(struct jw *, const char *key);               /* [ */
void jw_close(struct jw *);                               /* } or ] */
void jw_text(struct jw *, const char *key, const char *); /* NULL: null */
void jw_textn(struct jw *, const char *key, const char *, size_t);
void jw_int(struct jw *, const char *key, int64_t); /* NULL_INT: null */
void jw_real(struct jw *, const char *key, double); /* not finite: null */
void jw_bool(struct jw *, const char *key, bool);
void jw_null(struct jw *, const char *key);
void jw_raw(struct jw *, const char *key, const char *json); /* NULL: null */

#endif
