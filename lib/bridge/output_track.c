/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bridge/bridge_internal.h"

#include "base/hash.h"

struct output_track *
output_track_new(const char *language)
{
	struct arena *mem = arena_new();
	struct output_track *t = arena_alloc(mem, sizeof(*t));

	t->mem = mem;
	t->language = arena_str(mem, language);
	random_bytes(&t->source, sizeof(t->source));
	t->source.last_tick = -1;
	return t;
}

void
output_track_free(struct output_track *t)
{
	packet_queue_free(&t->queue);
	arena_free(t->mem);
}
