/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/shared_buffer_internal.h"

#include <string.h>

static struct shared_buffer *
buffer_new(const void *text, size_t n, bool binary)
{
	struct arena *mem =
	    arena_small(sizeof(struct shared_buffer) + SHARED_BUFFER_BEFORE + n + 64);
	struct shared_buffer *p = arena_alloc(mem, sizeof(*p));

	*p =
	    (struct shared_buffer){ .mem = mem, .owners = 1, .n = n, .binary = binary };
	p->text = (unsigned char *)arena_alloc(mem, SHARED_BUFFER_BEFORE + n) +
		  SHARED_BUFFER_BEFORE;
	memcpy(p->text, text, n);
	return p;
}

struct shared_buffer *
shared_buffer_new(const char *text, size_t n)
{
	return buffer_new(text, n, false);
}

struct shared_buffer *
shared_buffer_binary(const void *bytes, size_t n)
{
	return buffer_new(bytes, n, true);
}

const char *
shared_buffer_bytes(const struct shared_buffer *p, size_t *n)
{
	*n = p->n;
	return (const char *)p->text;
}

void
shared_buffer_drop(struct shared_buffer *p)
{
	if (--p->owners == 0)
		arena_free(p->mem);
}
