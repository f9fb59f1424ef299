/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rounds of the worker of events: a failure delays no other event and leaves no
 * incomplete result.
 */
#include "tests/unit/stats_fixture.h"

static const struct {
	int which; /* as struct stats_page has it */
	enum err (*act)(struct db *, struct arena *, const struct stats_due *);
	const char *event, *stats;
	const char *table; /* the column whose change shows that the work was done */
	const char *done;  /* events for which it was done, in SQL */
} duties[CHORES_END] = {
	[EXPORT] = { STATS_CHANGED, stats_export, "version = 1", "changed_us = 5",
	    "event_stats", "SELECT count(*) FROM event_stats WHERE csv IS NOT NULL" },
	[FINISH] = { STATS_ENDED, stats_finish, "end_us = 9", "active_us = 11",
	    "events", "SELECT count(*) FROM events WHERE finished_us IS NOT NULL" },
	[FREEZE] = { STATS_AWAITED, stats_freeze, "finished_us = 9", "noticed_us = 5",
	    "event_stats", "SELECT count(*) FROM event_stats WHERE final IS NOT NULL" },
};

START_TEST(an_event_that_is_deleted_behind_the_list_is_let_be)
{
	struct stats_due due;
	const char *before;

	set_event(event, duties[_i].event);
	set_stats(event, duties[_i].stats);
	due = due_of(duties[_i].which);
	ck_assert_int_eq(event_drop(w.db, fixture.account, event), OK);
	before = everything();
	ck_assert_int_eq(duties[_i].act(w.db, fixture.mem, &due), OK);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_busy_or_full_database_ends_the_round_with_nothing_half_done)
{
	const char *before;
	enum err e = ERR_BUSY;
	int n;

	put_events(2, duties[_i].event, duties[_i].stats);
	before = everything();
	for (n = 1; n < 100; n++) {
		db_fault(w.db, n, n % 2 ? ERR_BUSY : ERR_FULL);
		if ((e = run_chore(_i)) == OK)
			break;
		ck_assert_int_eq(e, n % 2 ? ERR_BUSY : ERR_FULL);
		ck_assert_str_eq(everything(), before);
	}
	db_fault(w.db, 0, OK);
	ck_assert_int_eq(e, OK);
	ck_assert_int_gt(n, 6);
	ck_assert_int_eq(number(duties[_i].done), 3);
	before = everything();
	ran(_i);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_fault_that_passes_costs_no_event_a_round)
{
	int n, done = 0;

	put_events(2, duties[_i].event, duties[_i].stats);
	for (n = 1; n < 100 && done == 0; n++) {
		db_fault(w.db, n, ERR_FAILED);
		ck_assert_int_eq(
		    run_chore(_i) == OK, (done = number(duties[_i].done)) > 0);
		ck_assert(done == 0 || done == 3);
	}
	db_fault(w.db, 0, OK);
	ck_assert_int_eq(done, 3);
	ran(_i);
}
END_TEST

/* The first of all, two in the middle of a batch, and the last. */
static const int bad[] = { 2, 50, 51, 2 * BATCH + 1 };

/* Makes every change of these events fail. */
static void
spoil(const char *table)
{
	struct buf ids = { .mem = fixture.mem };

	for (int i = 0; i < COUNT(bad); i++)
		buf_printf(&ids, "%s'%s'", i > 0 ? ", " : "", event_of(bad[i]));
	sql(arena_printf(fixture.mem,
	    "CREATE TRIGGER bad BEFORE UPDATE ON %s WHEN OLD.%s IN (%s)"
	    " BEGIN SELECT RAISE(ABORT, 'no'); END",
	    table, strcmp(table, "events") == 0 ? "id" : "event", buf_text(&ids)));
}

START_TEST(one_that_fails_keeps_no_other_waiting)
{
	put_events(2 * BATCH, duties[_i].event, duties[_i].stats);
	spoil(duties[_i].table);
	for (int round = 0; round < 2; round++) {
		ran(_i);
		ck_assert_int_eq(number(duties[_i].done), 2 * BATCH + 1 - COUNT(bad));
	}
	sql("DROP TRIGGER bad");
	ran(_i);
	ck_assert_int_eq(number(duties[_i].done), 2 * BATCH + 1);
}
END_TEST

START_TEST(a_batch_that_fails_keeps_no_other_waiting)
{
	put_events(BATCH + 20, duties[_i].event, duties[_i].stats);
	sql(arena_printf(fixture.mem,
	    "CREATE TRIGGER bad BEFORE UPDATE ON %s WHEN OLD.%s <> '%s'"
	    " BEGIN SELECT RAISE(ABORT, 'no'); END",
	    duties[_i].table, _i == FINISH ? "id" : "event", event_of(BATCH + 9)));
	ran(_i);
	ck_assert_int_eq(number(duties[_i].done), 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stats rounds");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(
	    t, an_event_that_is_deleted_behind_the_list_is_let_be, 0, CHORES_END);
	tcase_add_loop_test(t,
	    a_busy_or_full_database_ends_the_round_with_nothing_half_done, 0,
	    CHORES_END);
	tcase_add_loop_test(
	    t, a_fault_that_passes_costs_no_event_a_round, 0, CHORES_END);
	tcase_add_loop_test(t, one_that_fails_keeps_no_other_waiting, 0, CHORES_END);
	tcase_add_loop_test(
	    t, a_batch_that_fails_keeps_no_other_waiting, 0, CHORES_END);
	suite_add_tcase(s, t);
	return unit_run(s);
}
