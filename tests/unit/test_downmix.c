/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixing channels to one. */
#include <check.h>
#include <math.h>

#include "audio/downmix.h"
#include "tests/unit/suite.h"

#define HZ 16000

/*
 * Returns the level (root mean square) of the last half second, with a tone in each
 * channel.
 */
static double
loudness(const float *gain, int channels)
{
	struct downmix m = { 0 };
	double sum = 0;

	for (int i = 0; i < HZ; i++) {
		float frame[DOWNMIX_CHANNELS];
		float v;

		for (int c = 0; c < channels; c++)
			frame[c] = gain[c] * (float)sin(i * 0.1);
		v = downmix_frame(&m, frame, channels);
		if (i >= HZ / 2)
			sum += (double)v * (double)v;
	}
	return sqrt(2 * sum / (HZ / 2.0));
}

static const struct {
	float gain[DOWNMIX_CHANNELS];
	int channels;
	double loud;
} mixes[] = {
	{ { 1 }, 1, 1 },
	{ { 1, 1 }, 2, 1 },
	{ { 1, 0 }, 2, 0.5 },
	{ { 0, 1 }, 2, 0.5 },
	{ { 1, -1 }, 2, 1 },
	{ { 0.01F, -0.01F }, 2, 0.01 },
	{ { 1, -0.9F }, 2, 1 },
	{ { 0.9F, -1 }, 2, 1 },
	{ { 0, 0 }, 2, 0 },
	{ { 0, 0, 1, -1 }, 4, 1 },
	{ { 1, 1, 1, 1, 1, 1, 1, 1 }, 8, 1 },
};

START_TEST(channels_that_cancel_each_other_are_heard)
{
	ck_assert_double_eq_tol(
	    loudness(mixes[_i].gain, mixes[_i].channels), mixes[_i].loud, 0.01);
}
END_TEST

/* A cable that is plugged in while the stream runs must not click. */
START_TEST(the_change_makes_no_click)
{
	struct downmix m = { 0 };
	float was = 0, step = 0;

	for (int i = 0; i < 2 * HZ; i++) {
		float v = (float)sin(i * 0.01);
		float frame[] = { v, i < HZ ? v : -v },
		      now = downmix_frame(&m, frame, 2);

		if (i != HZ && fabsf(now - was) > step)
			step = fabsf(now - was);
		was = now;
	}
	ck_assert_float_le(step, 0.03F);
	ck_assert_int_ne(m.cancels, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("downmix");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(
	    t, channels_that_cancel_each_other_are_heard, 0, COUNT(mixes));
	tcase_add_test(t, the_change_makes_no_click);
	suite_add_tcase(s, t);
	return unit_run(s);
}
