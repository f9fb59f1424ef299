/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `dragoman doctor` as a whole: no check can block or end it, it changes nothing, and
 * its answer says whether there is something to do.
 */
#include "tests/unit/doctor_fixture.h"

/* ---- checks that do not end well ---- */

static void
hang(struct check *k)
{
	check_ok(k, "a start", "made");
	for (;;)
		pause();
}

static void
break_off(struct check *k)
{
	check_ok(k, "a start", "made");
	abort();
}

static const struct {
	struct doctor_check check;
	const char *text;
} ends[] = {
	{ { "hang", hang, 1 }, "it took too long" },
	{ { "break_off", break_off, 60 }, "it crashed" },
};

START_TEST(a_check_that_hangs_or_breaks_off_is_named_and_delays_none)
{
	doctor_run(conf, &ends[_i].check, &findings);
	ck_assert_msg(has("ok", "a start"), "%s", all_found());
	ck_assert_msg(has("fail", ends[_i].text), "%s", all_found());
	ck_assert_int_eq(findings.len / sizeof(struct finding), 2);
}
END_TEST

/* ---- the command ---- */

static int
run_doctor(const char *argument)
{
	struct cli c = { .mem = fixture.wire, .arg = argument, .json = true };

	return doctor_command(&c);
}

START_TEST(without_its_key_file_it_cannot_run_and_makes_none)
{
	const char *key = arena_printf(fixture.mem, "%s/secret.key", conf->state_dir);

	ck_assert_int_eq(unlink(key), 0);
	ck_assert_int_eq(run_doctor(NULL), 2);
	ck_assert_int_ne(access(key, F_OK), 0);
}
END_TEST

START_TEST(with_an_argument_it_does_not_run)
{
	ck_assert_int_eq(run_doctor("web"), 2);
}
END_TEST

START_TEST(a_finding_that_fails_is_its_answer)
{
	web_close();
	unit_write(arena_printf(fixture.mem, "%s/etc/dragoman.conf", fixture.dir),
	    arena_printf(fixture.mem, "[server]\nbase_url = %s\n[rtc]\nport = 0\n",
		conf->server_base_url));
	ck_assert_int_eq(run_doctor(NULL), 1);
}
END_TEST

START_TEST(no_row_and_no_file_is_changed)
{
	const char *before = everything();

	for (const struct doctor_check *c = doctor_checks; c->name != NULL; c++)
		doctor_run(conf, c, &findings);
	ck_assert_msg(!has("fail", ""), "%s", all_found());
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(
	    rmdir(arena_printf(fixture.mem, "%s/var/blobs", fixture.dir)), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("doctor_run");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t,
	    a_check_that_hangs_or_breaks_off_is_named_and_delays_none, 0, COUNT(ends));
	tcase_add_test(t, without_its_key_file_it_cannot_run_and_makes_none);
	tcase_add_test(t, with_an_argument_it_does_not_run);
	tcase_add_test(t, a_finding_that_fails_is_its_answer);
	tcase_add_test(t, no_row_and_no_file_is_changed);
	suite_add_tcase(s, t);
	return unit_run(s);
}
