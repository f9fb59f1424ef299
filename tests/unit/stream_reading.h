/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_STREAM_READING_H
#define TESTS_UNIT_STREAM_READING_H

#include <check.h>

#include "audio/audio_decoder.h"
#include "base/buf.h"
#include "tests/unit/stream_sounds.h"

/* Reading the bytes of streams, for tests. */

static inline struct audio_decoder *
open_sound(enum audio_encoding form, int rate_hz, int channels)
{
	struct audio_format f = { form, rate_hz, channels };

	return audio_decoder_new(mem, &f);
}

/* Reads the whole stream, in pieces of up to this many bytes; 0: at once. */
static inline struct pcm16
heard(struct audio_decoder *in, const void *bytes, size_t n, size_t most)
{
	struct buf all = { .mem = mem };
	const char *p = bytes;

	for (size_t piece; n > 0; p += piece, n -= piece) {
		struct pcm16 got;

		piece = most == 0 ? n : 1 + draw((unsigned)most);
		piece = piece < n ? piece : n;
		ck_assert_int_eq(audio_decoder_feed(in, p, piece, mem, &got), OK);
		buf_put(&all, got.s, got.n * sizeof(*got.s));
	}
	return (struct pcm16){ (void *)all.p, all.len / sizeof(int16_t) };
}

static inline void
assert_same(struct pcm16 a, struct pcm16 b)
{
	ck_assert_uint_eq(a.n, b.n);
	ck_assert_mem_eq(a.s, b.s, a.n * sizeof(*a.s));
}

static inline struct pcm16
melody(int rate_hz)
{
	struct pcm16 p = tone(1.5, 700, -20, rate_hz);

	add_tone(p, 2345, -25, rate_hz);
	add_noise(p, -40);
	return p;
}

static inline void
assert_refused(struct audio_decoder *in, const void *p, size_t n)
{
	struct pcm16 got;

	ck_assert_int_eq(audio_decoder_feed(in, p, n, mem, &got), ERR_REFUSED);
	ck_assert_uint_eq(got.n, 0);
}

#endif
