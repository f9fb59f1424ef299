/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the loudness of voices and the time until their first sound. It prints a
 * line `engine/voice mean_ms p95_ms seconds file` for each engine of speech.tts that
 * speaks LANG, and its low and its high voice.  The file is a WAV file in DIRECTORY
 * with all lines of FILE.
 *
 *	build/tests/voice-levels DIRECTORY LANG FILE [PROFILE]
 *
 * PROFILE: one more voice of espeak, as lib/speech/voice_profile.h describes it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audio/wav.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/registry.h"

#define LINES 1000

struct spoken_lines {
	struct buf samples; /* int16_t */
	int rate_hz;
	int64_t first_us; /* 0: no sound yet */
};

static bool
hear(void *arg, const struct pcm *pcm)
{
	struct spoken_lines *to = arg;

	if (to->first_us == 0)
		to->first_us = monotonic_us();
	to->rate_hz = pcm->rate_hz;
	for (size_t i = 0; i < pcm->n; i++) {
		int16_t s = (int16_t)lrintf(fmaxf(-1, fminf(1, pcm->s[i])) * INT16_MAX);

		buf_put(&to->samples, &s, sizeof(s));
	}
	return true;
}

static int
by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool
write_wav(const char *path, const struct spoken_lines *h)
{
	unsigned char head[WAV_HEADER];
	FILE *f = fopen(path, "we");
	bool good;

	wav_header_write(head, h->rate_hz, h->samples.len);
	good = f != NULL && fwrite(head, sizeof(head), 1, f) == 1 &&
	       fwrite(h->samples.p, 1, h->samples.len, f) == h->samples.len;
	return f != NULL && fclose(f) == 0 && good;
}

/* Speak each line. False: a line was not spoken. */
static bool
speak_all(struct registry *reg, const struct registry_engine *en, struct tts_text t,
    const char *file, const char *path, const char *name)
{
	struct arena *mem = arena_new();
	struct spoken_lines h = { .samples.mem = mem };
	double ms[LINES], sum = 0;
	FILE *f = fopen(file, "re");
	char line[2048];
	int n = 0;

	t.text = line;
	while (f != NULL && n < LINES && fgets(line, sizeof(line), f) != NULL) {
		int64_t from_us = monotonic_us();

		line[strcspn(line, "\n")] = '\0';
		h.first_us = 0;
		if (registry_speak(reg, en, mem, &t, hear, &h) != OK) {
			n = 0;
			break;
		}
		ms[n] = (double)(h.first_us - from_us) / 1000;
		sum += ms[n++];
	}
	if (f != NULL)
		fclose(f);
	if (n > 0 && write_wav(path, &h)) {
		qsort(ms, (size_t)n, sizeof(*ms), by_value);
		printf("%s/%s %.0f %.0f %.1f %s\n", en->at.id, name, sum / n,
		    ms[n * 95 / 100],
		    (double)(h.samples.len / sizeof(int16_t)) / h.rate_hz, path);
		fflush(stdout);
	} else
		n = 0;
	arena_free(mem);
	return n > 0;
}

static bool
try_engine(struct registry *reg, struct arena *mem, const struct registry_engine *en,
    char **argv, int argc)
{
	bool good = true;

	for (int i = 0; i < (argc > 4 ? 3 : 2); i++) {
		const char *name = (const char *[]){ "low", "high", "profile" }[i];
		const struct tts_text t = { .lang = argv[2],
			.voice = i == 2 ? argv[4] : NULL,
			.high = i == 1,
			.rate = 1 };

		if (i == 2 && (en->tts->can & TTS_PROFILE) == 0)
			continue;
		good &= speak_all(reg, en, t, argv[3],
		    arena_printf(
			mem, "%s/%s-%s-%s.wav", argv[1], argv[2], en->at.id, name),
		    name);
	}
	return good;
}

int
main(int argc, char **argv)
{
	struct arena *mem = arena_new();
	struct registry_want want = { .now_us = monotonic_us() };
	const struct registry_engine *en;
	struct registry *reg;
	struct conf conf;
	bool good = true;

	log_program("voice-levels");
	if (argc < 4 || argc > 5 || conf_read(mem, &conf) != OK ||
	    registry_new(&conf, &reg) != OK) {
		fprintf(stderr, "usage: voice-levels DIRECTORY LANG FILE [PROFILE]\n");
		return 2;
	}
	while ((en = registry_tts(reg, argv[2], &want)) != NULL) {
		good &= try_engine(reg, mem, en, argv, argc);
		want.after = en;
	}
	registry_drop(reg);
	arena_free(mem);
	return good ? 0 : 1;
}
