#include "egress/mix.h"

#include <opus/opus.h>
#include <string.h>

#include "audio/packet_queue.h"

#define TICK_MS OPUS_PACKETS_MS
#define LATE_TICKS 150               /* of one language that wait; older ones go */
#define HELD_TICKS 20                /* from a translation's end until it rises */
#define RAMP (1.f / (300 / TICK_MS)) /* of the volume, a tick */
#define SHARE (1.f / 32768)          /* of a 16 bit sample */

/* Packets that may be heard from a tick on. */
struct piece {
	struct queued_packets q; /* first, so that the queue's are these */
	int64_t due;
};

struct voice {
	struct packet_queue queue;
	OpusDecoder *decoder;
	int16_t s[EGRESS_TICK]; /* of this tick */
	bool sounds;
	int held;     /* ticks that the original stays low */
	float volume; /* of the original, now */
};

struct mix {
	int64_t tick;
	int64_t delay; /* ticks */
	float ducked;
	size_t n; /* languages; the original follows them */
	size_t original;
	struct voice voices[EGRESS_LANGUAGES_MOST + 1];
};

struct mix *
mix_new(struct arena *mem, const struct egress_order *o)
{
	struct mix *m = arena_alloc(mem, sizeof(*m));
	int e;

	*m = (struct mix){ .delay = o->delay_ms / TICK_MS,
		.ducked = o->ducked,
		.n = o->n,
		.original = o->n };
	for (size_t i = 0; i <= o->n; i++) {
		m->voices[i].decoder = opus_decoder_create(EGRESS_HZ, 1, &e);
		m->voices[i].volume = 1;
		if (i < o->n && strcmp(o->codes[i], "original") == 0)
			m->original = i;
	}
	return m;
}

/* "original" may be one of the languages. */
static struct voice *
voice_of(struct mix *m, size_t i)
{
	return &m->voices[i == m->n ? m->original : i];
}

void
mix_put(struct mix *m, size_t i, struct opus_packets packets, bool last)
{
	struct voice *v = voice_of(m, i);
	struct arena *mem = arena_small(sizeof(struct piece) + packets.n + 64);
	struct piece *p = arena_alloc(mem, sizeof(*p) + packets.n);

	p->q = (struct queued_packets){ .mem = mem, .packets = packets, .last = last };
	p->due = m->tick + (v == &m->voices[m->original] ? m->delay : 0);
	p->q.packets.bytes = memcpy(p + 1, packets.bytes, packets.n);
	packet_queue_put(&v->queue, &p->q);
}

void
mix_flush(struct mix *m, size_t i)
{
	packet_queue_flush(&voice_of(m, i)->queue);
}

/* Whether the next packet, if there is one, may be heard by now. */
static bool
is_due(const struct packet_queue *q, int64_t tick)
{
	const struct queued_packets *p = q->first;

	while (p != NULL && p->packets.n == 0)
		p = p->next;
	return p == NULL || ((const struct piece *)p)->due <= tick;
}

static void
decode_tick(struct voice *v, int64_t tick, size_t most)
{
	struct opus_packet p = { NULL, 0 };

	while (v->queue.waiting > most)
		packet_queue_due(&v->queue, &p);
	memset(v->s, 0, sizeof(v->s));
	v->sounds = v->queue.waiting > 0 && is_due(&v->queue, tick);
	if (is_due(&v->queue, tick) && packet_queue_due(&v->queue, &p) &&
	    opus_decode(v->decoder, p.bytes, (opus_int32)p.n, v->s, EGRESS_TICK, 0) < 0)
		memset(v->s, 0, sizeof(v->s));
}

/* How loud the original is to be below this voice. */
static void
follow_volume(struct voice *v, float ducked)
{
	float to;

	v->held = v->sounds ? HELD_TICKS : v->held > 0 ? v->held - 1 : 0;
	to = v->held > 0 ? ducked : 1;
	v->volume = v->volume > to ? (v->volume - RAMP > to ? v->volume - RAMP : to)
				   : (v->volume + RAMP < to ? v->volume + RAMP : to);
}

void
mix_step(struct mix *m)
{
	m->tick++;
	for (size_t i = 0; i <= m->n; i++) {
		struct voice *v = &m->voices[i];

		decode_tick(
		    v, m->tick, LATE_TICKS + (size_t)(i == m->original ? m->delay : 0));
		follow_volume(v, m->ducked);
	}
}

void
mix_sound(struct mix *m, size_t i, float to[EGRESS_TICK])
{
	const struct voice *v = &m->voices[i], *below = &m->voices[m->original];

	for (int k = 0; k < EGRESS_TICK; k++) {
		float s = v->s[k] * SHARE;

		if (v != below)
			s += below->s[k] * SHARE * v->volume;
		to[k] = s > 1 ? 1 : s < -1 ? -1 : s;
	}
}
