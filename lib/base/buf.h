/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A growing string in an arena.  Zero-initialise, set mem, put. */
struct buf {
	struct arena *mem;
	char *p; /* len bytes, no NUL; see buf_text() */
	size_t len;
	size_t cap;
};

void buf_put(struct buf *, const void *, size_t);
void buf_str(struct buf *, const char *);
void buf_int(struct buf *, int64_t); /* in decimal */
void buf_printf(struct buf *, const char *, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *, const char *, va_list)
    __attribute__((format(printf, 2, 0)));
/* Used by buf_room(): enlarge the buffer by n bytes or more. */
char *buf_grow(struct buf *, size_t n);

/* Room for n more bytes: write them at the result, then add n to len. */
static inline char *
buf_room(struct buf *b, size_t n)
{
	return b->cap - b->len >= n ? b->p + b->len : buf_grow(b, n);
}

/* The contents, ended by a NUL; valid until the next put. */
const char *buf_text(struct buf *);

#endif
