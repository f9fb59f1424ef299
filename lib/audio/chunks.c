/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/chunks.h"

#include <math.h>

#include "audio/resample.h"
#include "audio/tempo.h"
#include "base/buf.h"

#define CHUNKS_PER_S 5

struct chunks {
	struct arena *mem;
	int to_hz;
	struct resample *rate; /* NULL: no piece yet */
	struct tempo *tempo;
	struct buf ready;     /* output samples, int16_t */
	size_t from;          /* samples of ready already returned */
	bool ended, had_last; /* chunks_end() was called; last chunk was returned */
};

struct chunks *
chunks_new(struct arena *mem, int to_hz, double tempo)
{
	struct chunks *c = arena_alloc(mem, sizeof(*c));

	c->mem = mem;
	c->to_hz = to_hz;
	c->tempo = tempo_new(mem, to_hz, tempo);
	c->ready.mem = mem;
	return c;
}

static void
append(struct chunks *c, struct pcm16 p)
{
	buf_put(&c->ready, p.s, p.n * sizeof(*p.s));
}

void
chunks_put(struct chunks *c, const struct pcm *p)
{
	int16_t *s = arena_alloc(c->mem, p->n * sizeof(*s) + 1);

	for (size_t i = 0; i < p->n; i++) {
		float v = p->s[i] * 32767;

		/* NaN becomes silence through this order of comparisons */
		s[i] = (int16_t)(v >= 32767    ? 32767
				 : v <= -32767 ? -32767
				 : v == v      ? lrintf(v)
					       : 0);
	}
	if (c->rate == NULL)
		c->rate = resample_new(c->mem, p->rate_hz, c->to_hz);
	append(
	    c, tempo_feed(c->tempo, resample_feed(c->rate, s, p->n, c->mem), c->mem));
}

void
chunks_end(struct chunks *c)
{
	if (c->rate != NULL && !c->ended) {
		append(c, tempo_feed(c->tempo, resample_end(c->rate, c->mem), c->mem));
		append(c, tempo_end(c->tempo, c->mem));
	}
	c->ended = true;
}

bool
chunks_next(struct chunks *c, struct chunk *to)
{
	size_t whole = (size_t)c->to_hz / CHUNKS_PER_S;
	size_t left = c->ready.len / sizeof(*to->s) - c->from;

	if (c->had_last || (left < whole && !c->ended))
		return false;
	to->s = left > 0 ? (int16_t *)(void *)c->ready.p + c->from : NULL;
	to->n = left < whole ? left : whole;
	to->last = c->had_last = left < whole;
	c->from += to->n;
	return true;
}

void *
chunk_bytes(struct arena *mem, const struct chunk *c, size_t *n)
{
	unsigned char *to = arena_alloc(mem, c->n * 2 + 1);

	for (size_t i = 0; i < c->n; i++) {
		to[2 * i] = (unsigned char)((uint16_t)c->s[i] & 0xff);
		to[2 * i + 1] = (unsigned char)((uint16_t)c->s[i] >> 8);
	}
	*n = c->n * 2;
	return to;
}
