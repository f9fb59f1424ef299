/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

/*
 * One lifetime, one arena: everything that a request or a job allocates is freed
 * together by arena_reset().  Allocation never returns NULL; a process out of memory
 * aborts and its manager starts another.
 */
struct arena;

struct arena *arena_new(void);
/*
 * Make an arena with room for this many bytes, for many small long-lived objects. It
 * grows by small chunks.
 */
struct arena *arena_small(size_t);
void *arena_alloc(struct arena *, size_t); /* zeroed, aligned for any type */
/*
 * Enlarge a block of `was` bytes at p (NULL: 0) to n bytes: in place if there is room,
 * else the old block must no longer be used.  New bytes are not zeroed.
 */
void *arena_grow(struct arena *, void *p, size_t was, size_t n);
char *arena_dup(struct arena *, const char *, size_t); /* adds the NUL */
char *arena_str(struct arena *, const char *);         /* NULL stays NULL */
char *arena_printf(struct arena *, const char *, ...)
    __attribute__((format(printf, 2, 3)));

/* Run fn(arg) at the next reset; the last registered runs first. */
void arena_defer(struct arena *, void (*fn)(void *), void *arg);
void arena_reset(struct arena *);
void arena_free(struct arena *); /* NULL is fine */

#endif
