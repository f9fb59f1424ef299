/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of workers has a row for each file in workers/, and no others. */
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "service/workers.h"
#include "tests/unit/suite.h"

static bool
has_row(const char *name)
{
	const struct worker_program *w = worker_programs;

	while (w->name != NULL && strcmp(w->name, name) != 0)
		w++;
	return w->name != NULL;
}

START_TEST(each_file_of_a_worker_has_a_row)
{
	char name[64];
	glob_t files;

	ck_assert_int_eq(glob("workers/*.c", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		ck_assert_int_eq(
		    sscanf(files.gl_pathv[i], "workers/%63[^.].c", name), 1);
		if (strncmp(name, "dragoman", 8) != 0)
			ck_assert_msg(has_row(name),
			    "lib/service/workers.c has no row of %s: nothing starts it",
			    name);
	}
	globfree(&files);
}
END_TEST

/*
 * A worker's heartbeat must have the name in the table, or GET /health would report it
 * as silent.
 */
START_TEST(each_row_has_a_file_that_bears_its_name)
{
	for (const struct worker_program *w = worker_programs; w->name != NULL; w++) {
		char path[128], text[64 * 1024], quoted[64];
		FILE *f;
		size_t n;

		snprintf(path, sizeof(path), "workers/%s.c", w->name);
		snprintf(quoted, sizeof(quoted), "\"%s\"", w->name);
		ck_assert_msg((f = fopen(path, "r")) != NULL, "there is no %s", path);
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
		text[n] = '\0';
		ck_assert_msg(strstr(text, quoted) != NULL,
		    "%s does not bear the name %s", path, quoted);
	}
}
END_TEST

START_TEST(rows_are_sorted_and_complete)
{
	for (const struct worker_program *w = worker_programs; w->name != NULL; w++) {
		ck_assert_ptr_nonnull(w->does);
		ck_assert_ptr_nonnull(w->silent);
		if (w[1].name != NULL)
			ck_assert_int_lt(strcmp(w->name, w[1].name), 0);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("workers");
	TCase *t = tcase_create("all");

	tcase_add_test(t, each_file_of_a_worker_has_a_row);
	tcase_add_test(t, each_row_has_a_file_that_bears_its_name);
	tcase_add_test(t, rows_are_sorted_and_complete);
	suite_add_tcase(s, t);
	return unit_run(s);
}
