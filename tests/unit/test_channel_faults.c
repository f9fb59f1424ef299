/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Channels during failures: the worker dies between an effect and its commit, the
 * backend is unreachable for an hour, two processes try at once. In the end the backend
 * and the rows must agree.
 */
#define UNIT_TEST
#include "tests/unit/shared_backend.h"

#include "workers/channel_retry.c"

static struct work w;

static void
faults_fixture(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, channel_sql,
		queue_sql, NULL };

	fixture_open("channel_retry", none, prepared);
	shared_open();
	fixture.app.conf.broadcast_driver = "shared";
	w = (struct work){ fixture.app.db, fixture.wire, &fixture.app.conf };
}

static void
faults_over(void)
{
	shared_close();
	fixture_close();
}

/* The n-th channel of the test. */
static const char *
channel_id(int n)
{
	return arena_printf(fixture.mem, "%08x-0000-4000-8000-%012x", n, n);
}

static const char *
channel_insert(const char *lifecycle, int n)
{
	const char *id = channel_id(n);

	return arena_printf(fixture.mem,
	    "INSERT INTO channels (id, account, created_us, updated_us, type,"
	    " lifecycle, attempt, held, broadcast, name, input_type, source_language,"
	    " target_languages, region, ignore_video, original_delay_s,"
	    " original_volume, outputs) VALUES ('%s', '%s', %d, 1, 'standalone', '%s',"
	    " 1, 1, %s, 'Main hall', 'webrtc_push', 'en', '[\"de\"]', 'local', 0, 3,"
	    " 0.2, '[]');",
	    id, fixture.account, n, lifecycle,
	    strcmp(lifecycle, "creating") == 0
		? "NULL"
		: arena_printf(fixture.mem, "'%s-1'", id));
}

static const char *
put_channel(const char *lifecycle, int n)
{
	sql(channel_insert(lifecycle, n));
	return channel_id(n);
}

static const char *
job_for(const char *lifecycle)
{
	return strcmp(lifecycle, "creating") == 0   ? CHANNEL_CREATE
	       : strcmp(lifecycle, "deleting") == 0 ? CHANNEL_REMOVE
						    : CHANNEL_RESTORE;
}

/* Runs all due jobs until none is left. */
static void
drain(const char *holder)
{
	bool more = true;

	while (more) {
		more = false;
		for (const struct job_kind *k = kinds; k->name != NULL; k++)
			more |= work_one(&w, k, holder) != ERR_NOT_FOUND;
		arena_reset(w.mem);
	}
}

/* Runs a worker in a process of its own, with a connection of its own. */
static pid_t
worker(const char *holder)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid > 0)
		return pid;
	if (db_open(&w.db, arena_printf(fixture.mem, "sqlite:%s", fixture.db_path),
		5000, false) != OK)
		_exit(1);
	db_seal(w.db, w.conf);
	drain(holder);
	_exit(0);
}

static int
ended(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

/* The backend must agree with the rows, and no job may wait. */
static void
all_is_well(int channels)
{
	struct buf rooms = { .mem = fixture.mem };

	ck_assert_int_eq(shared->overlaps, 0);
	ck_assert_int_eq(number("SELECT count(*) FROM channels WHERE lifecycle ="
				" 'ready' AND broadcast = id || '-' || attempt"),
	    channels);
	ck_assert_int_eq(number("SELECT count(*) FROM channels"), channels);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
	ck_assert_int_eq(shared->nrooms, channels);
	for (int i = 0; i < shared->nrooms; i++)
		buf_printf(&rooms, "%s('%s', '%s')", i > 0 ? ", " : "",
		    shared->rooms[i].name, shared->rooms[i].languages);
	if (channels > 0)
		ck_assert_int_eq(number(arena_printf(fixture.mem,
				     "SELECT count(*) FROM channels WHERE (broadcast,"
				     " target_languages) IN (VALUES %s)",
				     buf_text(&rooms))),
		    channels);
}

static void
look(void)
{
	ck_assert_int_eq(reconcile(w.db, w.mem, w.conf), OK);
	arena_reset(w.mem);
}

/* ---- killed in a call ---- */

static const struct {
	const char *lifecycle;
	int calls; /* calls of the backend for the whole operation */
	int left;  /* number of channels in the end */
} lives[] = {
	{ "creating", 1, 1 },
	/* the room is lost: a change finds nothing, and the room is created */
	{ "ready", 2, 1 },
	{ "deleting", 1, 0 },
};

START_TEST(a_worker_killed_before_or_after_an_effect_is_followed_by_another)
{
	bool after = _i % 2 == 1;
	int i = _i / 2, died = 0;

	for (int n = 1; n <= lives[i].calls; n++) {
		const char *id = put_channel(lives[i].lifecycle, n);
		int status;

		ck_assert_int_eq(queue_add(w.db, fixture.mem,
				     job_for(lives[i].lifecycle), fixture.account, id),
		    OK);
		shared->calls = 0;
		*(after ? &shared->die_after : &shared->die_before) = n;
		status = ended(worker("killed"));
		died += WIFSIGNALED(status);
		shared->die_after = shared->die_before = 0;
		ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 1);
		sql("UPDATE jobs SET due_us = 1"); /* the lease has expired */
		drain("another");
		look();
		drain("another");
		all_is_well(lives[i].left);
		sql("DELETE FROM channels");
		shared->nrooms = 0;
	}
	ck_assert_int_eq(died, lives[i].calls);
}
END_TEST

/* ---- two at once ---- */

static void
try_once(const char *id)
{
	struct channel c;
	struct job jb;
	enum err e;

	if (db_open(&w.db, arena_printf(fixture.mem, "sqlite:%s", fixture.db_path),
		5000, false) != OK)
		_exit(1);
	db_seal(w.db, w.conf);
	if (db_begin(w.db, DB_ALL) != OK ||
	    channel_get(w.db, w.mem, fixture.account, id, &c) != OK)
		_exit(1);
	if (strcmp(c.lifecycle, "ready") == 0)
		_exit(3);
	e = channel_begin(w.db, w.mem, w.conf, &c, &jb);
	if (e == ERR_CONFLICT)
		_exit(2);
	if (e != OK || db_commit(w.db) != OK ||
	    channel_create(w.db, w.mem, w.conf, &c, &jb) != OK || db_commit(w.db) != OK)
		_exit(1);
	_exit(0);
}

START_TEST(of_retries_at_once_one_calls_the_backend)
{
	enum { AT_ONCE = 4 };
	int outcomes[4] = { 0 };

	shared->call_us = 30000;
	for (int round = 0; round < 10; round++) {
		const char *id = put_channel("creating", round);
		pid_t pids[AT_ONCE];

		for (int i = 0; i < AT_ONCE; i++)
			if ((pids[i] = fork()) == 0)
				try_once(id);
		for (int i = 0; i < AT_ONCE; i++)
			outcomes[WEXITSTATUS(ended(pids[i])) & 3]++;
		ck_assert_int_eq(shared->calls, round + 1);
	}
	ck_assert_int_eq(outcomes[1], 0);
	ck_assert_int_eq(outcomes[0], 10);
	all_is_well(10);
}
END_TEST

/* ---- an hour's outage ---- */

#define MANY 1000

/* Adds channels after this many failed tries. */
static void
put_many(const char *lifecycle)
{
	struct buf rows = { .mem = fixture.mem };
	int64_t in_us;

	buf_str(&rows, "BEGIN;");
	for (int n = 0; n < MANY; n++) {
		ck_assert(channel_again(w.conf, 6, &in_us));
		buf_printf(&rows,
		    "%sINSERT INTO jobs (id, kind, account, ref, state, due_us, tries,"
		    " created_us) VALUES ('%d', '%s', '%s', '%s', 'ready', %lld, 6, "
		    "1);",
		    channel_insert(lifecycle, n), n, job_for(lifecycle),
		    fixture.account, channel_id(n), (long long)(now_us() + in_us));
	}
	buf_str(&rows, "COMMIT");
	sql(buf_text(&rows));
}

/* Returns the number of due jobs in the fullest second. */
static int
fullest_second(void)
{
	return number("SELECT max(n) FROM (SELECT count(*) AS n FROM jobs"
		      " GROUP BY due_us / 1000000)");
}

START_TEST(a_thousand_wait_spread_and_return_spread)
{
	int64_t now;

	put_many("creating");
	/* retries are spread over 480 to 960 s */
	ck_assert_int_le(fullest_second(), 20);
	shared->away = true;
	look();
	shared->away = false;
	now = now_us();
	look();
	ck_assert_int_eq(number(arena_printf(fixture.mem,
			     "SELECT count(*) FROM jobs WHERE due_us BETWEEN %lld AND"
			     " %lld",
			     (long long)now, (long long)(now + 21 * S_US))),
	    MANY);
	/* 50 on average; the limit allows for chance */
	ck_assert_int_le(fullest_second(), 100);
}
END_TEST

START_TEST(a_thousand_are_there_again_after_an_outage)
{
	const char *lifecycle = _i == 0 ? "creating" : "ready";
	pid_t a, b;

	put_many(lifecycle);
	sql("UPDATE jobs SET due_us = 1");
	shared->call_us = 200;
	a = worker("host a");
	b = worker("host b");
	ck_assert_int_eq(ended(a) + ended(b), 0);
	look();
	drain("host a");
	all_is_well(MANY);
	ck_assert_int_eq(shared->calls, MANY * (_i + 1));
}
END_TEST

START_TEST(a_thousand_that_were_lost_at_once_are_found_and_made_again)
{
	struct buf rows = { .mem = fixture.mem };

	buf_str(&rows, "BEGIN;");
	for (int n = 0; n < MANY; n++)
		buf_str(&rows, channel_insert("ready", n));
	buf_str(&rows, "COMMIT");
	sql(buf_text(&rows));
	look();
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), MANY);
	drain("worker");
	look();
	all_is_well(MANY);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channel faults");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, faults_fixture, faults_over);
	tcase_add_loop_test(t,
	    a_worker_killed_before_or_after_an_effect_is_followed_by_another, 0,
	    2 * COUNT(lives));
	tcase_add_test(t, of_retries_at_once_one_calls_the_backend);
	tcase_add_test(t, a_thousand_wait_spread_and_return_spread);
	tcase_add_loop_test(t, a_thousand_are_there_again_after_an_outage, 0, 2);
	tcase_add_test(t, a_thousand_that_were_lost_at_once_are_found_and_made_again);
	suite_add_tcase(s, t);
	return unit_run(s);
}
