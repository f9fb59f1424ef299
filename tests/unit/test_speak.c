/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speech for a waiting listener, by the engines of this host. */
#include "tests/unit/speak_fixture.h"

/* ---- espeak, flite ---- */

static const char *const kinds[] = { "espeak", "flite" };

static double
median_hz(const char *kind, struct tts_text t)
{
	struct voice_profile p;
	struct pcm pcm;

	forget();
	ck_assert_int_eq(say(kind, t), OK);
	pcm = sound();
	ck_assert_int_eq(voice_analysis_profile(mem, &pcm, &p), OK);
	return p.f0_hz;
}

START_TEST(the_low_voice_is_low_and_the_high_one_high)
{
	const struct tts_text down = { .text = SENTENCE },
			      up = { .text = SENTENCE, .high = true };
	double low = median_hz(kinds[_i], down), high = median_hz(kinds[_i], up);

	ck_assert_double_gt(low, 60);
	ck_assert_double_lt(low, 140);
	ck_assert_double_gt(high, 150);
	ck_assert_double_lt(high, 300);
	ck_assert_double_gt(high / low, 1.5);
}
END_TEST

START_TEST(a_cloned_voice_speaks_with_its_profile)
{
	double hz = median_hz("espeak",
	    (struct tts_text){ .text = SENTENCE,
		.voice = "{\"f0_hz\":150,\"f0_low_hz\":128,\"f0_high_hz\":178}" });

	ck_assert_double_eq_tol(hz, 150, 12);
}
END_TEST

START_TEST(the_rate_is_words_per_minute)
{
	static const double rates[] = { 0.5, 1.25, 1.5, 2 };
	double once, times;

	ck_assert_int_eq(SAY(kinds[_i], .text = SENTENCE), OK);
	once = seconds();
	for (int i = 0; i < COUNT(rates); i++) {
		forget();
		ck_assert_int_eq(
		    SAY(kinds[_i], .text = SENTENCE, .rate = rates[i]), OK);
		times = once / seconds();
		ck_assert_msg(fabs(times / rates[i] - 1) < 0.15, "%.2f: %.2f times",
		    rates[i], times);
	}
}
END_TEST

START_TEST(languages_are_spelt_in_any_way)
{
	static const char *const codes[] = { "es", "es-mx", "ES_mx", "es-ch", "pt-BR" };

	ck_assert(tts_knows(&tts_espeak, &at, codes[_i]));
	ck_assert_int_eq(SAY("espeak", .text = "Hola.", .lang = codes[_i]), OK);
	ck_assert_double_gt(seconds(), 0.1);
}
END_TEST

START_TEST(a_language_that_espeak_lacks_is_not_spoken)
{
	ck_assert(!tts_knows(&tts_espeak, &at, "gl"));
	ck_assert(!tts_knows(&tts_espeak, &at, "auto"));
	ck_assert(!tts_knows(&tts_espeak, &at, "a-code-longer-than-any"));
	ck_assert_int_eq(SAY("espeak", .text = "Ola.", .lang = "gl"), ERR_UNSUPPORTED);
}
END_TEST

static const struct {
	const char *languages, *code;
	bool allowed;
} narrowed[] = {
	{ "en es-mx", "en", true },
	{ "en es-mx", "en-gb", true },
	{ "en es-mx", "es-MX", true },
	{ "en,es_mx", "es", false },
	{ "en es-mx", "es", false },
	{ "en es-mx", "fr", false },
	{ "e", "en", false },
};

START_TEST(the_settings_narrow_what_is_spoken)
{
	at.languages = narrowed[_i].languages;
	ck_assert_int_eq(
	    tts_knows(&tts_espeak, &at, narrowed[_i].code), narrowed[_i].allowed);
	ck_assert_int_eq(
	    tts_knows(&tts_script, &at, narrowed[_i].code), narrowed[_i].allowed);
}
END_TEST

START_TEST(the_first_sound_of_a_sentence_comes_soon)
{
	int64_t best = INT64_MAX, begin, us;

	for (int i = 0; i < 8; i++) {
		forget();
		begin = monotonic_us();
		ck_assert_int_eq(SAY("espeak", .text = SENTENCE), OK);
		us = heard.first_us - begin;
		best = us < best ? us : best;
	}
	/* with its own length */
	ck_assert_double_lt((double)best / S_US, seconds() / 3);
}
END_TEST

START_TEST(what_espeak_cannot_say_is_refused)
{
	char *much = arena_alloc(mem, 70000);

	memset(much, 'a', 69999);
	ck_assert_int_eq(SAY("espeak", .text = much), ERR_REFUSED);
	ck_assert_int_eq(SAY("espeak", .text = "a", .voice = "m3"), ERR_REFUSED);
	at.bin_dir = "/nowhere";
	ck_assert_int_eq(SAY("espeak", .text = "a"), ERR_FAILED);
	ck_assert_int_eq(heard.pieces, 0);
}
END_TEST

/* ---- script ---- */

START_TEST(the_script_tells_its_voice_by_the_pitch)
{
	const struct tts_text t[] = { { .text = "Grüße" },
		{ .text = "Grüße", .high = true }, { .text = "Grüße", .voice = "x" } };
	static const int hz[] = { 220, 440, 330 };

	ck_assert_int_eq(say("script", t[_i]), OK);
	ck_assert_int_eq(heard.rate_hz, 24000);
	ck_assert_uint_eq(sound().n, 5 * 1440);
	ck_assert_double_eq_tol(sine_hz(), hz[_i], 4);
}
END_TEST

START_TEST(the_script_fails_when_told_to)
{
	ck_assert_int_eq(SAY("script", .text = "now fault-tts please"), ERR_FAILED);
	ck_assert_int_eq(heard.pieces, 0);
}
END_TEST

START_TEST(an_engine_stops_when_the_caller_has_enough)
{
	heard.wanted = 2;
	ck_assert_int_eq(SAY("script", .text = SENTENCE), OK);
	ck_assert_int_eq(heard.pieces, 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("speak");
	TCase *t = tcase_create("all");
	int end;

	signal(SIGPIPE, SIG_DFL);
	server = engine_server_start();
	tcase_set_timeout(t, 20);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, the_low_voice_is_low_and_the_high_one_high, 0, COUNT(kinds));
	tcase_add_test(t, a_cloned_voice_speaks_with_its_profile);
	tcase_add_loop_test(t, the_rate_is_words_per_minute, 0, COUNT(kinds));
	tcase_add_loop_test(t, languages_are_spelt_in_any_way, 0, 5);
	tcase_add_test(t, a_language_that_espeak_lacks_is_not_spoken);
	tcase_add_loop_test(t, the_settings_narrow_what_is_spoken, 0, COUNT(narrowed));
	tcase_add_test(t, the_first_sound_of_a_sentence_comes_soon);
	tcase_add_test(t, what_espeak_cannot_say_is_refused);
	tcase_add_loop_test(t, the_script_tells_its_voice_by_the_pitch, 0, 3);
	tcase_add_test(t, the_script_fails_when_told_to);
	tcase_add_test(t, an_engine_stops_when_the_caller_has_enough);
	suite_add_tcase(s, t);
	end = unit_run(s);
	engine_server_stop(&server);
	return end;
}
