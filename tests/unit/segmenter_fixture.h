/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_SEGMENTER_FIXTURE_H
#define TESTS_UNIT_SEGMENTER_FIXTURE_H

#include <check.h>
#include <stdlib.h>

#include "audio/vad.h"
#include "base/buf.h"
#include "pipeline/segmenter.h"
#include "tests/unit/stream_sounds.h"

#define MS(ms) ((int64_t)(ms)*HEARD_HZ / 1000)
#define FRAME_MS 20

static const struct segmenter_params usual = { true, 0.5, 700, true, 80, 4 };

struct one {
	int64_t from, speech_from, to, speech_to;
	enum segment_end why;
	struct buf sound;
};

/* The segments of a stream. */
struct many {
	struct one *one;
	size_t n;
	bool is_open;
};

/*
 * Checks that parts are in order and complete, and that a long segment ends before the
 * current time.
 */
static inline void
take(struct many *m, const struct segment_part *part)
{
	struct one *o = &m->one[m->n];

	ck_assert(m->is_open == (part->is != SEGMENT_BEGINS));
	if (part->is == SEGMENT_BEGINS) {
		ck_assert_uint_lt(m->n, 99);
		*o = (struct one){ .from = part->at, .speech_from = part->speech_at };
		o->sound.mem = mem;
		m->is_open = true;
		ck_assert(m->n == 0 || part->at >= m->one[m->n - 1].to);
	} else if (part->is == SEGMENT_ENDS && part->why == SEGMENT_LONG) {
		size_t bytes = (size_t)(part->at - o->from) * sizeof(int16_t);

		ck_assert_int_gt(part->at, o->from);
		ck_assert_uint_le(bytes, o->sound.len);
		o->sound.len = bytes;
	} else {
		ck_assert_int_eq(
		    part->at, o->from + (int64_t)(o->sound.len / sizeof(int16_t)));
		buf_put(&o->sound, part->sound.s, part->sound.n * sizeof(int16_t));
	}
	if (part->is != SEGMENT_ENDS)
		return;
	o->to = part->at;
	o->speech_to = part->speech_at;
	o->why = part->why;
	m->n++;
	m->is_open = false;
}

static inline void
take_all(struct segmenter *p, struct many *m)
{
	struct segment_part part;

	while (segmenter_next(p, &part))
		take(m, &part);
}

/* Feeds pieces of up to this many samples; 0: of 320 ms. */
static inline struct many
heard(struct segmenter *p, struct pcm16 sound, size_t most)
{
	struct many m = { .one = arena_alloc(mem, 100 * sizeof(*m.one)) };

	for (size_t i = 0, piece; i < sound.n; i += piece) {
		piece = most == 0 ? 5120 : draw((unsigned)most + 1);
		piece = piece < sound.n - i ? piece : sound.n - i;
		segmenter_feed(p, sound.s + i, piece);
		take_all(p, &m);
	}
	return m;
}

/*
 * A tone that is soft for 40 ms in each second, because no speaker is as steady as a
 * tone.
 */
static inline struct pcm16
talk(int ms)
{
	struct pcm16 p = tone(ms / 1000.0, 300, -20, HEARD_HZ);

	for (int64_t at = MS(960); ms > 4500 && at < (int64_t)p.n; at += MS(1000))
		for (int64_t i = at; i < at + MS(40) && i < (int64_t)p.n; i++)
			p.s[i] = (int16_t)(p.s[i] / 100);
	return p;
}

/*
 * Makes tones with silences in between, from a list of milliseconds that begins with
 * silence.
 */
static inline struct pcm16
beeps(const int *ms, size_t n)
{
	struct pcm16 p = silence(0, HEARD_HZ);

	for (size_t i = 0; i < n; i++)
		p = joined(
		    p, i % 2 == 0 ? silence(ms[i] / 1000.0, HEARD_HZ) : talk(ms[i]));
	return p;
}

#define BEEPS(...)                                                                     \
	beeps((const int[]){ __VA_ARGS__ },                                            \
	    sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

static inline void
assert_near_ms(int64_t samples, int64_t ms)
{
	ck_assert_int_ge(samples, MS(ms - FRAME_MS - 5));
	ck_assert_int_le(samples, MS(ms + FRAME_MS + 5));
}

/* Checks that segments have no gap: each begins where the one before ended. */
static inline void
assert_cut(const struct many *m)
{
	for (size_t i = 0; i + 1 < m->n; i++) {
		ck_assert_int_eq(m->one[i].why, SEGMENT_LONG);
		ck_assert_int_ge(m->one[i].to - m->one[i].from, MS(3500));
		ck_assert_int_le(m->one[i].to - m->one[i].from, MS(10000));
		ck_assert_int_eq(m->one[i + 1].from, m->one[i].to);
	}
}

#endif
