/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocked threads, with a simulated clock. */
#include "base/watchdog.h"

#include <check.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/unit/suite.h"

static struct watchdog dog;
static struct watched *first, *second;
static int64_t now;
static int woken; /* calls of wake_first() */

static void
wake_first(void *arg)
{
	ck_assert_ptr_eq(arg, &dog);
	woken++;
}

static void
wake_second(void *arg)
{
	(void)arg;
}

static void
setup(void)
{
	dog = (struct watchdog){ 0 };
	first = watchdog_add(&dog, "first", wake_first, &dog);
	second = watchdog_add(&dog, "second", wake_second, NULL);
	now = 1000 * S_US;
	ck_assert_ptr_null(watchdog_check(&dog, now));
}

/* Makes this many checks, one step apart; returns the result of the last one. */
static const struct watched *
look(int times)
{
	const struct watched *stalled = NULL;

	while (times-- > 0)
		stalled = watchdog_check(&dog, now += WATCHDOG_STEP_US);
	return stalled;
}

START_TEST(threads_that_turn_are_left_alone)
{
	for (int i = 0; i < 100; i++) {
		watched_turn(first);
		if (i % 5 == 0)
			watched_turn(second);
		ck_assert_ptr_null(look(1));
	}
}
END_TEST

START_TEST(a_thread_is_stalled_after_5_s_and_lost_after_10)
{
	watched_turn(first);
	watched_turn(second);
	ck_assert_ptr_null(look(1));
	for (int i = 0; i < 9; i++) {
		watched_turn(first);
		ck_assert_ptr_null(look(1));
	}
	watched_turn(first);
	ck_assert_ptr_eq(look(1), second);
	ck_assert_int_eq(second->still_us, WATCHDOG_STALLED_US);
	ck_assert_ptr_eq(look(9), second);
	ck_assert_int_lt(second->still_us, WATCHDOG_LOST_US);
	look(1);
	ck_assert_int_ge(second->still_us, WATCHDOG_LOST_US);
}
END_TEST

START_TEST(one_that_never_turned_is_stalled_too)
{
	ck_assert_ptr_nonnull(look(10));
}
END_TEST

START_TEST(one_that_turns_again_is_not_stalled)
{
	look(15);
	watched_turn(first);
	watched_turn(second);
	ck_assert_ptr_null(look(9));
	ck_assert_ptr_nonnull(look(2));
}
END_TEST

START_TEST(the_one_that_stands_longest_is_named)
{
	look(2);
	watched_turn(first);
	look(12);
	ck_assert_ptr_eq(look(1), second);
}
END_TEST

/* A suspended machine or a stopped process: the watchdog itself did not run, either. */
START_TEST(time_in_which_it_did_not_look_does_not_count)
{
	now += 3600 * S_US;
	ck_assert_ptr_null(look(1));
	for (int i = 0; i < 8; i++) {
		now += 60 * S_US;
		ck_assert_ptr_null(look(1));
	}
	ck_assert_ptr_nonnull(look(1));
}
END_TEST

START_TEST(a_thread_that_sleeps_is_woken_once)
{
	watched_turn(first);
	watched_turn(second);
	ck_assert_ptr_null(look(1));
	woken = 0;
	look(3);
	ck_assert_int_eq(woken, 1);
	watched_turn(first);
	look(1);
	ck_assert_int_eq(woken, 1);
	look(1);
	ck_assert_int_eq(woken, 2);
}
END_TEST

/* A pause of its own does not count as time in which a thread stood still. */
START_TEST(while_all_sleep_it_looks_seldom)
{
	for (int i = 0; i < 3; i++) {
		watched_turn(first);
		watched_turn(second);
		look(1);
		ck_assert_int_eq(watchdog_pause_us(&dog), WATCHDOG_REST_US);
		now += WATCHDOG_REST_US - WATCHDOG_STEP_US;
		look(1);
		ck_assert_int_le(first->still_us, WATCHDOG_STEP_US);
		ck_assert_int_eq(watchdog_pause_us(&dog), WATCHDOG_STEP_US);
	}
}
END_TEST

START_TEST(while_one_works_it_looks_often)
{
	watched_turn(second);
	for (int i = 0; i <= WATCHDOG_BUSY; i++)
		watched_turn(first);
	look(1);
	ck_assert_int_eq(watchdog_pause_us(&dog), WATCHDOG_STEP_US);
}
END_TEST

static void *
nap(void *arg)
{
	usleep(*(useconds_t *)arg);
	return NULL;
}

START_TEST(a_thread_that_does_not_end_is_left_behind)
{
	static useconds_t nap_us;
	int64_t begun = monotonic_us();
	pthread_t thread;

	nap_us = 1000000;
	ck_assert_int_eq(pthread_create(&thread, NULL, nap, &nap_us), 0);
	ck_assert(!watchdog_join(thread, "thread", 100000));
	ck_assert_int_ge(monotonic_us(), begun + 100000);
	ck_assert(watchdog_join(thread, "thread", 60 * S_US));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("watchdog");
	TCase *t = tcase_create("watchdog");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, threads_that_turn_are_left_alone);
	tcase_add_test(t, a_thread_is_stalled_after_5_s_and_lost_after_10);
	tcase_add_test(t, one_that_never_turned_is_stalled_too);
	tcase_add_test(t, one_that_turns_again_is_not_stalled);
	tcase_add_test(t, the_one_that_stands_longest_is_named);
	tcase_add_test(t, time_in_which_it_did_not_look_does_not_count);
	tcase_add_test(t, a_thread_that_sleeps_is_woken_once);
	tcase_add_test(t, while_all_sleep_it_looks_seldom);
	tcase_add_test(t, while_one_works_it_looks_often);
	tcase_add_test(t, a_thread_that_does_not_end_is_left_behind);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
