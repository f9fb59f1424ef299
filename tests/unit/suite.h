/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

/* gcc defines this macro itself. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* Rows of a table, for a loop test over them. */
#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

/*
 * Repeats turn, which must take at least a millisecond, until the condition holds.
 * After a minute, which is enough on a busy machine, the test fails.
 */
#define await_by(turn, condition)                                                      \
	do {                                                                           \
		for (int turns_ = 0; !(condition) && turns_ < 60000; turns_++)         \
			turn;                                                          \
		ck_assert_msg(condition, "%s", #condition);                            \
	} while (0)
#define await(condition) await_by(usleep(1000), condition)

/*
 * UNIT_PART=K/N in the environment: run only each Nth case, from the Kth on.  A program
 * whose cases wait for seconds is run as N processes side by side: tests/unit/run.
 */
static inline void
unit_add_test(TCase *t, const TTest *test, int from, int to)
{
	static int added;
	const char *part = getenv("UNIT_PART");
	int k, n;

	if (part == NULL || sscanf(part, "%d/%d", &k, &n) != 2) {
		_tcase_add_test(t, test, 0, 0, from, to);
		return;
	}
	for (int i = from; i < to; i++)
		if (added++ % n == k - 1)
			_tcase_add_test(t, test, 0, 0, i, i + 1);
}
#undef tcase_add_test
#undef tcase_add_loop_test
#define tcase_add_test(t, test) unit_add_test(t, test, 0, 1)
#define tcase_add_loop_test(t, test, from, to) unit_add_test(t, test, from, to)

static pid_t unit_runner;

/*
 * Valgrind checks each process for leaks when it exits.  One that a case forks also has
 * the case's memory, which it does not free.
 */
static inline void
unit_forked(void)
{
	if (getppid() != unit_runner)
		VALGRIND_CLO_CHANGE("--leak-check=no");
}

/* Returns the exit status of main(): 0 if all tests passed. Frees the suite. */
static inline int
unit_run(Suite *s)
{
	SRunner *r = srunner_create(s);
	int failed;

	unit_runner = getpid();
	pthread_atfork(NULL, NULL, unit_forked);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}

#endif
