/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "speech/voice_analysis.h"
#include "speech/voice_filter.h"
#include "speech/voice_level.h"
#include "tests/unit/suite.h"
#include "tests/unit/test_speech.h"

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

/* A pulse train through three resonances: a long vowel. */
static struct pcm
vowel(double f0_hz, double scale, double seconds, int rate_hz)
{
	static const double hz[] = { 600, 1400, 2540, 3500 };
	struct pcm p = silence(seconds, rate_hz);
	double phase = 0;

	for (size_t i = 0; i < p.n; i++) {
		phase += f0_hz / rate_hz;
		if (phase >= 1) {
			phase -= 1;
			p.s[i] = 1;
		}
	}
	for (int k = 0; k < 4; k++) {
		double r = exp(-M_PI * 90 / rate_hz), y1 = 0, y2 = 0;
		double c = 2 * r * cos(2 * M_PI * hz[k] * scale / rate_hz);

		for (size_t i = 0; i < p.n; i++) {
			double y = p.s[i] + c * y1 - r * r * y2;

			y2 = y1;
			y1 = y;
			p.s[i] = (float)y;
		}
	}
	voice_level_whole(&p);
	return p;
}

static double
random_part(void)
{
	static unsigned state = 1;

	state = state * 1103515245 + 12345;
	return (state >> 16 & 0x7fff) / 32768.0 - 0.5;
}

static double
semitones(double a, double b)
{
	return fabs(12 * log2(a / b));
}

static const struct {
	double f0_hz;
	int rate_hz;
} tones[] = { { 62, 8000 }, { 85, 22050 }, { 110, 44100 }, { 147.3, 16000 },
	{ 210, 48000 }, { 333, 22050 }, { 480, 11025 } };

START_TEST(pitch_is_right_within_a_percent)
{
	struct pcm p = vowel(tones[_i].f0_hz, 1, 2, tones[_i].rate_hz);
	struct voice_profile m;

	ck_assert_int_eq(voice_analysis_profile(mem, &p, &m), OK);
	ck_assert_double_eq_tol(m.f0_hz, tones[_i].f0_hz, tones[_i].f0_hz * 0.01);
	ck_assert_double_le(m.f0_high_hz - m.f0_low_hz, tones[_i].f0_hz * 0.02);
}
END_TEST

START_TEST(a_real_speaker_has_no_octave_errors)
{
	struct pcm p = librivox();
	struct frames f = voice_analysis_frames(mem, &p);
	size_t voiced = 0, off = 0;

	if (p.n == 0)
		return;
	for (size_t i = 0; i < f.n; i++) {
		voiced += f.f0_hz[i] > 0;
		off += f.f0_hz[i] > 0 && (f.f0_hz[i] < 55 || f.f0_hz[i] > 170);
		if (i > 0 && f.f0_hz[i] > 0 && f.f0_hz[i - 1] > 0)
			off += semitones(f.f0_hz[i], f.f0_hz[i - 1]) > 10;
	}
	ck_assert_uint_gt(voiced, f.n / 3);
	ck_assert_uint_le(off, voiced / 50);
}
END_TEST

static const double warps[] = { 0.85, 0.93, 1, 1.08, 1.18 };

START_TEST(formant_scale_follows_a_warp)
{
	struct pcm p = librivox();
	struct voice_profile plain, warped;

	if (p.n == 0)
		return;
	ck_assert_int_eq(voice_analysis_profile(mem, &p, &plain), OK);
	/* played faster, which sounds like a smaller head */
	p.rate_hz = (int)(p.rate_hz * warps[_i]);
	ck_assert_int_eq(voice_analysis_profile(mem, &p, &warped), OK);
	ck_assert_double_eq_tol(
	    warped.formant_scale / plain.formant_scale, warps[_i], 0.03 * warps[_i]);
	ck_assert_double_eq_tol(
	    warped.f0_hz / plain.f0_hz, warps[_i], 0.02 * warps[_i]);
}
END_TEST

START_TEST(formant_scale_of_a_known_tract)
{
	struct pcm p = vowel(115, warps[_i], 2, RATE);
	struct voice_profile m;

	ck_assert_int_eq(voice_analysis_profile(mem, &p, &m), OK);
	ck_assert_double_eq_tol(m.formant_scale, warps[_i], 0.04 * warps[_i]);
}
END_TEST

START_TEST(syllables_are_counted)
{
	struct pcm p = vowel(120, 1, 6, RATE);
	struct frames f;

	for (size_t i = 0; i < p.n; i++) /* four a second */
		p.s[i] *= (float)(0.55 - 0.45 * cos(2 * M_PI * 4 * (double)i / RATE));
	f = voice_analysis_frames(mem, &p);
	ck_assert_double_eq_tol(voice_analysis_syllables(mem, &f), 4, 0.3);
}
END_TEST

START_TEST(a_spectrum_shows_its_slope)
{
	struct pcm p = silence(5, RATE);
	struct frames f;
	double db[PROFILE_BANDS];

	/* white noise: 1 dB more in each third octave */
	for (size_t i = 0; i < p.n; i++)
		p.s[i] = (float)random_part();
	f = voice_analysis_frames(mem, &p);
	voice_analysis_spectrum(mem, &p, &f, db);
	for (int i = 1; i + 1 < PROFILE_BANDS; i++)
		ck_assert_double_eq_tol(db[i + 1] - db[i], 1, 1.2);
}
END_TEST

START_TEST(nobodys_voice_is_refused)
{
	struct pcm nothing = silence(4, RATE), noise = silence(4, RATE);
	struct pcm none = silence(0, RATE), hum = vowel(100, 1, 0.3, RATE);
	struct voice_profile m;

	for (size_t i = 0; i < noise.n; i++)
		noise.s[i] = (float)random_part();
	ck_assert_int_eq(voice_analysis_profile(mem, &nothing, &m), ERR_REFUSED);
	ck_assert_int_eq(voice_analysis_profile(mem, &noise, &m), ERR_REFUSED);
	ck_assert_int_eq(voice_analysis_profile(mem, &none, &m), ERR_REFUSED);
	ck_assert_int_eq(voice_analysis_profile(mem, &hum, &m), ERR_REFUSED);
}
END_TEST

START_TEST(voice_is_found_under_noise)
{
	struct pcm p = vowel(130, 1, 4, RATE);
	struct voice_profile m;

	for (size_t i = 0; i < p.n; i++)
		p.s[i] += (float)(0.1 * random_part());
	ck_assert_int_eq(voice_analysis_profile(mem, &p, &m), OK);
	ck_assert_double_eq_tol(m.f0_hz, 130, 1.3);
}
END_TEST

START_TEST(a_narrow_band_leaves_the_rest_unknown)
{
	struct pcm p = vowel(130, 1, 4, 8000);
	struct voice_profile m;

	ck_assert_int_eq(voice_analysis_profile(mem, &p, &m), OK);
	ck_assert(isfinite(m.ltas_db[5]));
	ck_assert(isnan(m.ltas_db[PROFILE_BANDS - 1]));
}
END_TEST

START_TEST(a_profile_survives_json)
{
	struct voice_profile p = voice_profile_none(), q;
	const char *text;

	p.variant = "f3";
	p.f0_hz = 123.4;
	p.formant_scale = 1.073;
	p.ltas_db[0] = -12.3;
	p.eq_db[18] = 4.5;
	text = voice_profile_write(mem, &p);
	ck_assert_uint_lt(strlen(text), 500);
	ck_assert_int_eq(voice_profile_read(mem, text, &q), OK);
	ck_assert_str_eq(voice_profile_write(mem, &q), text);
	ck_assert_double_eq(q.f0_hz, 123.4);
	ck_assert_double_eq(q.formant_scale, 1.073);
	ck_assert(isnan(q.syllables_s) && isnan(q.ltas_db[1]));
	ck_assert_double_eq(q.eq_db[18], 4.5);
}
END_TEST

START_TEST(an_equaliser_has_the_gains_it_is_given)
{
	double flat[PROFILE_BANDS] = { 0 }, eq[PROFILE_BANDS], before[PROFILE_BANDS],
	       after[PROFILE_BANDS];
	struct pcm p = silence(3, RATE);
	struct frames f;

	for (size_t i = 0; i < p.n; i++)
		p.s[i] = (float)(0.3 * random_part());
	f = voice_analysis_frames(mem, &p);
	voice_analysis_spectrum(mem, &p, &f, before);
	for (int i = 0; i < PROFILE_BANDS; i++)
		flat[i] = i < 9 ? 6 : -6;
	voice_filter_gains(before, before, eq);
	ck_assert_double_eq_tol(eq[3], 0, 1e-9);
	voice_filter_equalise(mem, &p, flat);
	voice_analysis_spectrum(mem, &p, &f, after);
	ck_assert_double_eq_tol(
	    (after[5] - before[5]) - (after[15] - before[15]), 12, 1);
}
END_TEST

#define LOOP(test, table)                                                              \
	tcase_add_loop_test(tc, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

static TCase *
measuring(void)
{
	TCase *tc = tcase_create("measuring");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	LOOP(pitch_is_right_within_a_percent, tones);
	tcase_add_test(tc, a_real_speaker_has_no_octave_errors);
	LOOP(formant_scale_follows_a_warp, warps);
	LOOP(formant_scale_of_a_known_tract, warps);
	tcase_add_test(tc, syllables_are_counted);
	tcase_add_test(tc, a_spectrum_shows_its_slope);
	tcase_add_test(tc, nobodys_voice_is_refused);
	tcase_add_test(tc, voice_is_found_under_noise);
	tcase_add_test(tc, a_narrow_band_leaves_the_rest_unknown);
	tcase_add_test(tc, a_profile_survives_json);
	tcase_add_test(tc, an_equaliser_has_the_gains_it_is_given);
	return tc;
}

int
main(void)
{
	Suite *s = suite_create("speech_measure");

	suite_add_tcase(s, measuring());
	return unit_run(s);
}
