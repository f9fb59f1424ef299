/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of connections, and the measurement of a voice's pitch. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "audio/pcm16.h"
#include "base/clock.h"
#include "gateway/connect_limiter.h"
#include "pipeline/recognizer_internal.h"
#include "tests/unit/suite.h"

static struct arena *mem;

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

START_TEST(each_credential_has_twenty_a_minute)
{
	struct connect_limiter *r = connect_limiter_new(mem);
	int64_t now = 1000 * S_US;

	for (int i = 0; i < 20; i++)
		ck_assert(connect_limiter_admit(r, "one", now += S_US));
	ck_assert(!connect_limiter_admit(r, "one", now += S_US));
	ck_assert(connect_limiter_admit(r, "another", now));
	ck_assert(
	    /* of the first connection: 1001 s */
	    !connect_limiter_admit(r, "one", 1061 * S_US - 1));
	ck_assert(connect_limiter_admit(r, "one", 1061 * S_US));
	ck_assert(!connect_limiter_admit(r, "one", 1061 * S_US));
}
END_TEST

START_TEST(an_address_that_stays_away_is_forgotten_and_may_connect_again)
{
	struct connect_limiter *r = connect_limiter_new(mem);
	int64_t now = 1000 * S_US;

	for (int i = 0; i < 5000; i++)
		ck_assert(connect_limiter_admit(r, arena_printf(mem, "%d", i), now));
	for (int i = 0; i < 20; i++)
		connect_limiter_admit(r, "7", now + S_US);
	ck_assert(!connect_limiter_admit(r, "7", now + S_US));
	now += 120 * S_US;
	for (int i = 0; i < 5000; i++)
		ck_assert(connect_limiter_admit(r, arena_printf(mem, "%d", i), now));
}
END_TEST

/* A second of a tone with overtones, like a voice. */
static double
pitch_of(double hz)
{
	int16_t *s = arena_alloc(mem, HEARD_HZ * sizeof(*s));

	for (int i = 0; i < HEARD_HZ; i++)
		for (int k = 1; k <= 5; k++)
			s[i] =
			    (int16_t)(s[i] + 4000.0 / k *
						 sin(2 * M_PI * hz * k * i / HEARD_HZ));
	return recognizer_pitch_hz(s, HEARD_HZ);
}

START_TEST(high_voices_are_told_from_low_ones)
{
	ck_assert_double_eq_tol(pitch_of(110), 110, 3);
	ck_assert_double_eq_tol(pitch_of(220), 220, 5);
	ck_assert_double_lt(pitch_of(155), PITCH_HIGH_HZ);
	ck_assert_double_gt(pitch_of(175), PITCH_HIGH_HZ);
}
END_TEST

START_TEST(silence_has_no_pitch)
{
	int16_t *s = arena_alloc(mem, HEARD_HZ * sizeof(*s));

	ck_assert_double_eq(recognizer_pitch_hz(s, HEARD_HZ), 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("gateway_rates");
	TCase *t = tcase_create("rates");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, each_credential_has_twenty_a_minute);
	tcase_add_test(
	    t, an_address_that_stays_away_is_forgotten_and_may_connect_again);
	tcase_add_test(t, high_voices_are_told_from_low_ones);
	tcase_add_test(t, silence_has_no_pitch);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
