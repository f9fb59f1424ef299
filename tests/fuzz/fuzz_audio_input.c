/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Audio that clients send. The first byte selects the announced format of the stream,
 * and whether its sound at SPOKEN_HZ is wanted. The second byte selects the sizes of
 * the pieces in which the rest arrives; they must not change the result. Checksums of
 * Ogg pages are corrected, because a wrong one would end the decoding.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "audio/audio_decoder.h"
#include "audio/wav.h"
#include "base/buf.h"
#include "pipeline/segmenter.h"
#include "tests/fuzz/ogg.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const int rates[] = { 0, 16000, 44100, 48000 };

/*
 * Decodes a piece for the recognizer; if fine is not NULL, it gets the same sound as
 * listeners hear it.
 */
static bool
read_piece(struct audio_decoder *in, const unsigned char *p, size_t n, struct buf *to,
    struct buf *fine)
{
	struct pcm16 got, finer = { .n = 0 };
	enum err e = fine != NULL
			 ? audio_decoder_feed_fine(in, p, n, to->mem, &got, &finer)
			 : audio_decoder_feed(in, p, n, to->mem, &got);

	if (e == ERR_REFUSED && got.n + finer.n > 0)
		abort();
	if (got.n > 0)
		buf_put(to, got.s, got.n * sizeof(*got.s));
	if (finer.n > 0)
		buf_put(fine, finer.s, finer.n * sizeof(*finer.s));
	return e == OK;
}

/* True if all input was accepted and no piece could begin a new stream. */
static bool
read_all(const struct audio_format *f, const unsigned char *p, size_t n, size_t piece,
    struct buf *to, struct buf *fine)
{
	struct audio_decoder *in = audio_decoder_new(to->mem, f);
	bool good = true;

	for (size_t i = 0; i < n; i += piece) {
		size_t now = n - i < piece ? n - i : piece;

		good = read_piece(in, p + i, now, to, fine) && good;
		if (i > 0 && now >= 4)
			good = good && !wav_reader_is_magic(p + i);
	}
	if (fine != NULL)
		audio_decoder_end_fine(in, to->mem);
	return good && audio_decoder_us(in) >= 0;
}

/*
 * For any sound, phrases must be reported in order and without gaps, and never in the
 * future.
 */
static void
hear(struct arena *mem, const struct buf *sound)
{
	const struct segmenter_params rule = { true, 0.5, 700, true, 80, 4 };
	struct segmenter *segmenter = segmenter_new(mem, &rule);
	struct segment_part part;
	int64_t at = 0, from = 0;

	segmenter_feed(segmenter, (void *)sound->p, sound->len / sizeof(int16_t));
	segmenter_cut(segmenter);
	while (segmenter_next(segmenter, &part)) {
		bool cut = part.is == SEGMENT_ENDS && part.why == SEGMENT_LONG;

		if (cut ? part.at <= from || part.at > at
			: part.at < at || (part.is != SEGMENT_BEGINS && part.at != at))
			abort();
		if (part.is == SEGMENT_BEGINS)
			from = part.at;
		at = part.at + (int64_t)part.sound.n;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct audio_format f;
	struct arena *mem;
	struct buf a, b, fine;
	unsigned char *p;
	bool good;

	if (n < 3)
		return 0;
	mem = arena_new();
	f = (struct audio_format){ .form = (enum audio_encoding)(data[0] % 9),
		.rate_hz = rates[data[0] / 9 % 4],
		.channels = 1 + data[0] / 36 % 2 };
	if (f.form != AUDIO_WAV && f.rate_hz == 0)
		f.rate_hz = AUDIO_LEAST_HZ;
	n -= 2;
	p = (unsigned char *)arena_dup(mem, (const char *)data + 2, n);
	if (f.form == AUDIO_OPUS)
		mend_pages(p, n);
	a = b = fine = (struct buf){ .mem = mem };
	good = read_all(&f, p, n, n, &a, NULL);
	if (!read_all(&f, p, n, data[1] + 1u, &b, data[0] / 72 % 2 ? &fine : NULL))
		good = false;
	/* packets are read in the sizes in which they were sent */
	if (f.form == AUDIO_OPUS && (n < 4 || memcmp(p, "OggS", 4) != 0))
		good = false;
	if (good && (a.len != b.len || (a.len > 0 && memcmp(a.p, b.p, a.len) != 0)))
		abort();
	hear(mem, &b);
	arena_free(mem);
	return 0;
}
