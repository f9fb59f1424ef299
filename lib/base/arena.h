#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

/*
 * One lifetime, one arena: all that a request or a job allocates dies together
 * in arena_reset(), nothing is freed one by one.  Allocation never answers
 * NULL; a process out of memory aborts and its manager starts another.
 */
struct arena;

struct arena *arena_new(void);
/* With room for so many bytes, for what is small and is kept in great numbers. */
struct arena *arena_small(size_t);
void *arena_alloc(struct arena *, size_t); /* zeroed, aligned for any type */
/*
 * Make was bytes at p (NULL: 0) n, more than that; where there is room, in place,
 * else what was there may no longer be read at p.  What is new is not zeroed.
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
