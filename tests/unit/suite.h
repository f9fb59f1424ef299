#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include <check.h>
#include <unistd.h>

/* Rows of a table, for a loop test over them. */
#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

/*
 * Does turn, which takes a millisecond or longer, until the condition holds.  The bound
 * of a minute is for a machine with other work; the test fails when it is over.
 */
#define await_by(turn, condition)                                                      \
	do {                                                                           \
		for (int turns_ = 0; !(condition) && turns_ < 60000; turns_++)         \
			turn;                                                          \
		ck_assert_msg(condition, "%s", #condition);                            \
	} while (0)
#define await(condition) await_by(usleep(1000), condition)

/* What main() answers: 0 if all of it passed.  The suite is freed. */
static inline int
unit_run(Suite *s)
{
	SRunner *r = srunner_create(s);
	int failed;

	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}

#endif
