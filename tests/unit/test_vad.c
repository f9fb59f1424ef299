/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "audio/vad.h"
#include "tests/unit/stream_sounds.h"

/* Returns which frames are speech. */
static const bool *
marks(struct vad *v, struct pcm16 p)
{
	bool *is = arena_alloc(mem, p.n / VAD_FRAME + 1);

	for (size_t i = 0; i < p.n / VAD_FRAME; i++)
		is[i] = vad_frame(v, p.s + i * VAD_FRAME);
	return is;
}

/* Returns the percentage of speech from second `from` to second `to`. */
static double
percent(const bool *is, double from, double to)
{
	size_t n = 0, first = (size_t)(from * 50), end = (size_t)(to * 50);

	for (size_t i = first; i < end; i++)
		n += is[i];
	return 100.0 * (double)n / (double)(end - first);
}

static const double thresholds[] = { 0, 0.25, 0.5, 0.75, 1 };

START_TEST(silence_and_faint_noise_are_never_speech)
{
	struct pcm16 p = silence(60, HEARD_HZ), q = silence(5, HEARD_HZ);
	struct vad *v = vad_new(mem);

	vad_set(v, true, thresholds[_i]);
	ck_assert_double_eq(percent(marks(v, q), 0, 5), 0);
	add_noise(p, -60);
	ck_assert_double_eq(percent(marks(v, p), 0, 60), 0);
	ck_assert_double_eq(percent(marks(v, q), 0, 5), 0);
	ck_assert_double_eq(percent(marks(v, p), 0, 60), 0);
}
END_TEST

START_TEST(a_tone_is_speech_for_five_seconds_and_not_for_seven)
{
	struct pcm16 p = joined(silence(1, HEARD_HZ), tone(40, 300, -20, HEARD_HZ));
	struct vad *v = vad_new(mem);
	const bool *is;

	vad_set(v, true, thresholds[_i]);
	add_noise(p, -60);
	is = marks(v, joined(p, silence(1, HEARD_HZ)));
	ck_assert_double_eq(percent(is, 0, 1), 0);
	ck_assert_double_eq(percent(is, 1, 5.9), 100);
	ck_assert_double_eq(percent(is, 8, 41), 0);
	ck_assert_double_le(percent(is, 41, 42), 2);
	ck_assert_double_eq(
	    percent(marks(vad_new(mem), tone(3, 300, -20, HEARD_HZ)), 0, 3), 100);
}
END_TEST

START_TEST(a_steady_noise_is_speech_for_two_seconds_at_most)
{
	struct pcm16 p = silence(10, HEARD_HZ);
	struct vad *v = vad_new(mem);
	double before = 0;

	add_noise(p, -25 - 5 * _i);
	if (_i % 2 == 1) /* a fan, softer at high frequencies */
		for (size_t i = 0; i < p.n; i++) {
			before = 0.9 * before + 0.3 * p.s[i];
			p.s[i] = (int16_t)before;
		}
	ck_assert_double_eq(percent(marks(v, p), 2, 10), 0);
}
END_TEST

START_TEST(humming_mains_and_an_offset_are_no_speech)
{
	struct pcm16 p = tone(10, 50, -35, HEARD_HZ);

	for (size_t i = 0; i < p.n; i++)
		p.s[i] = (int16_t)(p.s[i] + 3000);
	add_noise(p, -60);
	ck_assert_double_eq(percent(marks(vad_new(mem), p), 0.2, 10), 0);
}
END_TEST

/* A rustle, 20 dB above the noise in its part of the spectrum and 8 dB in all. */
START_TEST(a_soft_rustle_is_speech_in_loud_noise_alone)
{
	const double noise_db = _i == 0 ? -60 : -40;
	struct pcm16 p = joined(
	    joined(silence(3, HEARD_HZ), tone(0.3, 1000, noise_db + 6, HEARD_HZ)),
	    silence(1, HEARD_HZ));
	const bool *is;

	add_noise(p, noise_db);
	is = marks(vad_new(mem), p);
	ck_assert_double_eq(percent(is, 2, 3), 0);
	if (_i == 0)
		ck_assert_double_eq(percent(is, 3, 3.3), 0);
	else
		ck_assert_double_ge(percent(is, 3, 3.3), 50);
}
END_TEST

START_TEST(when_it_is_off_everything_is_speech)
{
	struct vad *v = vad_new(mem);

	vad_set(v, false, 0.5);
	ck_assert_double_eq(percent(marks(v, silence(2, HEARD_HZ)), 0, 2), 100);
}
END_TEST

/*
 * Read sentences with as much silence between them, in noise; dB of the loudest tenth
 * of a second and of the noise.
 */
static const char *const sentences[] = { "01_austen_64kb-0870.wav",
	"01_austen_64kb-0880.wav", "01_austen_64kb-0890.wav",
	"01_austen_64kb-0930.wav" };
static const struct {
	double speech_db, noise_db, threshold;
} rooms[] = { { -12, -90, 0.5 }, { -12, -55, 0.5 }, { -12, -40, 0.5 },
	{ -12, -35, 0.5 }, { -30, -65, 0.5 }, { -30, -55, 0.5 }, { -12, -45, 0.2 },
	{ -12, -45, 0.8 } };

/* Frames of a clean recording within 15 dB of its loudest frame count as speech. */
static void
compare(struct pcm16 clean, const bool *is, int *hit, int *of)
{
	double top = -200;

	for (size_t i = 0; i < clean.n / VAD_FRAME; i++)
		top = fmax(top, level_db(clean.s + i * VAD_FRAME, VAD_FRAME));
	for (size_t i = 0; i < clean.n / VAD_FRAME; i++)
		if (level_db(clean.s + i * VAD_FRAME, VAD_FRAME) > top - 15) {
			*hit += is[i];
			++*of;
		}
}

START_TEST(real_speech_is_found_and_the_pauses_behind_it)
{
	struct vad *v = vad_new(mem);
	double pauses = 0;
	int hit = 0, of = 0, n = 0;

	vad_set(v, true, rooms[_i].threshold);
	for (size_t i = 0; i < COUNT(sentences); i++) {
		struct pcm16 clean, noisy;
		const bool *is;

		clean = recording(arena_printf(mem, RECORDINGS "%s", sentences[i]));
		if (clean.n == 0)
			return;
		clean = levelled(clean, rooms[_i].speech_db);
		clean.n -= clean.n % VAD_FRAME;
		noisy = joined(clean, silence(2, HEARD_HZ));
		add_noise(noisy, rooms[_i].noise_db);
		is = marks(v, noisy);
		compare(clean, is, &hit, &of);
		pauses += percent(is + clean.n / VAD_FRAME, 0.04, 2);
		n++;
	}
	printf("room %d: %.1f %% of %d frames found, %.1f %% of pauses\n", _i,
	    100.0 * hit / of, of, pauses / n);
	ck_assert_double_ge(100.0 * hit / of, 90);
	ck_assert_double_le(pauses / n, 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("vad");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(
	    t, silence_and_faint_noise_are_never_speech, 0, COUNT(thresholds));
	tcase_add_loop_test(t, a_tone_is_speech_for_five_seconds_and_not_for_seven, 0,
	    COUNT(thresholds));
	tcase_add_loop_test(t, a_steady_noise_is_speech_for_two_seconds_at_most, 0, 6);
	tcase_add_test(t, humming_mains_and_an_offset_are_no_speech);
	tcase_add_loop_test(t, a_soft_rustle_is_speech_in_loud_noise_alone, 0, 2);
	tcase_add_test(t, when_it_is_off_everything_is_speech);
	tcase_add_loop_test(
	    t, real_speech_is_found_and_the_pauses_behind_it, 0, COUNT(rooms));
	suite_add_tcase(s, t);
	return unit_run(s);
}
