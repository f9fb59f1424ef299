/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process waits for changes of the database by others. */
#include <poll.h>
#include <sys/wait.h>

#include "tests/unit/unit.h"

#define LONG_US (50 * S_US) /* more than a test may take */

static const struct sql loud = { "row.add", "INSERT INTO rows VALUES (1)" },
			quiet = { "row.add", "INSERT INTO rows VALUES (1)",
				.quiet = true },
			returning = { "row.add_one",
				"INSERT INTO rows VALUES (1) RETURNING 1",
				.writes = true };

/* How the other process writes. */
enum { LOUD = 'l', QUIET = 'q', TRANSACTION = 't', ROLLBACK = 'r', RETURNING = 'n' };

static struct arena *mem;
static const char *dir, *url;
static struct conf conf;
static struct db *db;
static int orders[2], reports[2];
static pid_t pid;

static bool
obey(struct db *d, char how)
{
	bool begins = how == TRANSACTION || how == ROLLBACK;

	if (begins && db_begin(d, DB_ROWS) != OK)
		return false;
	if (how == RETURNING)
		return db_there(d, &returning, ARGS()) == OK;
	if (db_exec(d, how == QUIET ? &quiet : &loud, ARGS(), NULL) != OK)
		return false;
	if (how == ROLLBACK)
		db_rollback(d);
	return how != TRANSACTION || db_commit(d) == OK;
}

/* The other process: it writes when it is told, and reports each time. */
static void
write_as_told(bool announces)
{
	struct db *d;
	char how;

	if (read(orders[0], &how, 1) != 1)
		_exit(0);
	if (announces)
		db_announce(&conf);
	if (db_open(&d, url, 60000, false) != OK)
		_exit(1);
	do
		if (!obey(d, how) || write(reports[1], &how, 1) != 1)
			_exit(1);
	while (read(orders[0], &how, 1) == 1);
	_exit(0);
}

static void
open_both(bool announces)
{
	ck_assert_int_eq(pipe(orders), 0);
	ck_assert_int_eq(pipe(reports), 0);
	if ((pid = fork()) == 0) {
		close(orders[1]);
		write_as_told(announces);
	}
	close(orders[0]);
	db_announce(&conf);
	ck_assert_int_eq(db_open(&db, url, 60000, true), OK);
	ck_assert_int_eq(db_script(db, "CREATE TABLE rows (n INTEGER)"), OK);
}

static void
setup(void)
{
	mem = arena_new();
	dir = unit_folder(mem);
	url = arena_printf(mem, "sqlite:%s/test.db", dir);
	conf.state_dir = dir;
	conf.db_url = url;
}

static void
teardown(void)
{
	int status = -1;

	close(orders[1]);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	db_close(db);
	unit_folder_drop(dir);
	arena_free(mem);
}

static void
tell(char how)
{
	ck_assert_int_eq(write(orders[1], &how, 1), 1);
}

static void
await_report(void)
{
	char how;

	ck_assert_int_eq(read(reports[0], &how, 1), 1);
}

static bool
await_change(int64_t pulse)
{
	return db_await(db, pulse, reports, 1, monotonic_us() + LONG_US);
}

START_TEST(a_change_ends_the_wait)
{
	static const char how[] = { LOUD, TRANSACTION, RETURNING };
	int64_t pulse, then = monotonic_us();

	open_both(true);
	for (int i = 0; i < 20; i++) {
		pulse = db_pulse(db, INT64_MAX);
		tell(how[i % COUNT(how)]);
		while (!await_change(pulse)) /* the report may be first */
			await_report();
	}
	ck_assert_int_lt(monotonic_us() - then, LONG_US);
}
END_TEST

START_TEST(a_change_before_the_wait_ends_it_too)
{
	int64_t pulse;

	open_both(true);
	pulse = db_pulse(db, INT64_MAX);
	tell(QUIET);
	await_report();
	ck_assert(db_await(db, pulse, NULL, 0, monotonic_us() + LONG_US));
}
END_TEST

/* The loop sleeps on a descriptor that no heartbeat makes readable. */
START_TEST(heartbeats_end_no_wait)
{
	struct pollfd p = { .events = POLLIN };

	open_both(true);
	p.fd = db_change_fd(db);
	ck_assert_int_ge(p.fd, 0);
	tell(QUIET);
	await_report();
	tell(ROLLBACK);
	await_report();
	ck_assert_int_eq(poll(&p, 1, 0), 0);
	for (const char *how = (const char[]){ LOUD, RETURNING, 0 }; *how != 0; how++) {
		tell(*how);
		await_report();
		ck_assert_int_eq(poll(&p, 1, 60000), 1);
		ck_assert_int_eq(db_change_fd(db), p.fd);
		ck_assert_int_eq(poll(&p, 1, 0), 0);
	}
}
END_TEST

START_TEST(a_change_by_a_foreign_program_is_found_at_the_end)
{
	int64_t pulse, then;

	open_both(false);
	pulse = db_pulse(db, INT64_MAX);
	tell(LOUD);
	await_report();
	then = monotonic_us();
	ck_assert(db_await(db, pulse, NULL, 0, then + LONG_US));
	ck_assert(!db_await(db, db_pulse(db, 1), NULL, 0, monotonic_us() + 20000));
	ck_assert_int_ge(monotonic_us() - then, 20000);
}
END_TEST

/* As in a system that has no inotify instances left. */
START_TEST(without_a_file_to_watch_it_polls)
{
	int64_t pulse;

	conf.state_dir = arena_printf(mem, "%s/missing", dir);
	open_both(false);
	ck_assert_int_eq(db_change_fd(db), -1);
	pulse = db_pulse(db, INT64_MAX);
	tell(LOUD);
	while (!await_change(pulse))
		await_report();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("db_await");
	TCase *t = tcase_create("all");

	(void)fixture;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_change_ends_the_wait);
	tcase_add_test(t, a_change_before_the_wait_ends_it_too);
	tcase_add_test(t, heartbeats_end_no_wait);
	tcase_add_test(t, a_change_by_a_foreign_program_is_found_at_the_end);
	tcase_add_test(t, without_a_file_to_watch_it_polls);
	suite_add_tcase(s, t);
	return unit_run(s);
}
