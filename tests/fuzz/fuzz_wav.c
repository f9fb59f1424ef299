/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * WAV streams. The first byte selects the announced format, the second the sizes of the
 * pieces in which the rest arrives, which must not change the result. No byte is
 * returned twice, and every run has a valid rate and number of channels.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "audio/audio_decoder.h"
#include "audio/wav.h"
#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct told {
	struct buf sound, marks; /* positions in the stream, and formats */
	struct wav_reader end;
};

static void
mark(struct told *t, const struct wav_reader *w)
{
	const size_t m[] = { t->sound.len, (size_t)w->rate_hz, (size_t)w->channels };

	buf_put(&t->marks, m, sizeof(m));
}

static void
check_run(
    const struct wav_reader *w, const struct wav_run *run, const uint8_t *p, size_t n)
{
	bool kept = run->p == w->got && run->n <= sizeof(w->got);

	if (run->n == 0 || (!kept && (run->p < p || run->p + run->n > p + n)))
		abort();
	if (w->rate_hz < AUDIO_LEAST_HZ || w->rate_hz > AUDIO_MOST_HZ ||
	    w->channels < 1 || w->channels > 2)
		abort();
}

static void
feed(struct told *t, const uint8_t *p, size_t n)
{
	const uint8_t *rest = p;
	size_t left = n;
	struct wav_run run;

	while (wav_reader_next(&t->end, &rest, &left, &run)) {
		check_run(&t->end, &run, p, n);
		if (run.fresh)
			mark(t, &t->end);
		buf_put(&t->sound, run.p, run.n);
	}
	if (rest + left != p + n || (left > 0 && t->end.at != WAV_BAD) ||
	    t->end.ngot > sizeof(t->end.got))
		abort();
	if ((t->end.at == WAV_BAD) != (t->end.why != NULL))
		abort();
}

static struct told
read_in_pieces(struct arena *mem, const uint8_t *data, size_t n, size_t piece)
{
	static const int rates[] = { 0, 8000, 44100, 48000 };
	struct told t = { .sound.mem = mem, .marks.mem = mem };

	wav_reader_begin(&t.end, rates[data[0] % 4], 1 + data[0] / 4 % 2);
	for (size_t i = 0, now; i < n; i += now) {
		now = n - i < piece ? n - i : piece;
		feed(&t, data + 2 + i, now);
	}
	return t;
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->p, b->p, a->len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem;
	struct told a, b;

	if (size < 3)
		return 0;
	mem = arena_new();
	a = read_in_pieces(mem, data, size - 2, size);
	b = read_in_pieces(mem, data, size - 2, data[1] + 1u);
	if (!same(&a.sound, &b.sound) || !same(&a.marks, &b.marks) ||
	    a.end.at != b.end.at || a.end.why != b.end.why)
		abort();
	if (a.sound.len > size - 2)
		abort();
	arena_free(mem);
	return 0;
}
