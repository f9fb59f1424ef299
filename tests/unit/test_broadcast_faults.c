/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A backend fails during a call, at its n-th request, for every n. After a repeated
 * call, or a removal, exactly the right rooms must exist. A backend that died is empty:
 * one next call of each kind is tested, but not all sequences.
 */
#include "tests/unit/cutting_proxy.h"

static enum cut how;
static bool died; /* the backend died in the last fault and is now empty */

static void
setup(void)
{
	mem = arena_new();
	conf = blank_conf();
}

static void
teardown(void)
{
	backend->stop();
	arena_free(mem);
}

static void
enter(int way)
{
	driver = &broadcast_janus;
	backend = &janus_fixture;
	how = (enum cut)way;
	backend->start(&conf);
}

/* Makes the n-th request of the next call fail, counted from 0. */
static struct proxy
break_at(int n)
{
	return proxy_start(n, how, 0);
}

/* Repairs the backend after a call; returns whether the fault occurred. */
static bool
mend(struct proxy *p, int n, enum err e)
{
	bool failed = proxy_stop(p) > n;

	died = failed && (how == CUT_KILL_BEFORE || how == CUT_KILL_AFTER);
	if (died)
		backend->start(&conf);
	ck_assert_msg(e == (failed ? ERR_TIMEOUT : OK), "fault at request %d: %s", n,
	    err_name(e));
	return failed;
}

static bool
create_broken(int n, const char *name, const char *languages)
{
	struct proxy p = break_at(n);

	return mend(&p, n, create(name, languages));
}

static bool
change_broken(int n, const char *name, const char *languages)
{
	struct proxy p = break_at(n);

	return mend(&p, n, change(name, languages));
}

static bool
destroy_broken(int n, const char *name)
{
	struct proxy p = break_at(n);

	return mend(&p, n, destroy(name));
}

/* Checks that exactly this room exists. */
static void
there_is(const char *name, const char *languages)
{
	ck_assert_str_eq(listed(), line(name, languages));
	ck_assert_str_eq(backend->names(), arena_printf(mem, "%s\n", name));
}

static void
there_is_nothing(void)
{
	ck_assert_str_eq(listed(), "");
	ck_assert_str_eq(backend->names(), "");
}

static void
destroys(const char *name)
{
	ck_assert_int_eq(destroy(name), OK);
	there_is_nothing();
}

START_TEST(a_broken_creation_is_completed)
{
	bool failed = (enter(_i), true);

	for (int n = 0; failed; n++) {
		const char *name = new_name();

		failed = create_broken(n, name, "[\"es\",\"fr\"]");
		ck_assert_int_eq(create(name, "[\"fr\",\"de\"]"), OK);
		there_is(name, "de fr");
		destroys(name);
	}
}
END_TEST

START_TEST(a_broken_creation_is_removed)
{
	bool failed = (enter(_i), true);

	for (int n = 0; failed; n++) {
		const char *name = new_name();

		failed = create_broken(n, name, "[\"es\",\"fr\"]");
		destroys(name);
	}
}
END_TEST

/*
 * After the backend died the room is gone. The driver reports this and creates no room.
 */
START_TEST(a_broken_change_is_made_again)
{
	bool failed = (enter(_i), true);

	for (int n = 0; failed; n++) {
		const char *name = new_name();

		ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
		failed = change_broken(n, name, "[\"de\",\"es\"]");
		ck_assert_int_eq(
		    change(name, "[\"de\",\"es\"]"), died ? ERR_NOT_FOUND : OK);
		if (died) {
			there_is_nothing();
			ck_assert_int_eq(create(name, "[\"de\",\"es\"]"), OK);
		}
		there_is(name, "de es");
		destroys(name);
	}
}
END_TEST

START_TEST(a_broken_change_is_removed)
{
	bool failed = (enter(_i), true);

	for (int n = 0; failed; n++) {
		const char *name = new_name();

		ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
		failed = change_broken(n, name, "[\"de\",\"es\"]");
		destroys(name);
	}
}
END_TEST

START_TEST(a_broken_removal_is_finished)
{
	bool failed = (enter(_i), true);

	for (int n = 0; failed; n++) {
		const char *name = new_name();

		ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
		failed = destroy_broken(n, name);
		destroys(name);
	}
}
END_TEST

START_TEST(a_broken_removal_may_be_taken_back)
{
	bool failed = (enter(_i), true);

	for (int n = 0; failed; n++) {
		const char *name = new_name();

		ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
		failed = destroy_broken(n, name);
		ck_assert_int_eq(create(name, "[\"es\",\"it\"]"), OK);
		there_is(name, "es it");
		destroys(name);
	}
}
END_TEST

/*
 * The driver lists objects that a failed call left, so that the cleaning worker finds
 * them.
 */
START_TEST(what_is_left_is_listed)
{
	bool failed = (enter(_i), true);
	size_t nlisted = 0;

	for (int n = 0; failed; n++) {
		const char *name = new_name();
		struct list seen;

		failed = create_broken(n, name, "[\"es\",\"fr\"]");
		ck_assert_int_eq(driver->list(&conf, mem, &seen), OK);
		ck_assert_int_le(seen.n, 1);
		ck_assert_int_eq(seen.n, is_there(name));
		nlisted += seen.n;
		destroy_all();
		there_is_nothing();
	}
	ck_assert_int_ge(nlisted, 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("broadcast faults");
	TCase *t = tcase_create("faults");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_broken_creation_is_completed, 0, CUT_KINDS);
	tcase_add_loop_test(t, a_broken_creation_is_removed, 0, CUT_ALIVE_KINDS);
	tcase_add_loop_test(t, a_broken_change_is_made_again, 0, CUT_KINDS);
	tcase_add_loop_test(t, a_broken_change_is_removed, 0, CUT_ALIVE_KINDS);
	tcase_add_loop_test(t, a_broken_removal_is_finished, 0, CUT_KINDS);
	tcase_add_loop_test(t, a_broken_removal_may_be_taken_back, 0, CUT_ALIVE_KINDS);
	tcase_add_loop_test(t, what_is_left_is_listed, 0, CUT_ALIVE_KINDS);
	suite_add_tcase(s, t);
	return unit_run(s);
}
