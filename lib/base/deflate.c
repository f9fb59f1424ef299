#include "base/deflate.h"

#include <stdlib.h>
#include <zlib.h>

void *
deflate_message(struct arena *mem, const void *p, size_t n, size_t *bytes)
{
	uLongf room = compressBound(n);
	void *to = arena_alloc(mem, room);

	if (compress2(to, &room, p, n, Z_BEST_SPEED) != Z_OK)
		abort();
	*bytes = room;
	return to;
}
