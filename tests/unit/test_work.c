/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop that every worker runs: how jobs end, and the state after a job that did not
 * end.
 */
#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/unit.h"
#include "work/work.h"

#define HOLDER "host/worker"

static struct work w;
static enum job_end ends; /* result of run() */
static bool writes;       /* run() begins a transaction and writes */
static int ran, gave_up;

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, queue_sql, NULL };

	fixture_open("work", none, prepared);
	db_announce(&fixture.app.conf);
	w = (struct work){ fixture.app.db, fixture.wire, &fixture.app.conf };
	ends = JOB_DONE;
	writes = true;
	ran = gave_up = 0;
	ck_assert_int_eq(queue_add(w.db, fixture.mem, "k", fixture.account, "ref"), OK);
}

static enum job_end
run_job(struct work *wk, const struct job *jb, const char **why)
{
	enum err e = OK;

	ran++;
	*why = "it did not work";
	if (writes && (e = db_begin(wk->db, DB_ALL)) == OK)
		e = worker_seen(wk->db, "", jb->ref, 0);
	if (e != OK)
		return job_failed(e);
	return ends;
}

static enum err
bury(struct work *wk, const struct job *jb, const char *why)
{
	ck_assert_str_eq(why, "it did not work");
	ck_assert_str_eq(jb->ref, "ref");
	gave_up++;
	return worker_seen(wk->db, "", "buried", 0);
}

static const struct job_kind kind = { "k", run_job, bury, 60, 3 };

static const char *
states(void)
{
	return sql("SELECT state, tries FROM jobs");
}

static const char *
effects(void)
{
	return sql("SELECT name FROM workers ORDER BY name");
}

START_TEST(a_job_that_is_done_is_gone_and_its_effect_is_there)
{
	writes = _i == 0;
	ck_assert_int_eq(work_one(&w, &kind, HOLDER), OK);
	ck_assert_str_eq(states(), "");
	ck_assert_str_eq(effects(), writes ? "ref\n" : "");
	ck_assert_int_eq(work_one(&w, &kind, HOLDER), ERR_NOT_FOUND);
	ck_assert_int_eq(ran, 1);
	ck_assert(db_idle(w.db));
}
END_TEST

START_TEST(a_job_that_failed_leaves_no_effect_and_is_tried_later)
{
	int64_t due_s;

	ends = JOB_RETRY;
	ck_assert_int_eq(work_one(&w, &kind, HOLDER), ERR_REFUSED);
	ck_assert_str_eq(states(), "ready|1\n");
	ck_assert_str_eq(effects(), "");
	due_s = number("SELECT due_us / 1000000 FROM jobs") - now_us() / S_US;
	ck_assert_int_ge(due_s, 10);
	ck_assert_int_le(due_s, 20); /* 15 s, up to a quarter less or more */
	ck_assert_int_eq(work_one(&w, &kind, HOLDER), ERR_NOT_FOUND);
	ck_assert_int_eq(gave_up, 0);
}
END_TEST

START_TEST(a_job_whose_object_changed_is_due_at_once_and_not_counted)
{
	ends = JOB_AGAIN;
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(work_one(&w, &kind, HOLDER), OK);
		ck_assert_str_eq(states(), "ready|0\n");
		ck_assert_str_eq(effects(), "");
	}
	ck_assert_int_eq(gave_up, 0);
}
END_TEST

START_TEST(a_job_that_waits_for_room_does_so_for_half_a_minute_and_is_not_counted)
{
	int64_t due_s;

	ends = JOB_FULL;
	for (int i = 0; i < 5; i++, sql("UPDATE jobs SET due_us = 1")) {
		ck_assert_int_eq(work_one(&w, &kind, HOLDER), ERR_FULL);
		ck_assert_str_eq(sql("SELECT state, tries, error FROM jobs"),
		    "ready|0|it did not work\n");
		ck_assert_str_eq(effects(), "");
		due_s = number("SELECT due_us / 1000000 FROM jobs") - now_us() / S_US;
		ck_assert_int_ge(due_s, 28);
		ck_assert_int_le(due_s, 30);
	}
	ck_assert_int_eq(gave_up, 0);
}
END_TEST

/* On a full disk only the record of the failure may have to wait a moment. */
START_TEST(a_disk_that_is_full_anywhere_uses_up_no_try)
{
	enum err e = ERR_FAILED;
	int n;

	for (n = 1; n < 12 && e != OK; n++) {
		sql("UPDATE jobs SET due_us = 1");
		db_fault(w.db, n, ERR_FULL);
		e = work_one(&w, &kind, HOLDER);
		db_fault(w.db, 0, OK);
		ck_assert(db_idle(w.db));
		ck_assert_str_eq(states(), e == OK ? "" : "ready|0\n");
		ck_assert_str_eq(effects(), e == OK ? "ref\n" : "");
	}
	ck_assert_int_eq(n - 2, 5); /* statements: lease, begin, effect, done, commit */
	ends = JOB_FULL;
	writes = false;
	ck_assert_int_eq(queue_add(w.db, fixture.mem, "k", NULL, "ref"), OK);
	db_fault(w.db, 2, ERR_FULL); /* the waiting itself */
	ck_assert_int_eq(work_one(&w, &kind, HOLDER), ERR_FULL);
	ck_assert_str_eq(states(), "ready|0\n");
}
END_TEST

START_TEST(after_its_last_try_a_job_is_buried)
{
	ends = JOB_RETRY;
	for (int i = 1; i <= 3; i++, sql("UPDATE jobs SET due_us = 1"))
		ck_assert_int_eq(work_one(&w, &kind, HOLDER), ERR_REFUSED);
	ck_assert_str_eq(states(), "dead|3\n");
	ck_assert_str_eq(effects(), "buried\n");
	ck_assert_int_eq(gave_up, 1);
	ck_assert_int_eq(work_one(&w, &kind, HOLDER), ERR_NOT_FOUND);
}
END_TEST

static bool
twice(const struct conf *c, int64_t tries, int64_t *in_us)
{
	ck_assert_ptr_eq(c, w.conf);
	*in_us = 9 * 3600 * S_US;
	return tries < 2;
}

START_TEST(a_kind_may_say_itself_how_long_to_wait_and_how_often)
{
	static const struct job_kind own = { "k", run_job, bury, 60, .again = twice };

	ends = JOB_RETRY;
	ck_assert_int_eq(work_one(&w, &own, HOLDER), ERR_REFUSED);
	ck_assert_str_eq(states(), "ready|1\n");
	ck_assert_int_eq(
	    number("SELECT (due_us - created_us) / 3600000000 FROM jobs"), 9);
	sql("UPDATE jobs SET due_us = 1");
	ck_assert_int_eq(work_one(&w, &own, HOLDER), ERR_REFUSED);
	ck_assert_str_eq(states(), "dead|2\n");
	ck_assert_int_eq(gave_up, 1);
}
END_TEST

START_TEST(a_hopeless_job_is_buried_at_once)
{
	ends = JOB_DEAD;
	ck_assert_int_eq(work_one(&w, &kind, HOLDER), ERR_REFUSED);
	ck_assert_str_eq(
	    sql("SELECT state, tries, error FROM jobs"), "dead|1|it did not work\n");
	ck_assert_str_eq(effects(), "buried\n");
}
END_TEST

static enum job_end
oversleep(struct work *wk, const struct job *jb, const char **why)
{
	sql("UPDATE jobs SET lease_key = 'another', due_us = 9e15");
	return run_job(wk, jb, why);
}

START_TEST(a_job_that_outlived_its_lease_changes_nothing)
{
	static const struct job_kind slow = { "k", oversleep, bury, 60, 3 };

	ends = _i == 0 ? JOB_DONE : _i == 1 ? JOB_RETRY : JOB_DEAD;
	ck_assert_int_eq(work_one(&w, &slow, HOLDER), ERR_STALE);
	ck_assert_str_eq(states(), "leased|1\n");
	ck_assert_str_eq(effects(), "");
	ck_assert(db_idle(w.db));
}
END_TEST

START_TEST(a_failing_database_leaves_the_job_or_its_whole_effect)
{
	enum err e = ERR_FAILED;
	int n;

	for (n = 1; n < 12 && e != OK; n++) {
		sql("UPDATE jobs SET due_us = 1, state = 'ready', tries = 0");
		db_fault(w.db, n, ERR_BUSY);
		e = work_one(&w, &kind, HOLDER);
		db_fault(w.db, 0, OK);
		ck_assert(db_idle(w.db));
		ck_assert_int_eq(number("SELECT count(*) FROM jobs"), e != OK);
		ck_assert_str_eq(effects(), e == OK ? "ref\n" : "");
	}
	ck_assert_int_eq(n - 2, 5); /* statements: lease, begin, effect, done, commit */
}
END_TEST

/* ---- the whole loop, in a process of its own ---- */

static int chores_done;

static enum err
chore(struct work *wk)
{
	(void)wk;
	chores_done++;
	return worker_seen(wk->db, "", "chore", 0);
}

static const struct job_kind kinds[] = { { "k", run_job, bury, 60, 3 }, { 0 } };
static const struct chore chores[] = { { "c", chore, 3600 }, { 0 } };
static const struct worker worker = { "tester", kinds, chores };

static pid_t
start_worker(const struct worker *is, const char *how)
{
	static char name[] = "tester";
	char *argv[] = { name, arena_str(fixture.mem, how), NULL };
	pid_t pid = fork();

	if (pid == 0)
		_exit(work(is, how != NULL ? 2 : 1, argv));
	return pid;
}

static pid_t
start(const char *how)
{
	return start_worker(&worker, how);
}

static int
end_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Waits until a number has this value. */
static void
becomes(const char *statement, int n)
{
	await_by(usleep(20000), number(statement) == n);
}

START_TEST(once_means_what_is_due_and_no_longer)
{
	ck_assert_int_eq(queue_add(w.db, fixture.mem, "k", NULL, "two"), OK);
	ck_assert_int_eq(end_of(start("--once")), 0);
	ck_assert_str_eq(effects(), "chore\nref\ntester\ntwo\n");
}
END_TEST

static bool
unfit(struct work *wk)
{
	(void)wk;
	return false;
}

START_TEST(a_worker_that_is_not_fit_leaves_its_jobs_to_others)
{
	static const struct worker is = { "tester", kinds, chores, unfit };

	ck_assert_int_eq(end_of(start_worker(&is, NULL)), 0);
	ck_assert_str_eq(effects(), "");
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 1);
}
END_TEST

/* There is always another job until the chore has run. */
static enum job_end
go_on_and_on(struct work *wk, const struct job *jb, const char **why)
{
	(void)wk, (void)jb;
	*why = "there is more";
	if (number("SELECT count(*) FROM workers WHERE name = 'chore'") > 0)
		return JOB_DONE;
	return ++ran < 20 ? JOB_AGAIN : JOB_DEAD;
}

START_TEST(a_job_that_is_due_again_and_again_keeps_no_chore_waiting)
{
	static const struct job_kind endless[] = { { "k", go_on_and_on, NULL, 60, 3 },
		{ 0 } };
	static const struct worker is = { "tester", endless, chores };

	ck_assert_int_eq(end_of(start_worker(&is, "--once")), 0);
	ck_assert_str_eq(states(), "");
}
END_TEST

/* Records the order of jobs and chores. */
static enum job_end
take_note(struct work *wk, const struct job *jb, const char **why)
{
	(void)why;
	if (db_begin(wk->db, DB_ALL) != OK ||
	    worker_seen(
		wk->db, "", arena_printf(wk->mem, "%d %s", ++ran, jb->kind), 0) != OK)
		return JOB_RETRY;
	return JOB_DONE;
}

START_TEST(jobs_of_one_kind_keep_no_others_waiting)
{
	static const struct job_kind two[] = { { "k", take_note, NULL, 60, 3 },
		{ "other", take_note, NULL, 60, 3 }, { 0 } };
	static const struct worker is = { "tester", two, NULL };

	ck_assert_int_eq(queue_add(w.db, fixture.mem, "k", NULL, "two"), OK);
	ck_assert_int_eq(queue_add(w.db, fixture.mem, "k", NULL, "three"), OK);
	ck_assert_int_eq(queue_add(w.db, fixture.mem, "other", NULL, "one"), OK);
	ck_assert_int_eq(end_of(start_worker(&is, "--once")), 0);
	ck_assert_str_eq(effects(), "1 k\n2 other\n3 k\n4 k\ntester\n");
}
END_TEST

START_TEST(a_rare_chore_is_not_due_because_a_worker_starts)
{
	ck_assert_int_eq(end_of(start("--once")), 0);
	sql("DELETE FROM workers WHERE name = 'chore'");
	ck_assert_int_eq(end_of(start("--once")), 0);
	ck_assert_str_eq(effects(), "ref\ntester\n");
	sql("UPDATE chores SET last_run_us = last_run_us - 3601000000");
	ck_assert_int_eq(end_of(start("--once")), 0);
	ck_assert_str_eq(effects(), "chore\nref\ntester\n");
}
END_TEST

START_TEST(a_lingering_worker_takes_new_work_at_once)
{
	pid_t pid = start(NULL);
	int64_t then;

	becomes("SELECT count(*) FROM jobs", 0);
	then = monotonic_us();
	ck_assert_int_eq(queue_add(w.db, fixture.mem, "k", NULL, "two"), OK);
	becomes("SELECT count(*) FROM jobs", 0);
	ck_assert_int_lt(monotonic_us() - then, 10 * S_US);
	kill(pid, SIGTERM);
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

/* Nothing changes meanwhile, and a look at an unchanged database comes much later. */
START_TEST(a_lingering_worker_does_a_job_when_it_is_due)
{
	int64_t then = monotonic_us();
	pid_t pid;

	ck_assert_int_eq(
	    queue_add_at(w.db, fixture.mem, "k", NULL, "two", now_us() + S_US), OK);
	pid = start(NULL);
	becomes("SELECT count(*) FROM jobs", 0);
	ck_assert_int_ge(monotonic_us() - then, S_US);
	ck_assert_int_lt(monotonic_us() - then, 15 * S_US);
	kill(pid, SIGTERM);
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

/* Each run leaves a heartbeat of its own, which is no change. */
static enum err
count_run(struct work *wk)
{
	const char *name = arena_printf(wk->mem, "run %d", ++chores_done);

	if (chores_done == 2)
		wk->again_us = monotonic_us() + S_US / 10;
	return worker_seen(wk->db, "", name, 0);
}

START_TEST(a_chore_runs_after_a_change_and_when_it_asked_for_it)
{
	static const struct chore seldom[] = { { "c", count_run, 0, 3600 }, { 0 } };
	static const struct worker is = { "tester", NULL, seldom };
	static const char runs[] =
	    "SELECT count(*) FROM workers WHERE name LIKE 'run %'";
	pid_t pid = start_worker(&is, NULL);

	becomes(runs, 1);
	ck_assert_int_eq(worker_seen(w.db, "", "another", 0), OK);
	usleep(300000);
	ck_assert_int_eq(number(runs), 1);
	ck_assert_int_eq(queue_add(w.db, fixture.mem, "other", NULL, "two"), OK);
	becomes(runs, 3);
	kill(pid, SIGTERM);
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

START_TEST(a_second_worker_takes_over_when_the_first_ends)
{
	pid_t first = start(NULL), second;

	becomes("SELECT count(*) FROM jobs", 0);
	second = start("--once");
	ck_assert_int_eq(queue_add(w.db, fixture.mem, "k", NULL, "two"), OK);
	becomes("SELECT count(*) FROM jobs", 0);
	kill(first, SIGTERM);
	ck_assert_int_eq(end_of(first), 0);
	ck_assert_int_eq(end_of(second), 0);
}
END_TEST

START_TEST(jobs_of_a_killed_worker_are_done_by_the_next)
{
	sql(arena_printf(fixture.mem,
	    "UPDATE jobs SET state = 'leased', due_us = 9000000000000000,"
	    " lease_key = 'x', holder = '%s/tester'",
	    fixture.app.conf.node));
	ck_assert_int_eq(end_of(start("--once")), 0);
	ck_assert_str_eq(states(), "");
	ck_assert_str_eq(effects(), "chore\nref\ntester\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("work");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(
	    t, a_job_that_is_done_is_gone_and_its_effect_is_there, 0, 2);
	tcase_add_test(t, a_job_that_failed_leaves_no_effect_and_is_tried_later);
	tcase_add_test(t, a_job_whose_object_changed_is_due_at_once_and_not_counted);
	tcase_add_test(
	    t, a_job_that_waits_for_room_does_so_for_half_a_minute_and_is_not_counted);
	tcase_add_test(t, a_disk_that_is_full_anywhere_uses_up_no_try);
	tcase_add_test(t, after_its_last_try_a_job_is_buried);
	tcase_add_test(t, a_kind_may_say_itself_how_long_to_wait_and_how_often);
	tcase_add_test(t, a_hopeless_job_is_buried_at_once);
	tcase_add_loop_test(t, a_job_that_outlived_its_lease_changes_nothing, 0, 3);
	tcase_add_test(t, a_failing_database_leaves_the_job_or_its_whole_effect);
	tcase_add_test(t, once_means_what_is_due_and_no_longer);
	tcase_add_test(t, a_worker_that_is_not_fit_leaves_its_jobs_to_others);
	tcase_add_test(t, a_job_that_is_due_again_and_again_keeps_no_chore_waiting);
	tcase_add_test(t, jobs_of_one_kind_keep_no_others_waiting);
	tcase_add_test(t, a_rare_chore_is_not_due_because_a_worker_starts);
	tcase_add_test(t, a_lingering_worker_takes_new_work_at_once);
	tcase_add_test(t, a_lingering_worker_does_a_job_when_it_is_due);
	tcase_add_test(t, a_chore_runs_after_a_change_and_when_it_asked_for_it);
	tcase_add_test(t, a_second_worker_takes_over_when_the_first_ends);
	tcase_add_test(t, jobs_of_a_killed_worker_are_done_by_the_next);
	suite_add_tcase(s, t);
	return unit_run(s);
}
