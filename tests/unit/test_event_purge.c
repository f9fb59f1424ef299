/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker removes the rows of listeners of a deleted event. */
#define UNIT_TEST
#include "tests/unit/stats_rows.h"

#include "workers/stats_export.c"

static const char *event;
static struct work w;

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, event_sql, stage_sql,
		queue_sql, NULL };

	fixture_open("stats_export", none, prepared);
	w = (struct work){ fixture.app.db, fixture.wire, &fixture.app.conf };
	event = put_event(fixture.account, "Autumn summit", 1);
}

#define LISTENERS 20000

/* Adds many joins and requests in two languages, and a few for another event. */
static void
put_listeners(int n)
{
	sql(arena_printf(fixture.mem,
	    "WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i <"
	    " %d) INSERT INTO joins (event, listener, language) SELECT '%s', 'listener "
	    "' || (i / 2),"
	    " CASE i %% 2 WHEN 0 THEN 'de' ELSE 'fr' END FROM k;"
	    "WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i <"
	    " %d) INSERT INTO askers SELECT '%s', 'request ' || (i %% 5),"
	    " 'listener ' || i FROM k;"
	    "INSERT INTO joins (event, listener, language) SELECT 'other', listener, "
	    "language FROM joins LIMIT 9;"
	    "INSERT INTO askers SELECT 'other', request, listener FROM askers LIMIT 9",
	    n, event, n, event));
}

static void
queue_purge(void)
{
	ck_assert_int_eq(
	    queue_add(w.db, fixture.mem, "event.purge", fixture.account, event), OK);
	ck_assert_int_eq(event_drop(w.db, fixture.account, event), OK);
}

static int
rows_left(void)
{
	return number("SELECT (SELECT count(*) FROM joins) + (SELECT count(*) FROM"
		      " askers)");
}

START_TEST(rows_of_listeners_go_with_the_event)
{
	put_listeners(LISTENERS);
	queue_purge();
	ck_assert_int_eq(rows_left(), 2 * LISTENERS + 18);
	ck_assert_int_eq(work_one(&w, &kinds[0], "test"), OK);
	ck_assert_int_eq(rows_left(), 18);
	ck_assert_int_eq(number("SELECT count(*) FROM joins WHERE event = 'other'"), 9);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
}
END_TEST

START_TEST(what_is_left_goes_in_short_transactions)
{
	bool left;

	put_listeners(LISTENERS);
	queue_purge();
	ck_assert_int_eq(db_begin(w.db, DB_ALL), OK);
	ck_assert_int_eq(event_purge(w.db, event, JOB_PURGED, &left), OK);
	ck_assert_int_eq(db_commit(w.db), OK);
	ck_assert(left);
	ck_assert_int_ge(rows_left(), 2 * LISTENERS + 18 - 4 * JOB_PURGED);
	ck_assert_int_lt(rows_left(), 2 * LISTENERS + 18);
	ck_assert_int_eq(
	    work_one(&w, &kinds[0], "test"), OK); /* killed, and started again */
	ck_assert_int_eq(rows_left(), 18);
}
END_TEST

/* The rest of the job is due at once, after other jobs, and no try was used up. */
START_TEST(a_long_purge_lets_others_have_their_turn)
{
	int most = JOB_PURGES * JOB_PURGED;

	put_listeners(most + 100);
	sql("DELETE FROM joins WHERE event <> 'other'");
	queue_purge();
	ck_assert_int_eq(work_one(&w, &kinds[0], "test"), OK);
	ck_assert_str_eq(sql("SELECT state, tries FROM jobs"), "ready|0\n");
	ck_assert_int_eq(rows_left(), 100 + 18);
	ck_assert_int_eq(work_one(&w, &kinds[0], "test"), OK);
	ck_assert_int_eq(rows_left(), 18);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
}
END_TEST

START_TEST(a_purge_may_be_repeated)
{
	queue_purge();
	ck_assert_int_eq(work_one(&w, &kinds[0], "test"), OK);
	ck_assert_int_eq(
	    queue_add(w.db, fixture.mem, "event.purge", fixture.account, event), OK);
	ck_assert_int_eq(work_one(&w, &kinds[0], "test"), OK);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
}
END_TEST

START_TEST(a_purge_that_fails_is_taken_up_again)
{
	enum err e = ERR_BUSY;
	int n;

	put_listeners(LISTENERS);
	queue_purge();
	for (n = 2; n < 60 && number("SELECT count(*) FROM jobs") == 1; n++) {
		db_fault(w.db, n, n % 2 ? ERR_BUSY : ERR_FAILED);
		e = work_one(&w, &kinds[0], "test");
		arena_reset(w.mem);
		db_fault(w.db, 0, OK);
		ck_assert_int_ge(rows_left(), 18);
		ck_assert_int_eq(
		    number("SELECT count(*) FROM jobs WHERE state = 'dead'"), 0);
		sql("UPDATE jobs SET due_us = 1, tries = 0");
	}
	ck_assert_int_eq(e, OK);
	ck_assert_int_gt(n, 6);
	ck_assert_int_eq(rows_left(), 18);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("event purge");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, rows_of_listeners_go_with_the_event);
	tcase_add_test(t, what_is_left_goes_in_short_transactions);
	tcase_add_test(t, a_long_purge_lets_others_have_their_turn);
	tcase_add_test(t, a_purge_may_be_repeated);
	tcase_add_test(t, a_purge_that_fails_is_taken_up_again);
	suite_add_tcase(s, t);
	return unit_run(s);
}
