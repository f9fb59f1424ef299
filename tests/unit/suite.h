#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include <check.h>

/* Rows of a table, for a loop test over them. */
#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

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
