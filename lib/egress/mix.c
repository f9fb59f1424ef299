/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "egress/mix.h"

#include <opus/opus.h>
#include <stdlib.h>
#include <string.h>

#include "audio/packet_queue.h"

#define TICK_MS OPUS_PACKETS_MS
#define LATE_TICKS 150 /* queued for one language; older ones are dropped */
#define STEER_TICKS 50 /* ticks between two corrections of the original's delay */
/* ticks after the end of a translation until the original rises */
#define HELD_TICKS 20
#define RAMP (1.f / (300 / TICK_MS))          /* change of the volume in a tick */
#define SHARE (1.f / 32768)                   /* one step of a 16-bit sample */
#define PICTURE_BYTES_MOST ((size_t)48 << 20) /* 30 s of 12 Mbit/s */
#define TIME_MOST (INT64_C(1) << 55)       /* bytes that may wait: 30 s of 12 Mbit/s */
#define AHEAD_MOST (INT64_C(10) * 1000000) /* us from decoding to display */

/* Packets and the tick from which they may be played. */
struct piece {
	struct queued_packets
	    /* must be first: the queue's elements are cast to struct piece */
	    q;
	int64_t due;     /* tick, by the clock of its voice */
	int64_t time_us; /* time of its next packet; -1: unknown */
};

struct voice {
	struct packet_queue queue;
	OpusDecoder *decoder;
	int16_t s[EGRESS_TICK]; /* samples of this tick */
	bool sounds;
	int held;     /* ticks left with the original lowered */
	float volume; /* current volume of the original */
};

struct mix {
	int64_t tick;
	int64_t delay; /* ticks */
	float ducked;
	size_t n; /* languages; the original follows them */
	size_t original;
	/* The last known time of the original as played and as planned. */
	int64_t timed_tick, time_us; /* tick of these times; 0: none */
	/* tick that is planned next, and its time by the original's clock */
	int64_t planned_tick, planned_us;
	int64_t skipped; /* ticks by which the original's clock is ahead */
	/* The ticks by which pieces came before their delay since the last correction,
	   for the latest and the earliest piece; least > most: none came. */
	int64_t least, most;
	struct voice voices[EGRESS_LANGUAGES_MOST + 1];
};

struct mix *
mix_new(struct arena *mem, const struct egress_order *o)
{
	struct mix *m = arena_alloc(mem, sizeof(*m));

	*m = (struct mix){ .delay = o->delay_ms / TICK_MS,
		.ducked = o->ducked,
		.n = o->n,
		.original = o->n,
		.least = INT64_MAX,
		.most = INT64_MIN };
	for (size_t i = 0; i <= o->n; i++) {
		m->voices[i].decoder =
		    arena_alloc(mem, (size_t)opus_decoder_get_size(1));
		if (opus_decoder_init(m->voices[i].decoder, EGRESS_HZ, 1) != OPUS_OK)
			abort();
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

/*
 * Returns the clock of a voice. The original's clock counts skipped packets, so that
 * later packets are due earlier.
 */
static int64_t
clock_of(const struct mix *m, const struct voice *v)
{
	return m->tick + (v == &m->voices[m->original] ? m->skipped : 0);
}

/*
 * The tick at which a piece of the original is due: the distance from the previous
 * piece is kept, so the delay absorbs jitter of the network. A late piece is due now
 * and delays all later pieces; steer() corrects that.
 */
static int64_t
plan(struct mix *m, int64_t time_us)
{
	int64_t after = (time_us - m->planned_us) / (TICK_MS * 1000),
		due = m->planned_tick + after, now = m->tick + m->skipped,
		latest = now + m->delay, early;

	if (m->planned_tick == 0 || after < 0 || after > m->delay + LATE_TICKS) {
		due = latest;
		after = 0;
		m->planned_us = time_us;
	}
	m->planned_tick = due > now ? due : now;
	m->planned_us += after * TICK_MS * 1000;
	early = m->planned_tick - latest;
	m->least = early < m->least ? early : m->least;
	m->most = early > m->most ? early : m->most;
	return m->planned_tick;
}

static void
put(struct mix *m, struct voice *v, struct piece like)
{
	size_t n = like.q.packets.n;
	struct arena *mem = arena_small(sizeof(struct piece) + n + 64);
	struct piece *p = arena_alloc(mem, sizeof(*p) + n);

	*p = like;
	p->q.mem = mem;
	p->due = clock_of(m, v) + (v == &m->voices[m->original] ? m->delay : 0);
	if (like.time_us >= 0)
		p->due = plan(m, like.time_us);
	if (n > 0)
		p->q.packets.bytes = memcpy(p + 1, like.q.packets.bytes, n);
	packet_queue_put(&v->queue, &p->q);
}

void
mix_put(struct mix *m, size_t i, struct opus_packets packets, bool last)
{
	put(m, voice_of(m, i),
	    (struct piece){ .q = { .packets = packets, .last = last }, .time_us = -1 });
}

void
mix_put_original(struct mix *m, int64_t time_us, struct opus_packets packets)
{
	put(m, &m->voices[m->original],
	    (struct piece){ .q = { .packets = packets }, .time_us = time_us });
}

bool
mix_time(const struct mix *m, int64_t *us)
{
	*us = m->time_us + (m->tick - m->timed_tick) * TICK_MS * 1000;
	return m->timed_tick > 0;
}

void
mix_flush(struct mix *m, size_t i)
{
	packet_queue_flush(&voice_of(m, i)->queue);
}

/* Returns the piece of the next packet; NULL: none waits. */
static struct piece *
next_piece(const struct packet_queue *q)
{
	struct queued_packets *p = q->first;

	while (p != NULL && p->packets.n == 0)
		p = p->next;
	return (struct piece *)p;
}

/* Take the next packet and note its time. */
static bool
add_packet(struct mix *m, struct voice *v, struct opus_packet *packet)
{
	struct piece *p = next_piece(&v->queue);

	if (p != NULL && p->time_us >= 0) {
		m->timed_tick = m->tick;
		m->time_us = p->time_us;
		p->time_us += TICK_MS * 1000;
	}
	return packet_queue_due(&v->queue, packet);
}

/* Skip a packet. */
static void
skip_packet(struct mix *m, struct voice *v)
{
	struct opus_packet p;

	add_packet(m, v, &p);
	m->skipped += v == &m->voices[m->original];
}

/* Bring the original back to its delay after a stall, and follow the sender's clock:
   a correction of one tick is inaudible. */
static void
steer(struct mix *m)
{
	struct voice *v = &m->voices[m->original];

	if (m->tick % STEER_TICKS != 0)
		return;
	if (m->least <= m->most && m->least > 0 && v->queue.waiting > 0)
		skip_packet(m, v);
	else if (m->least <= m->most && m->most < 0)
		m->skipped--;
	m->least = INT64_MAX;
	m->most = INT64_MIN;
}

static void
decode_tick(struct mix *m, struct voice *v, size_t most)
{
	struct opus_packet p = { NULL, 0 };
	const struct piece *next;
	bool due;

	while (v->queue.waiting > most)
		skip_packet(m, v);
	next = next_piece(&v->queue);
	due = next == NULL || next->due <= clock_of(m, v);
	v->sounds = v->queue.waiting > 0 && due;
	memset(v->s, 0, sizeof(v->s));
	if (due && add_packet(m, v, &p) &&
	    opus_decode(v->decoder, p.bytes, (opus_int32)p.n, v->s, EGRESS_TICK, 0) < 0)
		memset(v->s, 0, sizeof(v->s));
}

/* Move the original's volume below this voice towards its target. */
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
	steer(m);
	for (size_t i = 0; i <= m->n; i++) {
		struct voice *v = &m->voices[i];

		decode_tick(
		    m, v, LATE_TICKS + (size_t)(i == m->original ? m->delay : 0));
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

/* ---- pictures ---- */

struct waiting_picture {
	struct waiting_picture *next;
	struct arena *mem;
	struct picture is;
};

void
picture_queue_drop(struct picture_queue *p)
{
	struct waiting_picture *w = p->first;

	p->bytes -= w->is.n + w->is.n_head;
	p->first = w->next;
	arena_free(w->mem);
}

static bool
has_times(const struct picture *is)
{
	return is->dts > -TIME_MOST && is->dts < TIME_MOST && is->pts > -TIME_MOST &&
	       is->pts < TIME_MOST && is->pts - is->dts < AHEAD_MOST;
}

void
picture_queue_add(
    struct picture_queue *p, int64_t base_us, const void *message, size_t n)
{
	struct waiting_picture *w;
	struct picture is;

	if (!picture_receive(&p->reader, message, n, &is) || (p->need_key && !is.key))
		return;
	if (!has_times(&is)) {
		p->need_key = true;
		return;
	}
	p->need_key = false;
	is.dts += base_us;
	is.pts += base_us;
	w = arena_alloc(p->reader.mem, sizeof(*w));
	*w = (struct waiting_picture){ .mem = p->reader.mem, .is = is };
	p->reader = (struct picture_reader){ .mem = NULL };
	if (p->first == NULL)
		p->first = w;
	else
		p->last->next = w;
	p->last = w;
	p->bytes += is.n + is.n_head;
	if (p->bytes <= PICTURE_BYTES_MOST)
		return;
	while (p->first != NULL)
		picture_queue_drop(p);
	p->need_key = true;
}

const struct picture *
picture_queue_first(const struct picture_queue *p, int64_t time_us)
{
	return p->first != NULL && p->first->is.dts <= time_us ? &p->first->is : NULL;
}
