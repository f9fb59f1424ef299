/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_TEST_SPEECH_H
#define TESTS_UNIT_TEST_SPEECH_H

#include <stdint.h>
#include <stdio.h>

#include "audio/pcm.h"
#include "base/arena.h"

/* Sounds for the tests of lib/speech. */
#define RATE 22050
#define LIBRIVOX                                                                       \
	"/usr/share/pocketsphinx/test/data/librivox/"                                  \
	"sense_and_sensibility_01_austen_64kb-0870.wav"

static struct arena *mem;

static struct pcm
silence(double seconds, int rate_hz)
{
	size_t n = (size_t)(seconds * rate_hz);

	return (struct pcm){
		.s = arena_alloc(mem, n * sizeof(float)), .n = n, .rate_hz = rate_hz
	};
}

static struct pcm
librivox(void)
{
	FILE *f = fopen(LIBRIVOX, "rb");
	struct pcm p = silence(20, 16000);
	int16_t v;

	if (f == NULL) {
		fputs("pocketsphinx-testdata is not installed\n", stderr);
		return silence(0, 16000);
	}
	fseek(f, 44, SEEK_SET);
	for (p.n = 0; p.n < 320000 && fread(&v, sizeof(v), 1, f) == 1;)
		p.s[p.n++] = (float)v / 32768;
	fclose(f);
	return p;
}

#endif
