/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sound in an engine's answer. The first byte selects the sizes of the pieces in
 * which the sound arrives, which must not change the result, and whether samples
 * without a header are accepted.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "session/tts_session.h"
#include "speech/tts_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct listener {
	struct buf sound;
	int rate_hz;
	bool good;
};

static bool
hear(void *arg, const struct pcm *pcm)
{
	struct listener *h = arg;

	if (pcm->n == 0 || pcm->rate_hz < 8000 || pcm->rate_hz > 48000 ||
	    (h->rate_hz != 0 && h->rate_hz != pcm->rate_hz))
		abort();
	h->rate_hz = pcm->rate_hz;
	buf_put(&h->sound, pcm->s, pcm->n * sizeof(*pcm->s));
	return true;
}

static struct listener
read_in_pieces(struct arena *mem, const uint8_t *p, size_t n, size_t piece, int rate_hz)
{
	struct listener h = { .sound.mem = mem };
	struct audio_reader reader = { .sink = hear, .to = &h, .rate_hz = rate_hz };

	for (size_t i = 0, now; i < n; i += now) {
		now = n - i < piece ? n - i : piece;
		if (!audio_reader_feed(&reader, p + i, now))
			break;
	}
	if (reader.enough)
		abort(); /* the sink reported no error */
	h.good = audio_reader_done(&reader);
	return h;
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->p, b->p, a->len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct listener a, b;
	size_t n = size;
	int rate_hz;

	if (size > 1) {
		rate_hz = data[0] % 2 ? 24000 : 0;
		a = read_in_pieces(mem, data + 1, size - 1, size, rate_hz);
		b = read_in_pieces(mem, data + 1, size - 1, data[0] / 2 + 1u, rate_hz);
		if (a.good != b.good || (a.good && !same(&a.sound, &b.sound)))
			abort();
		tts_mp3_audio((const char *)data, &n);
		if (n > size)
			abort();
	}
	arena_free(mem);
	return 0;
}
