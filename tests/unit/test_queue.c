/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs: queued once, leased once, ended by the holder of the lease. */
#include <sys/wait.h>

#include "tests/unit/unit.h"
#include "work/queue.h"

static struct db *db;
static struct job job;

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, queue_sql, NULL };

	fixture_open("queue", none, prepared);
	db = fixture.app.db;
}

static void
add(const char *kind, const char *ref)
{
	ck_assert_int_eq(queue_add(db, fixture.mem, kind, fixture.account, ref), OK);
}

static enum err
lease(const char *kind, int lease_s, struct job *to)
{
	return queue_lease(db, fixture.mem, kind, "host/worker", lease_s, to);
}

static int
jobs(void)
{
	return number("SELECT count(*) FROM jobs");
}

START_TEST(a_job_is_leased_done_and_gone)
{
	add("a", "ref");
	ck_assert_int_eq(lease("b", 60, &job), ERR_NOT_FOUND);
	ck_assert_int_eq(lease("a", 60, &job), OK);
	ck_assert_str_eq(job.kind, "a");
	ck_assert_str_eq(job.ref, "ref");
	ck_assert_str_eq(job.account, fixture.account);
	ck_assert_int_eq(job.tries, 1);
	ck_assert_int_eq(lease("a", 60, &(struct job){ 0 }), ERR_NOT_FOUND);
	ck_assert_int_eq(queue_done(db, &job), OK);
	ck_assert_int_eq(jobs(), 0);
	ck_assert_int_eq(queue_done(db, &job), ERR_STALE);
}
END_TEST

START_TEST(a_job_is_queued_once_until_it_is_dead_or_done)
{
	add("a", "ref");
	add("a", "ref");
	ck_assert_int_eq(jobs(), 1);
	add("a", "other");
	add("b", "ref");
	ck_assert_int_eq(jobs(), 3);
	ck_assert_int_eq(lease("a", 60, &job), OK);
	add("a", job.ref); /* it is running */
	ck_assert_int_eq(jobs(), 3);
	ck_assert_int_eq(queue_dead(db, &job, "why"), OK);
	add("a", job.ref);
	ck_assert_int_eq(jobs(), 4);
}
END_TEST

START_TEST(the_job_due_longest_is_next)
{
	add("a", "1");
	add("a", "2");
	add("a", "3");
	sql("UPDATE jobs SET due_us = CASE ref WHEN '2' THEN 1 WHEN '3' THEN 2 ELSE 3 "
	    "END");
	for (const char *ref = "231"; *ref != '\0'; ref++) {
		ck_assert_int_eq(lease("a", 60, &job), OK);
		ck_assert_int_eq(job.ref[0], *ref);
	}
}
END_TEST

START_TEST(a_retry_is_due_later_and_keeps_its_reason)
{
	add("a", "ref");
	ck_assert_int_eq(lease("a", 60, &job), OK);
	ck_assert_int_eq(queue_retry(db, &job, 60 * S_US, "too early"), OK);
	ck_assert_str_eq(sql("SELECT state, tries, error, holder FROM jobs"),
	    "ready|1|too early|NULL\n");
	ck_assert_int_eq(lease("a", 60, &job), ERR_NOT_FOUND);
	sql("UPDATE jobs SET due_us = 1");
	ck_assert_int_eq(lease("a", 60, &job), OK);
	ck_assert_int_eq(job.tries, 2);
}
END_TEST

START_TEST(a_worker_whose_lease_ran_out_changes_nothing)
{
	struct job late;

	add("a", "ref");
	ck_assert_int_eq(lease("a", 0, &late), OK); /* expired at once */
	usleep(1000);
	ck_assert_int_eq(lease("a", 60, &job), OK);
	ck_assert_int_eq(job.tries, 2);
	ck_assert_int_eq(queue_done(db, &late), ERR_STALE);
	ck_assert_int_eq(queue_retry(db, &late, 0, "x"), ERR_STALE);
	ck_assert_int_eq(queue_dead(db, &late, "x"), ERR_STALE);
	ck_assert_int_eq(queue_done(db, &job), OK);
}
END_TEST

START_TEST(leases_of_a_killed_holder_are_due_at_once)
{
	int64_t n;

	add("a", "1");
	add("a", "2");
	ck_assert_int_eq(lease("a", 3600, &job), OK);
	ck_assert_int_eq(
	    queue_lease(db, fixture.mem, "a", "other", 3600, &(struct job){ 0 }), OK);
	ck_assert_int_eq(queue_reclaim(db, "host/worker", &n), OK);
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(queue_done(db, &job), ERR_STALE);
	ck_assert_int_eq(lease("a", 60, &job), OK);
	ck_assert_int_eq(lease("a", 60, &job), ERR_NOT_FOUND);
}
END_TEST

START_TEST(no_job_is_leased_twice_at_once)
{
	int status, pipes[2];
	char refs[64] = "";

	for (int i = 0; i < 20; i++)
		add("a", arena_printf(fixture.mem, "%c", 'a' + i));
	ck_assert_int_eq(pipe(pipes), 0);
	for (int i = 0; i < 4; i++)
		if (fork() == 0) { /* with a connection of its own */
			if (db_open(&db, fixture.app.conf.db_url, 5000, false) != OK)
				_exit(1);
			while (lease("a", 60, &job) == OK)
				if (write(pipes[1], job.ref, 1) != 1)
					_exit(2);
			_exit(0);
		}
	while (wait(&status) > 0)
		ck_assert_int_eq(status, 0);
	ck_assert_int_eq(read(pipes[0], refs, sizeof(refs)), 20);
	for (int i = 0; i < 20; i++)
		ck_assert_ptr_nonnull(strchr(refs, 'a' + i));
}
END_TEST

static enum err
claim(const char *ref, int lease_s, struct job *to)
{
	*to = (struct job){ .kind = "a", .account = fixture.account, .ref = ref };
	return queue_claim(db, fixture.mem, "here", lease_s, to);
}

START_TEST(a_job_may_be_due_later)
{
	ck_assert_int_eq(queue_add_at(db, fixture.mem, "a", fixture.account, "ref",
			     now_us() + 600 * S_US),
	    OK);
	ck_assert_int_eq(lease("a", 60, &job), ERR_NOT_FOUND);
	sql("UPDATE jobs SET due_us = 1");
	ck_assert_int_eq(lease("a", 60, &job), OK);
}
END_TEST

START_TEST(a_job_that_is_not_there_is_made_as_it_is_claimed)
{
	ck_assert_int_eq(claim("ref", 60, &job), OK);
	ck_assert_str_eq(sql("SELECT kind, ref, state, holder, tries FROM jobs"),
	    "a|ref|leased|here|1\n");
	ck_assert_str_eq(
	    sql("SELECT id FROM jobs"), arena_printf(fixture.mem, "%s\n", job.id));
	ck_assert_int_eq(lease("a", 60, &(struct job){ 0 }), ERR_NOT_FOUND);
	ck_assert_int_eq(claim("ref", 60, &(struct job){ 0 }), ERR_CONFLICT);
	ck_assert_int_eq(queue_done(db, &job), OK);
	ck_assert_int_eq(jobs(), 0);
}
END_TEST

START_TEST(a_job_that_waits_is_claimed_before_it_is_due_and_counted_anew)
{
	add("a", "ref");
	add("b", "ref");
	sql("UPDATE jobs SET tries = 7, due_us = 9000000000000000");
	ck_assert_int_eq(claim("ref", 60, &job), OK);
	ck_assert_int_eq(job.tries, 1);
	ck_assert_str_eq(sql("SELECT kind, state, tries FROM jobs ORDER BY kind"),
	    "a|leased|1\nb|ready|7\n");
	ck_assert_int_eq(queue_retry(db, &job, 60 * S_US, "why"), OK);
	ck_assert_str_eq(sql("SELECT state, tries, error FROM jobs WHERE kind = 'a'"),
	    "ready|1|why\n");
}
END_TEST

START_TEST(a_lease_that_ran_out_is_claimed_and_its_holder_fenced)
{
	struct job late;

	add("a", "ref");
	ck_assert_int_eq(lease("a", 60, &late), OK);
	ck_assert_int_eq(claim("ref", 60, &job), ERR_CONFLICT);
	sql("UPDATE jobs SET due_us = 1");
	ck_assert_int_eq(claim("ref", 60, &job), OK);
	ck_assert_int_eq(queue_done(db, &late), ERR_STALE);
	ck_assert_int_eq(queue_dead(db, &job, "why"), OK);
	/* jobs of dead processes do not block others */
	ck_assert_int_eq(claim("ref", 60, &job), OK);
	ck_assert_int_eq(jobs(), 2);
}
END_TEST

START_TEST(a_dropped_job_is_gone_and_tells_when_its_lease_ends)
{
	int64_t until_us;

	add("a", "ref");
	add("a", "other");
	ck_assert_int_eq(queue_drop(db, "a", "ref", &until_us), OK);
	ck_assert_int_eq(until_us, 0);
	ck_assert_int_eq(queue_drop(db, "a", "ref", &until_us), OK);
	ck_assert_int_eq(until_us, 0);
	ck_assert_int_eq(lease("a", 60, &job), OK);
	ck_assert_str_eq(job.ref, "other");
	sql("UPDATE jobs SET due_us = 9000000000000000");
	ck_assert_int_eq(queue_drop(db, "a", "other", &until_us), OK);
	ck_assert_int_eq(until_us, INT64_C(9000000000000000));
	ck_assert_int_eq(queue_done(db, &job), ERR_STALE);
	ck_assert_int_eq(claim("ref", 60, &job), OK);
	sql("UPDATE jobs SET due_us = 1");
	ck_assert_int_eq(queue_drop(db, "a", "ref", &until_us), OK);
	ck_assert_int_eq(until_us, 0);
	ck_assert_int_eq(jobs(), 0);
}
END_TEST

START_TEST(signs_of_life_and_counts_are_listed)
{
	const struct worker_row *w;
	struct list l;

	ck_assert_int_eq(worker_seen(db, "n", "b", 1), OK);
	ck_assert_int_eq(worker_seen(db, "n", "a", 0), OK);
	ck_assert_int_eq(worker_seen(db, "n", "b", 2), OK);
	ck_assert_int_eq(worker_list(db, fixture.mem, "n", &l), OK);
	ck_assert_uint_eq(l.n, 2);
	w = l.items;
	ck_assert_str_eq(w[1].name, "b");
	ck_assert_int_eq(w[1].failures, 3);
	add("x", "1");
	add("x", "2");
	ck_assert_int_eq(lease("x", 60, &job), OK);
	ck_assert_int_eq(queue_dead(db, &job, "it broke"), OK);
	ck_assert_int_eq(queue_counts(db, fixture.mem, &l), OK);
	ck_assert_uint_eq(l.n, 2);
	ck_assert_str_eq(((struct queue_row *)l.items)[0].state, "dead");
	ck_assert_int_eq(queue_deads(db, fixture.mem, &l), OK);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_str_eq(((struct dead_row *)l.items)[0].error, "it broke");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("queue");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_job_is_leased_done_and_gone);
	tcase_add_test(t, a_job_is_queued_once_until_it_is_dead_or_done);
	tcase_add_test(t, the_job_due_longest_is_next);
	tcase_add_test(t, a_retry_is_due_later_and_keeps_its_reason);
	tcase_add_test(t, a_worker_whose_lease_ran_out_changes_nothing);
	tcase_add_test(t, leases_of_a_killed_holder_are_due_at_once);
	tcase_add_test(t, no_job_is_leased_twice_at_once);
	tcase_add_test(t, a_job_may_be_due_later);
	tcase_add_test(t, a_job_that_is_not_there_is_made_as_it_is_claimed);
	tcase_add_test(
	    t, a_job_that_waits_is_claimed_before_it_is_due_and_counted_anew);
	tcase_add_test(t, a_lease_that_ran_out_is_claimed_and_its_holder_fenced);
	tcase_add_test(t, a_dropped_job_is_gone_and_tells_when_its_lease_ends);
	tcase_add_test(t, signs_of_life_and_counts_are_listed);
	suite_add_tcase(s, t);
	return unit_run(s);
}
