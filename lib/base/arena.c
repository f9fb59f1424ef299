/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chunked bump allocator.  One chunk of the usual size survives a reset, so a process
 * that serves ordinary requests stops calling malloc(3).  Built with -DARENA_DEBUG
 * every allocation is a separate malloc(3), which lets AddressSanitizer see overflows
 * and use after reset.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ARENA_DEBUG
#define CHUNK_BYTES 0
#define SMALL_BYTES 0
#else
#define CHUNK_BYTES (64 * 1024)
#define SMALL_BYTES 512 /* the least chunk that an arena adds */
#endif

struct chunk {
	struct chunk *next;
	size_t size; /* bytes in data */
	size_t used; /* bytes handed out */
	max_align_t data[];
};

struct defer {
	struct defer *next;
	void (*fn)(void *);
	void *arg;
};

struct arena {
	struct chunk *chunks; /* newest first */
	struct defer *defers; /* newest first */
};

static struct chunk *
chunk_new(struct chunk *next, size_t size)
{
	struct chunk *c = NULL;

	if (size <= SIZE_MAX - sizeof(*c))
		c = malloc(sizeof(*c) + size);
	if (c == NULL) {
		fprintf(stderr, "out of memory: %zu bytes\n", size);
		abort();
	}
	*c = (struct chunk){ .next = next, .size = size };
	return c;
}

struct arena *
arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (a == NULL)
		abort();
	return a;
}

struct arena *
arena_small(size_t n)
{
	struct arena *a = arena_new();

	a->chunks = chunk_new(NULL, CHUNK_BYTES > 0 ? n : 0);
	return a;
}

/*
 * Size of the chunk for n more bytes. An arena that began small grows by small chunks,
 * each twice as large as the last one.
 */
static size_t
next_size(const struct chunk *last, size_t n)
{
	size_t size = CHUNK_BYTES;

	if (last != NULL && last->size < CHUNK_BYTES / 2)
		size = last->size < SMALL_BYTES / 2 ? SMALL_BYTES : 2 * last->size;
	return n > size ? n : size;
}

/* Round n bytes up, so that the next allocation is aligned. */
static size_t
whole(size_t n)
{
	const size_t align = sizeof(max_align_t);

	return (n + align - 1) / align * align;
}

static void *
allocate(struct arena *a, size_t n)
{
	struct chunk *c = a->chunks;
	char *p;

	if (n > SIZE_MAX - sizeof(max_align_t))
		abort();
	n = whole(n);
	if (c == NULL || c->size - c->used < n)
		c = a->chunks = chunk_new(c, next_size(c, n));
	p = (char *)c->data + c->used;
	c->used += n;
#ifdef ARENA_DEBUG
	c->size = c->used; /* the next allocation gets a new chunk */
#endif
	return p;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	return memset(allocate(a, n), 0, n);
}

void *
arena_grow(struct arena *a, void *p, size_t was, size_t n)
{
	struct chunk *c = a->chunks;
	char *to;

	if (p != NULL && c != NULL && whole(n) >= n &&
	    (char *)p + whole(was) == (char *)c->data + c->used &&
	    whole(n) - whole(was) <= c->size - c->used) {
		c->used += whole(n) - whole(was);
		return p;
	}
	to = allocate(a, n);
	if (was > 0)
		memcpy(to, p, was);
	return to;
}

char *
arena_dup(struct arena *a, const char *s, size_t n)
{
	char *p = allocate(a, n + 1);

	if (n > 0)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *
arena_str(struct arena *a, const char *s)
{
	return s == NULL ? NULL : arena_dup(a, s, strlen(s));
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	char text[256]; /* most texts are short, and are written only once */
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	if ((size_t)n < sizeof(text))
		return arena_dup(a, text, (size_t)n);
	p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void
arena_defer(struct arena *a, void (*fn)(void *), void *arg)
{
	struct defer *d = arena_alloc(a, sizeof(*d));

	*d = (struct defer){ .next = a->defers, .fn = fn, .arg = arg };
	a->defers = d;
}

/* Keep one chunk of the usual size, if there is one; free the rest. */
void
arena_reset(struct arena *a)
{
	struct chunk *kept = NULL, *c;

	for (; a->defers != NULL; a->defers = a->defers->next)
		a->defers->fn(a->defers->arg);
	while ((c = a->chunks) != NULL) {
		a->chunks = c->next;
		if (kept == NULL && CHUNK_BYTES > 0 && c->size == CHUNK_BYTES)
			kept = c;
		else
			free(c);
	}
	if (kept != NULL)
		*kept = (struct chunk){ .size = kept->size };
	a->chunks = kept;
}

void
arena_free(struct arena *a)
{
	if (a == NULL)
		return;
	arena_reset(a);
	free(a->chunks);
	free(a);
}
