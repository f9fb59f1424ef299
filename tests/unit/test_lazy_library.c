/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library is loaded by the first call of one of its functions. */
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>

#include "base/lazy_library.h"
#include "tests/unit/suite.h"

/* glibc's libm has all of these. */
#define GOOD(X) X(cbrt) X(hypot)
LAZY_LIBRARY(good, GOOD);
LAZY_LIBRARY_IS(good, GOOD, "libm.so.6");
LAZY_LIBRARY(missing, GOOD);
LAZY_LIBRARY_IS(missing, GOOD, "libmissing.so.1");

/* Declared only, as a function of a later version. */
double later_version(double);
#define OLD(X) X(cbrt) X(later_version)
LAZY_LIBRARY(old, OLD);
LAZY_LIBRARY_IS(old, OLD, "libm.so.6");

static void *
call(void *to)
{
	*(double *)to = (*good_use()->hypot)(3, 4);
	return NULL;
}

START_TEST(functions_are_found_by_their_names)
{
	ck_assert_double_eq((*good_use()->hypot)(3, 4), 5);
	ck_assert_double_eq((*good_use()->cbrt)(8), 2);
}
END_TEST

START_TEST(threads_may_call_at_the_same_time)
{
	pthread_t threads[8];
	double results[COUNT(threads)];

	for (int i = 0; i < COUNT(threads); i++)
		ck_assert_int_eq(
		    pthread_create(&threads[i], NULL, call, &results[i]), 0);
	for (int i = 0; i < COUNT(threads); i++) {
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
		ck_assert_double_eq(results[i], 5);
	}
}
END_TEST

static int
end_of(const void *(*use)(void))
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		use();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const void *
use_missing(void)
{
	return missing_use();
}

static const void *
use_old(void)
{
	return old_use();
}

static const void *
use_good(void)
{
	return good_use();
}

START_TEST(a_program_ends_without_its_library_or_a_function)
{
	ck_assert_int_eq(end_of(use_good), 0);
	ck_assert_int_eq(end_of(use_missing), EXIT_FAILURE);
	ck_assert_int_eq(end_of(use_old), EXIT_FAILURE);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("lazy_library");
	TCase *t = tcase_create("all");

	tcase_add_test(t, functions_are_found_by_their_names);
	tcase_add_test(t, threads_may_call_at_the_same_time);
	tcase_add_test(t, a_program_ends_without_its_library_or_a_function);
	suite_add_tcase(s, t);
	return unit_run(s);
}
