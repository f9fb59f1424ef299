/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/resample.h"

#include <speex/speex_resampler.h>
#include <stdlib.h>

#define QUALITY 6 /* 0 to 10; 128 taps */

struct resample {
	SpeexResamplerState *state; /* NULL: the rates are equal */
	int from_hz, to_hz;
	int64_t in, out; /* samples read and written since the filter began */
};

static void
destroy_state(void *arg)
{
	struct resample *r = arg;

	if (r->state != NULL)
		speex_resampler_destroy(r->state);
}

static void
begin(struct resample *r, int from_hz)
{
	destroy_state(r);
	r->state = NULL;
	r->from_hz = from_hz;
	r->in = r->out = 0;
	if (from_hz == r->to_hz)
		return;
	r->state = speex_resampler_init(
	    1, (unsigned)from_hz, (unsigned)r->to_hz, QUALITY, NULL);
	/* skip the filter's delay */
	if (r->state == NULL || speex_resampler_skip_zeros(r->state) != 0)
		abort();
}

struct resample *
resample_new(struct arena *mem, int from_hz, int to_hz)
{
	struct resample *r = arena_alloc(mem, sizeof(*r));

	r->to_hz = to_hz;
	begin(r, from_hz);
	arena_defer(mem, destroy_state, r);
	return r;
}

void
resample_from(struct resample *r, int from_hz)
{
	if (from_hz != r->from_hz)
		begin(r, from_hz);
}

struct pcm16
resample_feed(struct resample *r, const int16_t *s, size_t n, struct arena *mem)
{
	size_t room = n * (size_t)r->to_hz / (size_t)r->from_hz + 64;
	struct pcm16 to = { .s = arena_alloc(mem, room * sizeof(*to.s)) };

	if (r->state == NULL) {
		for (; to.n < n; to.n++)
			to.s[to.n] = s[to.n];
		return to;
	}
	for (size_t used = 0; used < n;) {
		spx_uint32_t in = (spx_uint32_t)(n - used);
		spx_uint32_t out = (spx_uint32_t)(room - to.n);

		if (speex_resampler_process_int(
			r->state, 0, s + used, &in, to.s + to.n, &out) != 0 ||
		    (in == 0 && out == 0))
			abort();
		used += in;
		to.n += out;
	}
	r->in += (int64_t)n;
	r->out += (int64_t)to.n;
	return to;
}

struct pcm16
resample_end(struct resample *r, struct arena *mem)
{
	int64_t due = (r->in * r->to_hz + r->from_hz - 1) / r->from_hz - r->out;
	size_t behind = r->state != NULL
			    ? (size_t)speex_resampler_get_input_latency(r->state) + 2
			    : 0;
	const int16_t *quiet = arena_alloc(mem, (behind + 1) * sizeof(*quiet));
	struct pcm16 rest = resample_feed(r, quiet, behind, mem);

	if (rest.n > (size_t)due)
		rest.n = (size_t)due;
	begin(r, r->from_hz);
	return rest;
}
