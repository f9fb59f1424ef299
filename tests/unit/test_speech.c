/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <espeak-ng/speak_lib.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/lang.h"
#include "speech/builtin_voices.h"
#include "speech/engine.h"
#include "speech/utterance.h"
#include "speech/voice_analysis.h"
#include "tests/unit/suite.h"
#include "tests/unit/test_speech.h"

static struct engine_at at = { .timeout_ms = 20000 };

static void
setup(void)
{
	char self[1024] = "";

	mem = arena_new();
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	at.bin_dir = arena_printf(mem, "%s/../bin", dirname(self));
}

static void
teardown(void)
{
	arena_free(mem);
}

static struct pcm
speak(const char *lang, const char *voice, const char *text)
{
	struct tts_text t = { .text = text, .lang = lang, .voice = voice };
	struct pcm pcm = { .n = 0 };

	ck_assert_int_eq(tts_sample(&tts_espeak, &at, mem, &t, &pcm), OK);
	ck_assert_int_eq(pcm.rate_hz, RATE);
	return pcm;
}

static double
seconds(const struct pcm *p)
{
	return (double)p->n / p->rate_hz;
}

static double
loudest(const struct pcm *p)
{
	double peak = 0;

	for (size_t i = 0; i < p->n; i++)
		peak = fmax(peak, fabsf(p->s[i]));
	return peak;
}

static double
semitones(double a, double b)
{
	return fabs(12 * log2(a / b));
}

static const char *const broken[] = { "", "m3", "[]", "{\"f0_hz\":", "12", "null" };

START_TEST(what_is_no_profile_is_refused)
{
	struct tts_text t = { .text = "Hello.", .lang = "en", .voice = broken[_i] };
	struct voice_profile p;
	struct pcm pcm;

	ck_assert_int_eq(voice_profile_read(mem, broken[_i], &p), ERR_REFUSED);
	ck_assert_int_eq(tts_sample(&tts_espeak, &at, mem, &t, &pcm), ERR_REFUSED);
}
END_TEST

static const char *const odd[] = {
	"{}",
	"{\"f0_hz\":-5,\"f0_low_hz\":1e300}",
	"{\"f0_hz\":\"high\",\"eq_db\":[1e9,null,\"x\",{}]}",
	"{\"variant\":\"../../../../etc/passwd\",\"formant_scale\":99}",
	"{\"eq_db\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22]}",
	"{\"f0_hz\":600,\"f0_low_hz\":40,\"f0_high_hz\":800,\"syllables_s\":12}",
};

START_TEST(a_senseless_profile_still_speaks)
{
	struct pcm pcm = speak("en", odd[_i], "Welcome to the conference.");

	ck_assert_double_gt(loudest(&pcm), 0.1);
	ck_assert_double_le(loudest(&pcm), 1);
}
END_TEST

/* Returns the names of all voices that libespeak-ng has, "gmw/en" and so on. */
static bool
installed(const char *file)
{
	const espeak_VOICE **v = espeak_ListVoices(NULL);

	for (; *v != NULL; v++)
		if (strcmp((*v)->identifier, file) == 0)
			return true;
	return false;
}

START_TEST(every_code_speaks_or_is_refused)
{
	struct pcm pcm;
	int silent = 0;

	ck_assert_int_gt(espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, 0, NULL, 0), 0);
	for (const char *const *c = lang_voice; *c != NULL; c++) {
		const char *text = speech_sample_text(*c);
		struct tts_text t = { .text = "1 2 3", .lang = *c };

		ck_assert_int_eq(tts_espeak.speaks(*c), builtin_voice_file(*c) != NULL);
		if (!tts_espeak.speaks(*c)) {
			ck_assert_int_eq(tts_sample(&tts_espeak, &at, mem, &t, &pcm),
			    ERR_UNSUPPORTED);
			ck_assert_ptr_null(text);
			silent++;
			continue;
		}
		ck_assert_msg(installed(builtin_voice_file(*c)), "%s", *c);
		pcm = speak(*c, NULL, text);
		ck_assert_msg(seconds(&pcm) > 0.9 && seconds(&pcm) < 5, "%s: %.1f s",
		    *c, seconds(&pcm));
		ck_assert_msg(loudest(&pcm) > 0.2, "%s", *c);
	}
	ck_assert_int_eq(silent, 3); /* fil, gl, mn */
	espeak_Terminate();
}
END_TEST

START_TEST(codes_fall_back_to_their_base)
{
	ck_assert_str_eq(builtin_voice_file("en-au"), "gmw/en");
	ck_assert_str_eq(builtin_voice_file("en-us"), "gmw/en-US");
	ck_assert_str_eq(builtin_voice_file("auto"), "gmw/en-US");
	ck_assert_str_eq(builtin_voice_file("es-co"), "roa/es-419");
	ck_assert_str_eq(builtin_voice_file("de-at"), "gmw/de");
	ck_assert_str_eq(speech_sample_text("en-us"), speech_sample_text("en"));
	ck_assert_str_eq(speech_sample_text("auto"), speech_sample_text("en"));
	ck_assert_ptr_null(builtin_voice_file("gl"));
	ck_assert_ptr_null(builtin_voice_file("x"));
	ck_assert_ptr_null(builtin_voice_file(""));
	ck_assert_ptr_null(builtin_voice_file("-"));
}
END_TEST

static const double targets[] = { 75, 95, 120, 160, 200, 250, 320 };

/* A single sentence has little melody, so these are longer. */
static const struct {
	const char *lang;
	const char *text;
} tongues[] = {
	{ "en", "The first talk is about the history of the city. Lunch is served on "
		"the second floor, next to the large window." },
	{ "es", "La primera charla trata de la historia de la ciudad. La comida se "
		"sirve en el segundo piso, junto a la ventana grande." },
	{ "ru", "Первый доклад посвящён истории города. Обед подают на втором этаже, "
		"рядом с большим окном." },
	{ "fr", "Le premier exposé porte sur l'histoire de la ville. Le déjeuner est "
		"servi au deuxième étage, à côté de la grande fenêtre." },
};

START_TEST(output_has_the_profiles_pitch)
{
	for (size_t i = 0; i < sizeof(tongues) / sizeof(tongues[0]); i++) {
		struct voice_profile p = voice_profile_none(), m;
		struct pcm pcm;

		p.f0_hz = targets[_i];
		p.f0_low_hz = targets[_i] * 0.85;
		p.f0_high_hz = targets[_i] * 1.25;
		p.formant_scale = targets[_i] > 150 ? 1.15 : 1;
		pcm = speak(
		    tongues[i].lang, voice_profile_write(mem, &p), tongues[i].text);
		ck_assert_int_eq(voice_analysis_profile(mem, &pcm, &m), OK);
		ck_assert_msg(semitones(m.f0_hz, p.f0_hz) < 1.5, "%s: %.0f for %.0f",
		    tongues[i].lang, m.f0_hz, p.f0_hz);
	}
}
END_TEST

START_TEST(cloning_goes_towards_the_speaker)
{
	struct clone_sample s = { .name = "x", .ref = "x", .lang = "en" };
	const char *high = "{\"f0_hz\":200,\"f0_low_hz\":168,\"f0_high_hz\":240,"
			   "\"formant_scale\":1.15}";
	const char *voice = NULL, *text = "The children played in the garden. It was "
					  "late, and nobody wanted to go home.";
	struct voice_profile human, plain, cloned;
	struct pcm pcm;

	s.pcm = librivox();
	if (s.pcm.n == 0)
		return;
	ck_assert_int_eq(clone_profile.clone(&at, mem, &s, &voice), OK);
	ck_assert_int_eq(voice_analysis_profile(mem, &s.pcm, &human), OK);
	pcm = speak("en", high, text);
	ck_assert_int_eq(voice_analysis_profile(mem, &pcm, &plain), OK);
	pcm = speak("en", voice, text);
	ck_assert_int_eq(voice_analysis_profile(mem, &pcm, &cloned), OK);
	ck_assert_double_lt(semitones(cloned.f0_hz, human.f0_hz), 1.5);
	ck_assert_double_lt(fabs(log(cloned.formant_scale / human.formant_scale)),
	    fabs(log(plain.formant_scale / human.formant_scale)));
	ck_assert_int_eq(clone_profile.drop(&at, mem, voice), OK);
}
END_TEST

START_TEST(a_sample_without_voice_is_not_cloned)
{
	struct clone_sample s = { .name = "x", .ref = "x", .lang = "en" };
	const char *voice;

	s.pcm = silence(5, RATE);
	ck_assert_int_eq(clone_profile.clone(&at, mem, &s, &voice), ERR_REFUSED);
}
END_TEST

START_TEST(builtin_voices_are_whole_and_differ)
{
	const struct builtin_voice *v = builtin_voices, *w;
	struct voice_profile a, b;
	const char *lang;

	ck_assert_str_eq(v[0].name, "default_low");
	ck_assert_str_eq(v[1].name, "default_high");
	for (; v->id != NULL; v++) {
		ck_assert_str_eq(id_read(mem, v->id), v->id);
		ck_assert_int_eq(v->id[14], '4');
		ck_assert_ptr_eq(builtin_find(v->id), v);
		lang = strcmp(v->lang_code, "auto") == 0 ? "en" : v->lang_code;
		ck_assert(tts_espeak.speaks(lang));
		ck_assert_int_eq(voice_profile_read(mem, v->voice, &a), OK);
		for (w = builtin_voices; w != v; w++) {
			ck_assert_str_ne(w->id, v->id);
			ck_assert_str_ne(w->name, v->name);
			ck_assert_int_eq(voice_profile_read(mem, w->voice, &b), OK);
			ck_assert(semitones(a.f0_hz, b.f0_hz) > 0.5 ||
				  strcmp(v->lang_code, w->lang_code) != 0);
		}
		ck_assert_int_eq(voice_profile_read(mem, v->voice, &a), OK);
		(void)speak(lang, v->voice, speech_sample_text(lang));
	}
	ck_assert_int_ge(v - builtin_voices, 12);
	ck_assert_ptr_null(builtin_find("nobody"));
}
END_TEST

/* A piece repeated to 4,000 bytes, which is more than a sample may have. */
static const char *const pieces[] = {
	"<speak><break time=\"100000s\"/><audio src=\"/etc/passwd\"/>", "[[h@'loU]] ",
	"\x01"
	"50P\x01"
	"900S ",
	"\x02\x03\x1b\x7f\r\t", "9", "A", "\xff\xfe\x80\xc0\xaf ", "\xf0\x9f\x98\x80",
	"\xee\x80\x80", "\xed\xa0\x80", "漢", "!", "a-", "%n%s", "\xcc\x81",
	"&lt;&#0;&amp;", "\xe2\x80\xae", "1e9999 ", "....", "'\"`\\"
};

START_TEST(hostile_text_does_no_harm)
{
	size_t n = strlen(pieces[_i]), most = 4000 / n * n;
	char *text = arena_alloc(mem, most + 1);
	struct tts_text t = { .text = text, .lang = _i % 2 == 0 ? "en" : "ru" };
	int64_t begun = monotonic_us();
	struct pcm pcm;
	enum err e;

	for (size_t i = 0; i < most; i += n)
		memcpy(text + i, pieces[_i], n);
	e = tts_sample(&tts_espeak, &at, mem, &t, &pcm);
	ck_assert_msg(e == OK || e == ERR_REFUSED, "%d: %d", _i, (int)e);
	ck_assert_int_lt(monotonic_us() - begun, 60 * S_US);
}
END_TEST

static const struct {
	const char *text;
	const char *same;
} plain[] = {
	{ "Hello \x01"
	  "90S there.",
	    "Hello 90S there." },
	{ "Hello \xee\x80\x81 there.", "Hello   there." },
};

START_TEST(commands_in_the_text_are_text)
{
	struct pcm a = speak("en", NULL, plain[_i].text);
	struct pcm b = speak("en", NULL, plain[_i].same);

	ck_assert_double_eq_tol(seconds(&a), seconds(&b), 0.15);
}
END_TEST

START_TEST(markup_is_read_out)
{
	struct pcm bare = speak("en", NULL, "Hello there.");
	struct pcm ssml = speak("en", NULL, "Hello <break time=\"9s\"/> there.");
	struct pcm codes = speak("en", NULL, "Hello [[h@l'oU h@l'oU h@l'oU]] there.");

	ck_assert_double_gt(seconds(&ssml), seconds(&bare) + 0.5);
	ck_assert_double_lt(seconds(&ssml), 8);
	ck_assert_double_gt(seconds(&codes), seconds(&bare) + 0.5);
}
END_TEST

START_TEST(too_much_text_is_refused)
{
	char *text = arena_alloc(mem, UTTERANCE_MAX_BYTES + 2);
	struct tts_text t = { .text = text, .lang = "en" };
	struct pcm pcm;

	memset(text, 'a', UTTERANCE_MAX_BYTES + 1);
	ck_assert_int_eq(tts_sample(&tts_espeak, &at, mem, &t, &pcm), ERR_REFUSED);
	t.text = " \n ";
	ck_assert_int_eq(tts_sample(&tts_espeak, &at, mem, &t, &pcm), ERR_REFUSED);
}
END_TEST

START_TEST(the_deadline_is_kept)
{
	char *text = arena_alloc(mem, UTTERANCE_MAX_BYTES);
	struct tts_text t = { .text = text, .lang = "en" };
	struct engine_at hurry = at;
	int64_t begun = monotonic_us();
	struct pcm pcm;

	for (size_t i = 0; i + 5 < 20000; i += 5)
		memcpy(text + i, "word ", 5);
	hurry.timeout_ms = 20;
	ck_assert_int_eq(tts_sample(&tts_espeak, &hurry, mem, &t, &pcm), ERR_TIMEOUT);
	ck_assert_int_lt(monotonic_us() - begun, 5 * S_US);
}
END_TEST

START_TEST(a_missing_program_is_a_failure)
{
	struct engine_at wrong = at;
	struct tts_text t = { .text = "Hello.", .lang = "en" };
	struct pcm pcm;

	wrong.bin_dir = "/nowhere";
	ck_assert_int_eq(tts_sample(&tts_espeak, &wrong, mem, &t, &pcm), ERR_FAILED);
}
END_TEST

#define LOOP(test, table)                                                              \
	tcase_add_loop_test(tc, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

static TCase *
speaking(void)
{
	TCase *tc = tcase_create("speaking");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	LOOP(what_is_no_profile_is_refused, broken);
	LOOP(a_senseless_profile_still_speaks, odd);
	tcase_add_test(tc, every_code_speaks_or_is_refused);
	tcase_add_test(tc, codes_fall_back_to_their_base);
	LOOP(output_has_the_profiles_pitch, targets);
	tcase_add_test(tc, cloning_goes_towards_the_speaker);
	tcase_add_test(tc, a_sample_without_voice_is_not_cloned);
	tcase_add_test(tc, builtin_voices_are_whole_and_differ);
	return tc;
}

static TCase *
hostility(void)
{
	TCase *tc = tcase_create("hostility");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	LOOP(hostile_text_does_no_harm, pieces);
	LOOP(commands_in_the_text_are_text, plain);
	tcase_add_test(tc, markup_is_read_out);
	tcase_add_test(tc, too_much_text_is_refused);
	tcase_add_test(tc, the_deadline_is_kept);
	tcase_add_test(tc, a_missing_program_is_a_failure);
	return tc;
}

int
main(void)
{
	Suite *s = suite_create("speech");

	suite_add_tcase(s, speaking());
	suite_add_tcase(s, hostility());
	return unit_run(s);
}
