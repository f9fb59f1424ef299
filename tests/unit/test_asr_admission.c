/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Admission of streams to an engine whose load is measured. */
#include "tests/unit/suite.h"

#include <unistd.h>

#include "base/clock.h"
#include "speech/asr_admission.h"

static int processors;
static struct engine_at at;

static void
setup(void)
{
	processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
	at = (struct engine_at){ .id = "it",
		.library = "lib",
		.model = "model",
		.parallel = 64,
		.threads = processors };
}

/* A stream that used this share of all processors during 20 s of sound. */
static struct admission *
measured(double share)
{
	struct admission *a;

	ck_assert_int_eq(admission_enter(&at, 0, &a), OK);
	admission_measure(
	    a, &(struct admission_work){
		   (int64_t)(share * processors * 20 * S_US), 0, 20 * S_US });
	return a;
}

START_TEST(streams_are_admitted_while_they_keep_up)
{
	struct admission *a = measured(0.4), *b, *c;

	ck_assert_int_eq(admission_enter(&at, 0, &b), OK);
	ck_assert_int_eq(admission_enter(&at, 0, &c), ERR_LIMIT);
	c = admission_replace(&at);
	admission_leave(a);
	ck_assert_int_eq(admission_enter(&at, 0, &a), ERR_LIMIT);
	admission_leave(b);
	ck_assert_int_eq(admission_enter(&at, 0, &b), OK);
	admission_leave(b);
	admission_leave(c);
}
END_TEST

START_TEST(an_engine_that_is_too_slow_gets_no_stream)
{
	struct admission *a = measured(1.2), *b;

	admission_leave(a);
	ck_assert_int_eq(admission_enter(&at, 0, &b), ERR_LIMIT);
	at.model = "smaller";
	ck_assert_int_eq(admission_enter(&at, 0, &b), OK);
	admission_leave(b);
}
END_TEST

START_TEST(a_process_has_its_threads_alone)
{
	struct admission *a, *b;

	at.threads = 1;
	a = measured(1.2 / processors);
	ck_assert_int_eq(admission_enter(&at, 0, &b), ERR_LIMIT);
	admission_leave(a);
}
END_TEST

START_TEST(a_short_phrase_measures_nothing)
{
	struct admission *a, *b;

	ck_assert_int_eq(admission_enter(&at, 0, &a), OK);
	admission_measure(a, &(struct admission_work){ 1000 * S_US, 0, 5 * S_US });
	ck_assert_int_eq(admission_enter(&at, 0, &b), OK);
	admission_leave(a);
	admission_leave(b);
}
END_TEST

/* Until something was measured, a supposed load counts; then the measured one. */
START_TEST(an_engine_has_a_supposed_load_at_first)
{
	const double half = processors / 2.0;
	struct admission *a, *b, *c;

	ck_assert_int_eq(admission_enter(&at, half, &a), OK);
	ck_assert_int_eq(admission_enter(&at, half, &b), OK);
	ck_assert_int_eq(admission_enter(&at, half, &c), ERR_LIMIT);
	admission_measure(
	    a, &(struct admission_work){ processors * 4 * S_US, 0, 20 * S_US });
	ck_assert_int_eq(admission_enter(&at, half, &c), OK);
	admission_leave(a);
	admission_leave(b);
	admission_leave(c);
}
END_TEST

/* Phrases that waited count as late, although they used little processor time. */
START_TEST(a_busy_host_gets_no_further_stream)
{
	const int64_t used_us = processors * 6 * S_US;
	const struct admission_work late = { used_us, 18 * S_US, 20 * S_US },
				    quick = { used_us, 2 * S_US, 20 * S_US };
	struct admission *a, *b, *c;

	ck_assert_int_eq(admission_enter(&at, 0, &a), OK);
	admission_measure(a, &late);
	ck_assert_int_eq(admission_enter(&at, 0, &b), ERR_LIMIT);
	b = admission_replace(&at);
	for (int i = 0; i < 3; i++)
		admission_measure(a, &quick);
	ck_assert_int_eq(admission_enter(&at, 0, &c), OK);
	admission_leave(a);
	admission_leave(b);
	admission_leave(c);
}
END_TEST

/* Other programs do not keep an engine from half of the processors. */
START_TEST(a_busy_host_has_room_for_a_few)
{
	const struct admission_work late = { processors * 4 * S_US, 18 * S_US,
		20 * S_US };
	struct admission *a, *b, *c;

	ck_assert_int_eq(admission_enter(&at, 0, &a), OK);
	admission_measure(a, &late);
	ck_assert_int_eq(admission_enter(&at, 0, &b), OK);
	ck_assert_int_eq(admission_enter(&at, 0, &c), ERR_LIMIT);
	admission_leave(a);
	admission_leave(b);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("admission");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, streams_are_admitted_while_they_keep_up);
	tcase_add_test(t, an_engine_that_is_too_slow_gets_no_stream);
	tcase_add_test(t, a_process_has_its_threads_alone);
	tcase_add_test(t, a_short_phrase_measures_nothing);
	tcase_add_test(t, an_engine_has_a_supposed_load_at_first);
	tcase_add_test(t, a_busy_host_gets_no_further_stream);
	tcase_add_test(t, a_busy_host_has_room_for_a_few);
	suite_add_tcase(s, t);
	return unit_run(s);
}
