/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "audio/tempo.h"
#include "tests/unit/stream_sounds.h"

static const struct tempo_params usual = { true, 1.15, 1.45, 5000, 20000 };

static const struct {
	int level_ms;
	double tempo;
} levels[] = { { 0, 1 }, { 5000, 1 }, { 5001, 1.15 }, { 8000, 1.21 }, { 12500, 1.3 },
	{ 20000, 1.45 }, { 90000, 1.45 } };

START_TEST(tempo_follows_the_queue_level)
{
	struct tempo_params off = usual;

	ck_assert_double_eq_tol(
	    tempo_for(&usual, levels[_i].level_ms), levels[_i].tempo, 0.0001);
	off.automatic = false;
	ck_assert_double_eq(tempo_for(&off, levels[_i].level_ms), 1);
}
END_TEST

/* A vowel made of pulses, the kind of sound that libsonic is made for. */
static struct pcm16
vowel(double seconds, double f0_hz)
{
	struct pcm16 p = silence(seconds, SPOKEN_HZ);

	for (int k = 1; k * f0_hz < 4000; k++)
		add_tone(p, k * f0_hz, -24 - k, SPOKEN_HZ);
	return p;
}

/* Returns the period at which a sound is most similar to itself. */
static double
pitch_hz(const int16_t *s, size_t n)
{
	double best = -1;
	size_t at = 1;

	for (size_t lag = SPOKEN_HZ / 400; lag < SPOKEN_HZ / 80; lag++) {
		double product = 0, a = 1, b = 1;

		for (size_t i = 0; i + lag < n; i++) {
			product += (double)s[i] * s[i + lag];
			a += (double)s[i] * s[i];
			b += (double)s[i + lag] * s[i + lag];
		}
		if (product / sqrt(a * b) > best + 0.01) {
			best = product / sqrt(a * b);
			at = lag;
		}
	}
	return (double)SPOKEN_HZ / (double)at;
}

static struct pcm16
said(struct pcm16 p, double tempo, size_t piece)
{
	struct tempo *t = tempo_new(mem, SPOKEN_HZ, tempo);
	struct pcm16 to = { .n = 0 };

	for (size_t i = 0; i < p.n; i += piece) {
		struct pcm16 part = { p.s + i, p.n - i < piece ? p.n - i : piece };

		to = joined(to, tempo_feed(t, part, mem));
	}
	return joined(to, tempo_end(t, mem));
}

static const double tempos[] = { 0.5, 0.8, 0.99, 1.0, 1.15, 1.3, 1.45, 1.8, 2.0 };

START_TEST(speech_takes_less_time_and_keeps_its_pitch)
{
	struct pcm16 p = vowel(3, 150), q = said(p, tempos[_i], p.n);

	ck_assert_double_eq_tol((double)q.n, (double)p.n / tempos[_i], 300);
	ck_assert_double_eq_tol(pitch_hz(q.s + q.n / 3, 4800), 150, 2);
	ck_assert_double_eq_tol(
	    level_db(q.s + q.n / 3, 4800), level_db(p.s + p.n / 3, 4800), 1);
}
END_TEST

START_TEST(a_stream_of_speech_lasts_as_long_as_the_whole)
{
	struct pcm16 p = vowel(3, 150);
	double whole = (double)said(p, tempos[_i], p.n).n;

	ck_assert_double_eq_tol((double)said(p, tempos[_i], 777).n, whole, 300);
}
END_TEST

START_TEST(tempo_1_changes_nothing)
{
	struct pcm16 p = vowel(1, 200), q = said(p, 1, 1000);

	ck_assert_uint_eq(q.n, p.n);
	ck_assert_mem_eq(q.s, p.s, p.n * sizeof(*p.s));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tempo");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, tempo_follows_the_queue_level, 0, COUNT(levels));
	tcase_add_loop_test(
	    t, speech_takes_less_time_and_keeps_its_pitch, 0, COUNT(tempos));
	tcase_add_loop_test(
	    t, a_stream_of_speech_lasts_as_long_as_the_whole, 0, COUNT(tempos));
	tcase_add_test(t, tempo_1_changes_nothing);
	suite_add_tcase(s, t);
	return unit_run(s);
}
