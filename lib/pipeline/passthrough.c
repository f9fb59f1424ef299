/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends the original sound as chunks of 200 ms. One group lasts from switching on to
 * switching off.
 */
#include "pipeline/recognizer_internal.h"

#include <string.h>

#include "audio/chunks.h"
#include "base/clock.h"
#include "base/id.h"
#include "pipeline/opus_output.h"

#define PIECE (SPOKEN_HZ / 5)

struct passthrough {
	bool on;
	char id[17];      /* id of the group */
	bool begun;       /* a chunk of the group was sent */
	int16_t s[PIECE]; /* the next chunk, at SPOKEN_HZ */
	size_t n;         /* samples in s so far */
	struct opus_output *opus;
};

static void
send_chunk(struct recognizer *r, bool last)
{
	struct passthrough *o = r->passthrough;
	const struct chunk c = { o->s, o->n, last };
	struct arena *mem = arena_new();
	struct pipeline_payload to = pipeline_payload_of(mem);
	struct pipeline_event *event;
	struct output_audio a = {
		.id = o->id, .language = "original", .last = last, .delta_ms = NULL_INT
	};

	if (opus_output_is_on(o->opus) != r->pipeline->encodes)
		opus_output_begin(o->opus, r->pipeline->encodes);
	opus_output_put(o->opus, &c, &a, &to);
	a.bytes = chunk_bytes(mem, &c, &a.n);
	output_audio(&to.text, &a);
	event = pipeline_event_with(r->pipeline, PIPELINE_PASSTHROUGH, -1, &to);
	event->times.id = arena_str(event->call.message.mem, o->id);
	event->chunk.last = last;
	pipeline_event_send(event, NULL, -1);
	o->begun = true;
	o->n = 0;
	arena_free(mem);
}

static void
add_sound(struct recognizer *r, struct pcm16 p)
{
	struct passthrough *o = r->passthrough;

	for (size_t i = 0; i < p.n; i++) {
		o->s[o->n++] = p.s[i];
		if (o->n == PIECE)
			send_chunk(r, false);
	}
}

static void
begin_group(struct passthrough *o)
{
	struct arena *mem = arena_new();

	*o = (struct passthrough){ .on = true, .opus = o->opus };
	opus_output_begin(o->opus, false);
	memcpy(o->id, id_of_phrase(mem, now_us()), sizeof(o->id));
	arena_free(mem);
}

void
passthrough_set(struct recognizer *r, bool on)
{
	if (r->passthrough == NULL && on) {
		r->passthrough = arena_alloc(r->mem, sizeof(*r->passthrough));
		r->passthrough->opus = opus_output_new(r->mem);
	}
	if (r->passthrough == NULL || r->passthrough->on == on)
		return;
	if (on) {
		begin_group(r->passthrough);
		return;
	}
	add_sound(r, audio_input_end_fine(r->in, r->scratch));
	if (r->passthrough->begun || r->passthrough->n > 0)
		send_chunk(r, true);
	r->passthrough->on = false;
}

enum err
passthrough_decode(struct recognizer *r, const void *p, size_t n, struct pcm16 *to)
{
	struct pcm16 fine;
	enum err how;

	if (r->passthrough == NULL || !r->passthrough->on)
		return audio_input_feed(r->in, p, n, r->scratch, to, NULL);
	how = audio_input_feed(r->in, p, n, r->scratch, to, &fine);
	add_sound(r, fine);
	return how;
}
