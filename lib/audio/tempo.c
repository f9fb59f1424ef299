/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/tempo.h"

#include <sonic.h>
#include <stdlib.h>

#define PIECE 4800 /* samples written at once; keeps libsonic's buffers small */

struct tempo {
	sonicStream sonic; /* NULL: tempo 1 */
};

double
tempo_for(const struct tempo_params *r, int64_t level_ms)
{
	double over = (double)(level_ms - r->desired_ms);

	if (!r->automatic || over <= 0)
		return 1;
	if (level_ms >= r->full_ms)
		return r->max;
	return r->min + (r->max - r->min) * over / (r->full_ms - r->desired_ms);
}

static void
destroy_stream(void *sonic)
{
	sonicDestroyStream(sonic);
}

struct tempo *
tempo_new(struct arena *mem, int rate_hz, double tempo)
{
	struct tempo *t = arena_alloc(mem, sizeof(*t));

	if (tempo == 1)
		return t;
	if ((t->sonic = sonicCreateStream(rate_hz, 1)) == NULL)
		abort();
	arena_defer(mem, destroy_stream, t->sonic);
	sonicSetSpeed(t->sonic, (float)tempo);
	return t;
}

static struct pcm16
read_ready(struct tempo *t, struct arena *mem)
{
	int ready = sonicSamplesAvailable(t->sonic);
	struct pcm16 to = { .s = arena_alloc(mem, (size_t)ready * sizeof(*to.s) + 1) };

	to.n = (size_t)sonicReadShortFromStream(t->sonic, to.s, ready);
	return to;
}

struct pcm16
tempo_feed(struct tempo *t, struct pcm16 from, struct arena *mem)
{
	if (t->sonic == NULL)
		return from;
	for (size_t i = 0; i < from.n; i += PIECE) {
		size_t n = from.n - i < PIECE ? from.n - i : PIECE;

		if (!sonicWriteShortToStream(t->sonic, from.s + i, (int)n))
			abort();
	}
	return read_ready(t, mem);
}

struct pcm16
tempo_end(struct tempo *t, struct arena *mem)
{
	if (t->sonic == NULL)
		return (struct pcm16){ .n = 0 };
	if (!sonicFlushStream(t->sonic))
		abort();
	return read_ready(t, mem);
}
