/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_MODEL_FIXTURE_H
#define TESTS_UNIT_MODEL_FIXTURE_H

/* An engine whose model runs in another process. */
#include <libgen.h>
#include <math.h>

#include "speech/engine.h"
#include "speech/model_process.h"
#include "tests/unit/children.h"
#include "tests/unit/unit.h"

#define S ASR_RATE_HZ

static const char *dir, *self; /* folder of the model; of this program */
static struct engine_at at;

static inline void
setup(void)
{
	char path[1024] = "";

	fixture.mem = arena_new();
	ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	self = arena_str(fixture.mem, dirname(path));
	dir = unit_folder(fixture.mem);
	at = (struct engine_at){ .id = "it",
		.kind = "sherpa",
		.model = dir,
		.languages = "en",
		.bin_dir = arena_printf(fixture.mem, "%s/../bin", self),
		.timeout_ms = 20000,
		.parallel = 1,
		.threads = 1 };
}

static inline void
teardown(void)
{
	model_end_idle();
	ck_assert_int_eq(count_children(), 0);
	unit_folder_drop(dir);
	arena_free(fixture.mem);
}

/* ---- recognition ---- */

static inline struct asr *
opened(const struct asr_engine *en, const char *lang)
{
	const struct asr_want want = { .lang = lang };
	struct asr *a = NULL;

	ck_assert_int_eq(en->open(&at, &want, &a), OK);
	return a;
}

/* Feeds a tone of that many milliseconds, or silence. */
static inline enum err
feed_tone(const struct asr_engine *en, struct asr *a, int ms, double loud)
{
	size_t n = (size_t)S * (size_t)ms / 1000;
	int16_t *s = arena_alloc(fixture.mem, n * sizeof(*s));

	for (size_t i = 0; i < n; i++)
		s[i] = (int16_t)(32767 * loud * sin((double)i * 2 * M_PI * 300 / S));
	return en->feed(a, s, n);
}

static inline const char *
partly(const struct asr_engine *en, struct asr *a)
{
	struct asr_result h = { .text = "" };

	ck_assert_int_eq(en->partial(a, fixture.mem, &h), OK);
	return h.text;
}

static inline struct asr_result
finished(const struct asr_engine *en, struct asr *a)
{
	struct asr_result h = { .text = "" };

	ck_assert_int_eq(en->finish(a, fixture.mem, &h), OK);
	return h;
}

/* ---- speech ---- */

static struct {
	/* most: number of pieces before the caller stops; 0: all */
	size_t n, pieces, most;
	/* for a model "begin": number of texts that it was given */
	int rate_hz, texts;
	double first; /* the first sample */
} spoken;

static inline bool
take_sound(void *arg, const struct pcm *pcm)
{
	(void)arg;
	if (spoken.n == 0)
		spoken.first = pcm->s[0];
	spoken.n += pcm->n;
	spoken.texts += pcm->s[0] > 0.9F;
	spoken.rate_hz = pcm->rate_hz;
	return ++spoken.pieces != spoken.most;
}

static inline enum err
say(struct tts_text t)
{
	t.lang = "en";
	t.rate = t.rate > 0 ? t.rate : 1;
	spoken.n = spoken.pieces = 0;
	spoken.texts = 0;
	return tts_sherpa.synthesize(&at, fixture.mem, &t, take_sound, NULL);
}

#define SAY(...) say((struct tts_text){ __VA_ARGS__ })

#endif
