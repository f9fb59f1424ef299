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

	ck_assert_int_eq(admission_enter(&at, &a), OK);
	admission_measure(a, (int64_t)(share * processors * 20 * S_US), 20 * S_US);
	return a;
}

START_TEST(streams_are_admitted_while_they_keep_up)
{
	struct admission *a = measured(0.4), *b, *c;

	ck_assert_int_eq(admission_enter(&at, &b), OK);
	ck_assert_int_eq(admission_enter(&at, &c), ERR_LIMIT);
	c = admission_replace(&at);
	admission_leave(a);
	ck_assert_int_eq(admission_enter(&at, &a), ERR_LIMIT);
	admission_leave(b);
	ck_assert_int_eq(admission_enter(&at, &b), OK);
	admission_leave(b);
	admission_leave(c);
}
END_TEST

START_TEST(an_engine_that_is_too_slow_gets_no_stream)
{
	struct admission *a = measured(1.2), *b;

	admission_leave(a);
	ck_assert_int_eq(admission_enter(&at, &b), ERR_LIMIT);
	at.model = "smaller";
	ck_assert_int_eq(admission_enter(&at, &b), OK);
	admission_leave(b);
}
END_TEST

START_TEST(a_process_has_its_threads_alone)
{
	struct admission *a, *b;

	at.threads = 1;
	a = measured(1.2 / processors);
	ck_assert_int_eq(admission_enter(&at, &b), ERR_LIMIT);
	admission_leave(a);
}
END_TEST

START_TEST(a_short_phrase_measures_nothing)
{
	struct admission *a, *b;

	ck_assert_int_eq(admission_enter(&at, &a), OK);
	admission_measure(a, 1000 * S_US, 5 * S_US);
	ck_assert_int_eq(admission_enter(&at, &b), OK);
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
	suite_add_tcase(s, t);
	return unit_run(s);
}
