/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/opus_output.h"

#include "audio/opus_encoder.h"

struct opus_output {
	struct arena *mem;
	struct opus_encoder *encoder; /* NULL: no Opus was requested yet */
	bool on;
	int chunks; /* number of chunks in the next message */
	bool begun; /* the group's first message was made */
	struct arena *waiting_mem;
	struct buf waiting; /* packets of the next message */
};

static void
free_waiting(void *arg)
{
	struct opus_output *o = arg;

	arena_free(o->waiting_mem);
}

struct opus_output *
opus_output_new(struct arena *mem)
{
	struct opus_output *o = arena_alloc(mem, sizeof(*o));

	*o = (struct opus_output){ .mem = mem };
	arena_defer(mem, free_waiting, o);
	return o;
}

static void
empty(struct opus_output *o)
{
	arena_free(o->waiting_mem);
	o->waiting_mem = NULL;
	o->waiting = (struct buf){ .mem = NULL };
	o->chunks = 0;
}

void
opus_output_begin(struct opus_output *o, bool on)
{
	empty(o);
	o->begun = false;
	o->on = on;
	if (on && o->encoder == NULL)
		o->encoder = opus_encoder_new(o->mem);
	if (on)
		opus_encoder_begin(o->encoder);
}

bool
opus_output_is_on(const struct opus_output *o)
{
	return o->on;
}

void
opus_output_loss(struct opus_output *o, int percent)
{
	if (o->on)
		opus_encoder_loss(o->encoder, percent);
}

static void
store_packets(struct opus_output *o, const struct buf *packets)
{
	if (o->waiting_mem == NULL)
		o->waiting_mem = arena_new();
	o->waiting.mem = o->waiting_mem;
	buf_put(&o->waiting, packets->p, packets->len);
	o->chunks++;
}

void
opus_output_put(struct opus_output *o, const struct chunk *c,
    const struct output_audio *audio, struct pipeline_payload *to)
{
	struct output_audio a = *audio;

	if (!o->on)
		return;
	opus_encoder_put(o->encoder, c->s, c->n, c->last, &to->opus);
	store_packets(o, &to->opus);
	if (o->begun && o->chunks < OPUS_OUTPUT_CHUNKS && !c->last)
		return;
	a.opus = true;
	a.bytes = o->waiting.p;
	a.n = o->waiting.len;
	output_audio(&to->opus_text, &a);
	o->begun = true;
	empty(o);
}
