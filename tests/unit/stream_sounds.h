/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_STREAM_SOUNDS_H
#define TESTS_UNIT_STREAM_SOUNDS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "audio/pcm16.h"
#include "base/arena.h"
#include "tests/unit/suite.h"

/* Sounds that the tests of lib/stream share.  Levels are dB of full scale, RMS. */
#define RECORDINGS "/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_"
#define PROMPTS "/usr/share/asterisk/sounds/en_US_f_Allison/"

static struct arena *mem;

/* Random numbers, the same in each run. */
static inline unsigned
draw(unsigned below)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return (unsigned)((uint64_t)state * below >> 32);
}

static inline struct pcm16
silence(double seconds, int rate_hz)
{
	size_t n = (size_t)(seconds * rate_hz + 0.5);

	return (struct pcm16){ .s = arena_alloc(mem, n * sizeof(int16_t) + 1), .n = n };
}

static inline void
add_tone(struct pcm16 p, double hz, double db, int rate_hz)
{
	for (size_t i = 0; i < p.n; i++)
		p.s[i] =
		    (int16_t)(p.s[i] + lrint(sqrt(2) * pow(10, db / 20) * 32768 *
					     sin(2 * M_PI * hz * (double)i / rate_hz)));
}

static inline struct pcm16
tone(double seconds, double hz, double db, int rate_hz)
{
	struct pcm16 p = silence(seconds, rate_hz);

	add_tone(p, hz, db, rate_hz);
	return p;
}

/* White noise, approximately Gaussian. */
static inline void
add_noise(struct pcm16 p, double db)
{
	for (size_t i = 0; i < p.n; i++) {
		double v = -6, to;

		for (int k = 0; k < 12; k++)
			v += draw(1 << 20) / (double)(1 << 20);
		to = p.s[i] + v * pow(10, db / 20) * 32768;
		p.s[i] = (int16_t)lrint(to > 32767 ? 32767 : to < -32768 ? -32768 : to);
	}
}

static inline struct pcm16
joined(struct pcm16 a, struct pcm16 b)
{
	struct pcm16 p = { .s = arena_alloc(mem, (a.n + b.n) * sizeof(*p.s) + 1) };

	for (; p.n < a.n; p.n++)
		p.s[p.n] = a.s[p.n];
	for (; p.n < a.n + b.n; p.n++)
		p.s[p.n] = b.s[p.n - a.n];
	return p;
}

static inline double
level_db(const int16_t *s, size_t n)
{
	double sum = 1e-6;

	for (size_t i = 0; i < n; i++)
		sum += (double)s[i] * s[i];
	return 10 * log10(sum / (double)n / 32768 / 32768);
}

/*
 * Reads a 16-bit mono recording without its header of 44 bytes; an empty one if the
 * file is missing.
 */
static inline struct pcm16
recording(const char *path)
{
	struct pcm16 p = silence(40, HEARD_HZ);
	FILE *f = fopen(path, "rb");

	if (f == NULL) {
		fprintf(stderr, "%s is not installed\n", path);
		return (struct pcm16){ .n = 0 };
	}
	fseek(f, 44, SEEK_SET);
	p.n = fread(p.s, sizeof(*p.s), p.n, f);
	fclose(f);
	return p;
}

/* Scales the sound so that its loudest tenth of a second has this level. */
static inline struct pcm16
levelled(struct pcm16 p, double db)
{
	double top = -200, gain;

	for (size_t i = 0; i + 1600 <= p.n; i += 800)
		top = fmax(top, level_db(p.s + i, 1600));
	gain = pow(10, (db - top) / 20);
	for (size_t i = 0; i < p.n; i++) {
		double v = p.s[i] * gain;

		p.s[i] = (int16_t)lrint(v > 32767 ? 32767 : v < -32768 ? -32768 : v);
	}
	return p;
}

static inline void
setup(void)
{
	mem = arena_new();
}

static inline void
teardown(void)
{
	arena_free(mem);
}

#endif
