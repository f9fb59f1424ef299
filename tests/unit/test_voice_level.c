/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Voices are equally loud: lib/audio/lufs.c, lib/speech/voice_level.c. FFmpeg's ebur128
 * measures the results.
 */
#include <libgen.h>
#include <math.h>

#include "audio/lufs.h"
#include "speech/engine.h"
#include "speech/voice_level.h"
#include "tests/unit/ebur128.h"
#include "tests/unit/unit.h"

static struct arena *mem;
static struct engine_at at;
static struct voice_levels *levels;
static struct buf heard; /* float */
/* wanted: number of pieces before the caller stops; 0: all */
static int heard_hz, pieces, wanted;

static bool
hear(void *arg, const struct pcm *pcm)
{
	ck_assert_ptr_eq(arg, &heard);
	ck_assert_uint_gt(pcm->n, 0);
	ck_assert(wanted == 0 || pieces < wanted);
	heard_hz = pcm->rate_hz;
	buf_put(&heard, pcm->s, pcm->n * sizeof(*pcm->s));
	return ++pieces != wanted;
}

static void
setup(void)
{
	char self[1024] = "";

	(void)fixture;
	mem = arena_new();
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	at = (struct engine_at){ .id = "it",
		.bin_dir = arena_printf(mem, "%s/../bin", dirname(self)),
		.timeout_ms = 60000 };
	levels = voice_levels_new(mem);
	heard = (struct buf){ .mem = mem };
	heard_hz = pieces = wanted = 0;
}

static void
teardown(void)
{
	arena_free(mem);
}

static enum err
speak(const struct tts_engine *en, const struct tts_text *t)
{
	const struct registry_engine engine = { .at = at, .tts = en };

	return voice_level_speak(levels, &engine, mem, t, hear, &heard);
}

static struct pcm
sound(void)
{
	return (struct pcm){ (float *)(void *)heard.p, heard.len / sizeof(float),
		heard_hz };
}

static void
assert_loudness(const struct pcm *pcm, double within)
{
	ck_assert_double_eq_tol(
	    ebur128_says(mem, pcm, "lavfi.r128.I="), VOICE_LUFS, within);
	ck_assert_double_le(
	    20 * log10(ebur128_says(mem, pcm, "lavfi.r128.true_peak=")), -1);
}

/* ---- the meter ---- */

/* Seconds of a tone, louder and softer in turn, with silence in between. */
static struct pcm
tone(int rate_hz, double hz, double s, float loud, float soft)
{
	struct pcm p = { .n = (size_t)(rate_hz * s), .rate_hz = rate_hz };

	p.s = arena_alloc(mem, (p.n + 1) * sizeof(*p.s));
	for (size_t i = 0; i < p.n; i++) {
		int turn = (int)(i * 2 / (size_t)rate_hz) % 4;

		p.s[i] = (turn == 0      ? loud
			     : turn == 2 ? soft
					 : 0) *
			 (float)sin(2 * M_PI * hz * (double)i / rate_hz);
	}
	return p;
}

static const struct {
	int rate_hz;
	double hz, s;
	float loud, soft;
} tones[] = {
	{ 8000, 400, 4, 0.1F, 0.1F },
	{ 16000, 1000, 6, 0.5F, 0.05F },
	{ 22050, 100, 5, 0.9F, 0.9F },
	{ 24000, 3000, 8, 0.3F, 0.001F },
	{ 44100, 50, 4, 0.2F, 0.1F },
	{ 48000, 8000, 4, 0.1F, 0.002F },
};

START_TEST(the_meter_agrees_with_ffmpeg)
{
	struct pcm p = tone(tones[_i].rate_hz, tones[_i].hz, tones[_i].s,
	    tones[_i].loud, tones[_i].soft);
	struct lufs l = { .blocks = 0 };
	struct lufs_meter m;

	lufs_begin(&m, &l, p.rate_hz);
	for (size_t from = 0, n; from < p.n; from += n) {
		n = p.n - from < 777 ? p.n - from : 777;
		lufs_put(&m, p.s + from, n);
	}
	lufs_end(&m);
	ck_assert_double_eq_tol(
	    lufs_integrated(&l), ebur128_says(mem, &p, "lavfi.r128.I="), 0.15);
}
END_TEST

START_TEST(silence_has_no_loudness_and_a_short_sound_has_one)
{
	struct pcm p = tone(16000, 1000, 0.3, 0.5F, 0.5F);
	struct lufs l = { .blocks = 0 };
	static const float silence[16000];
	struct lufs_meter m;

	lufs_begin(&m, &l, 16000);
	lufs_end(&m);
	ck_assert_double_nan(lufs_integrated(&l));
	lufs_begin(&m, &l, 16000);
	lufs_put(&m, silence, 16000);
	lufs_end(&m);
	ck_assert_double_nan(lufs_integrated(&l));
	lufs_begin(&m, &l, 16000);
	lufs_put(&m, p.s, p.n);
	lufs_end(&m);
	ck_assert_double_eq_tol(lufs_integrated(&l), 20 * log10(0.5) - 3.01, 0.5);
}
END_TEST

/* ---- voices ---- */

static const char *const sentences[] = {
	"Good morning, and welcome to the second day of our conference.",
	"No.",
	"A sensor costs as much as a good pair of boots, it breaks when a tractor "
	"drives "
	"over it, and somebody has to read it every morning.",
	"Is it really that simple?",
	"After three years the river carried water in August for the first time.",
};

#define LOUD_PROFILE                                                                   \
	"{\"f0_hz\":210,\"eq_db\":[12,12,12,12,12,12,12,12,12,12,12,12,12,12,12,12,"   \
	"12,12,12]}"
#define SOFT_PROFILE                                                                   \
	"{\"f0_hz\":90,\"eq_db\":[-12,-12,-12,-12,-12,-12,-12,-12,-12,-12,-12,-12,-12" \
	",-12,-12,-12,-12,-12,-12]}"

static const struct {
	const char *kind, *voice;
	bool high;
} voices[] = {
	{ "espeak", NULL, false },
	{ "espeak", NULL, true },
	{ "espeak", LOUD_PROFILE, false },
	{ "espeak", SOFT_PROFILE, false },
	{ "flite", NULL, false },
	{ "flite", NULL, true },
};

START_TEST(voices_are_equally_loud)
{
	const struct tts_engine *en = engine_find(voices[_i].kind)->tts;
	struct pcm all;

	if (!tts_knows(en, &at, "en"))
		return;
	for (int i = 0; i < COUNT(sentences); i++) {
		const struct tts_text t = { .text = sentences[i],
			.lang = "en",
			.voice = voices[_i].voice,
			.high = voices[_i].high,
			.rate = 1 };

		ck_assert_int_eq(speak(en, &t), OK);
	}
	all = sound();
	assert_loudness(&all, 1);
}
END_TEST

START_TEST(samples_are_as_loud)
{
	const struct tts_engine *en = engine_find(voices[_i].kind)->tts;
	const struct tts_text t = {
		.text = sentences[2], .lang = "en", .voice = voices[_i].voice, .rate = 1
	};
	struct pcm p;

	if (!tts_knows(en, &at, "en"))
		return;
	ck_assert_int_eq(tts_sample(en, &at, mem, &t, &p), OK);
	assert_loudness(&p, 1);
}
END_TEST

/* ---- an engine that sends what it is given ---- */

#define PIECE 1000

static struct pcm sent;

static enum err
send(const struct engine_at *where, struct arena *scratch, const struct tts_text *t,
    tts_sink *sink, void *to)
{
	(void)where, (void)scratch;
	for (size_t from = 0; from < sent.n; from += PIECE) {
		const struct pcm p = { sent.s + from,
			sent.n - from < PIECE ? sent.n - from : PIECE, sent.rate_hz };

		if (!sink(to, &p))
			return OK;
	}
	return strcmp(t->text, "fail") == 0 ? ERR_FAILED : OK;
}

static const struct tts_engine sender = { 0, NULL, send };

static enum err
say(const char *text)
{
	const struct tts_text t = { .text = text, .lang = "en", .rate = 1 };

	heard.len = 0;
	pieces = 0;
	return speak(&sender, &t);
}

START_TEST(a_voice_keeps_its_gain)
{
	struct pcm p;

	sent = tone(24000, 500, 6, 0.02F, 0.02F);
	ck_assert_int_eq(say("a"), OK);
	p = sound();
	ck_assert_uint_eq(p.n, sent.n);
	assert_loudness(&p, 0.5);
	for (size_t i = 24000; i < p.n; i++) /* one gain for the whole sound */
		ck_assert_float_eq_tol(
		    p.s[i] * sent.s[1012], sent.s[i] * p.s[1012], 1e-4F);
	/* a softer sentence stays softer */
	sent = tone(24000, 500, 6, 0.01F, 0.01F);
	ck_assert_int_eq(say("b"), OK);
	p = sound();
	ck_assert_double_eq_tol(
	    ebur128_says(mem, &p, "lavfi.r128.I="), VOICE_LUFS - 6, 1);
}
END_TEST

START_TEST(peaks_are_lowered_without_steps)
{
	struct pcm p;

	/* clicks over a soft tone, invalid numbers, and sound that is much too loud */
	sent = tone(24000, 300, 8, 0.02F, 0.02F);
	for (size_t i = 500; i < sent.n; i += 4800)
		sent.s[i] = 0.9F;
	sent.s[30000] = NAN;
	sent.s[40000] = INFINITY;
	sent.s[50000] = -1e30F;
	ck_assert_int_eq(say("a"), OK);
	p = sound();
	ck_assert_uint_eq(p.n, sent.n);
	for (size_t i = 0; i < p.n; i++)
		ck_assert(fabsf(p.s[i]) <= VOICE_PEAK + 1e-6F);
	ck_assert_double_le(
	    20 * log10(ebur128_says(mem, &p, "lavfi.r128.true_peak=")), -1);
}
END_TEST

START_TEST(silence_stays_silence)
{
	struct pcm p;

	sent = tone(24000, 300, 3, 0, 0);
	ck_assert_int_eq(say("a"), OK);
	p = sound();
	ck_assert_uint_eq(p.n, sent.n);
	for (size_t i = 0; i < p.n; i++)
		ck_assert_float_eq(p.s[i], 0);
	voice_level_whole(&p);
	ck_assert_float_eq(p.s[100], 0);
}
END_TEST

START_TEST(nothing_follows_when_it_is_enough)
{
	sent = tone(24000, 500, 6, 0.1F, 0.1F);
	wanted = 2;
	ck_assert_int_eq(say("a"), OK);
	ck_assert_int_eq(pieces, 2);
}
END_TEST

START_TEST(the_sound_before_a_failure_is_passed_on)
{
	sent = tone(24000, 500, 0.5, 0.1F, 0.1F);
	ck_assert_int_eq(say("fail"), ERR_FAILED);
	ck_assert_uint_eq(sound().n, sent.n);
	sent.n = 0;
	ck_assert_int_eq(say("fail"), ERR_FAILED);
	ck_assert_int_eq(pieces, 0);
}
END_TEST

/* More voices than the table can hold. */
START_TEST(a_voice_that_was_forgotten_is_measured_again)
{
	sent = tone(24000, 500, 2, 0.1F, 0.1F);
	for (int i = 0; i < 100; i++) {
		const struct tts_text t = { .text = "a",
			.lang = "en",
			.voice = arena_printf(mem, "voice %d", i % 90),
			.rate = 1 };
		struct pcm p;

		heard.len = 0;
		ck_assert_int_eq(speak(&sender, &t), OK);
		p = sound();
		ck_assert_uint_eq(p.n, sent.n);
		ck_assert_float_eq_tol(
		    p.s[12] / sent.s[12], p.s[10012] / sent.s[10012], 0.01F);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("voice level");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, the_meter_agrees_with_ffmpeg, 0, COUNT(tones));
	tcase_add_test(t, silence_has_no_loudness_and_a_short_sound_has_one);
	tcase_add_loop_test(t, voices_are_equally_loud, 0, COUNT(voices));
	tcase_add_loop_test(t, samples_are_as_loud, 0, COUNT(voices));
	tcase_add_test(t, a_voice_keeps_its_gain);
	tcase_add_test(t, peaks_are_lowered_without_steps);
	tcase_add_test(t, silence_stays_silence);
	tcase_add_test(t, nothing_follows_when_it_is_enough);
	tcase_add_test(t, the_sound_before_a_failure_is_passed_on);
	tcase_add_test(t, a_voice_that_was_forgotten_is_measured_again);
	suite_add_tcase(s, t);
	return unit_run(s);
}
