/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/progress.h"

#include "base/clock.h"
#include "tests/unit/unit.h"

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

static const struct {
	struct progress is;
	int64_t now_us;
	const char *line;
} lines[] = {
	{ { 0, 0, 0, 148000000 }, 0, "[------------------------]   0 % of 148.0 MB" },
	{ { 0, 0, 74000000, 148000000 }, 10 * S_US,
	    "[############------------]  50 % of 148.0 MB, 7.4 MB/s, 0:10 left" },
	{ { 0, 74000000, 111000000, 148000000 }, 100 * S_US,
	    "[##################------]  75 % of 148.0 MB, 0.4 MB/s, 1:40 left" },
	{ { 0, 0, 148000000, 148000000 }, 10 * S_US,
	    "[########################] 100 % of 148.0 MB, 14.8 MB/s, 0:00 left" },
	{ { 0, 0, 12300000, -1 }, 3 * S_US, "12.3 MB, 4.1 MB/s" },
	{ { 0, 0, 12300000, 12000000 }, 3 * S_US, "12.3 MB, 4.1 MB/s" },
	{ { 0, 0, 1, 5000000000000 }, 3 * S_US,
	    "[------------------------]   0 % of 5000000.0 MB, 0.0 MB/s" },
};

START_TEST(a_line_of_progress_has_a_bar_the_rate_and_the_time_left)
{
	ck_assert_str_eq(
	    progress_line(mem, &lines[_i].is, lines[_i].now_us), lines[_i].line);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("progress");
	TCase *t = tcase_create("progress");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_line_of_progress_has_a_bar_the_rate_and_the_time_left,
	    0, COUNT(lines));
	suite_add_tcase(s, t);
	return unit_run(s);
}
