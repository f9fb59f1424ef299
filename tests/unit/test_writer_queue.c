/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that write to one SQLite database wait in a queue of the kernel. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/unit.h"

static const struct sql add = { "row.add", "INSERT INTO rows VALUES ($1)", NULL },
			count = { "row.count", "SELECT count(*) FROM rows", NULL };

static struct arena *mem;
static const char *dir, *url, *queue;
static struct db *db;

static struct db *
another(int busy_ms)
{
	struct db *d;

	ck_assert_int_eq(db_open(&d, url, busy_ms, false), OK);
	return d;
}

/*
 * Processes that wait for a task: SQLite's connections must not be open during a fork.
 * Each adds one row.
 */
static struct writer {
	pid_t pid;
	int task; /* a pipe to it */
} writers[5];
static int started;

struct task {
	int busy_ms;
	int single; /* true: a statement without a transaction; an int: no padding */
};

static enum err
write_row(const struct task *t)
{
	struct db *d = another(t->busy_ms);
	enum err e = t->single ? OK : db_begin(d, DB_ROWS);

	if (e == OK)
		e = db_exec(d, &add, ARGS(INT(getpid())), NULL);
	if (e == OK && !t->single)
		e = db_commit(d);
	return e;
}

/* The exit status of a writer is its result. */
static void
fork_writer(struct writer *w)
{
	struct task t;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	w->pid = fork();
	ck_assert_int_ge(w->pid, 0);
	if (w->pid == 0) {
		close(ends[1]);
		_exit(read(ends[0], &t, sizeof(t)) == sizeof(t) ? write_row(&t) : OK);
	}
	close(ends[0]);
	w->task = ends[1];
}

/* Let the next writer add a row, in a transaction or by a single statement. */
static pid_t
start_writer(int busy_ms, bool single)
{
	struct task t = { busy_ms, single };
	struct writer *w = &writers[started++];

	ck_assert_int_eq(write(w->task, &t, sizeof(t)), sizeof(t));
	return w->pid;
}

static void
setup(void)
{
	started = 0;
	mem = arena_new();
	dir = unit_folder(mem);
	url = arena_printf(mem, "sqlite:%s/test.db", dir);
	queue = arena_printf(mem, "%s/test.db-queue", dir);
	for (int i = 0; i < COUNT(writers); i++)
		fork_writer(&writers[i]);
	ck_assert_int_eq(db_open(&db, url, 60000, true), OK);
	ck_assert_int_eq(db_script(db, "CREATE TABLE rows (n INTEGER)"), OK);
}

static void
teardown(void)
{
	for (int i = 0; i < COUNT(writers); i++)
		close(writers[i].task);
	db_close(db);
	unit_folder_drop(dir);
	arena_free(mem);
}

static int
result_of(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Count the locks of the queue that are held, or waited for by flock(2). */
static int
locks(bool waited_for)
{
	struct stat st;
	char line[256], inode[32];
	int n = 0;
	FILE *f = fopen("/proc/locks", "r");

	ck_assert_ptr_nonnull(f);
	snprintf(inode, sizeof(inode), ":%lu 0 EOF",
	    stat(queue, &st) == 0 ? (unsigned long)st.st_ino : 0);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strstr(line, "FLOCK") != NULL && strstr(line, inode) != NULL)
			n += (strstr(line, "->") != NULL) == waited_for;
	fclose(f);
	return n;
}

static int64_t
rows(void)
{
	int64_t n;

	ck_assert_int_eq(db_number(db, &count, ARGS(), &n), OK);
	return n;
}

/* Hold the write lock until one process is the first of the queue, and others wait. */
static void
crowd(pid_t pids[], int n)
{
	ck_assert_int_eq(db_begin(db, DB_ROWS), OK);
	for (int i = 0; i < n; i++) {
		pids[i] = start_writer(60000, i % 2 > 0);
		await(locks(false) == 1 && locks(true) == i);
	}
}

START_TEST(a_lone_writer_makes_no_queue)
{
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(db_begin(db, DB_ROWS), OK);
		ck_assert_int_eq(db_exec(db, &add, ARGS(INT(i)), NULL), OK);
		ck_assert_int_eq(db_commit(db), OK);
	}
	ck_assert_int_ne(access(queue, F_OK), 0);
}
END_TEST

START_TEST(writers_wait_in_the_kernel_and_leave_nothing)
{
	struct stat st;
	pid_t pids[4];

	crowd(pids, COUNT(pids));
	ck_assert_int_eq(db_commit(db), OK);
	for (int i = 0; i < COUNT(pids); i++)
		ck_assert_int_eq(result_of(pids[i]), OK);
	ck_assert_int_eq(rows(), COUNT(pids));
	ck_assert_int_eq(locks(false) + locks(true), 0);
	ck_assert_int_eq(stat(queue, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
}
END_TEST

START_TEST(a_writer_that_met_others_joins_before_it_writes)
{
	struct db *third = another(20);
	pid_t pid;

	ck_assert_int_eq(db_begin(db, DB_ROWS), OK);
	pid = start_writer(60000, false);
	await(locks(false) == 1);
	ck_assert_int_eq(db_begin(third, DB_ROWS), ERR_BUSY);
	ck_assert_int_eq(db_commit(db), OK);
	ck_assert_int_eq(result_of(pid), OK);
	ck_assert_int_eq(db_begin(third, DB_ROWS), OK);
	ck_assert_int_eq(locks(false), 1);
	ck_assert_int_eq(db_exec(third, &add, ARGS(INT(1)), NULL), OK);
	ck_assert_int_eq(locks(false), 1);
	db_rollback(third);
	ck_assert_int_eq(locks(false), 0);
	ck_assert_int_eq(db_exec(third, &add, ARGS(INT(1)), NULL), OK);
	ck_assert_int_eq(locks(false), 0);
	db_close(third);
}
END_TEST

START_TEST(a_killed_writer_is_no_longer_in_the_queue)
{
	pid_t pids[3];

	crowd(pids, COUNT(pids));
	ck_assert_int_eq(kill(pids[0], SIGKILL), 0);
	ck_assert_int_eq(result_of(pids[0]), -1);
	ck_assert_int_eq(kill(pids[2], SIGKILL), 0);
	ck_assert_int_eq(result_of(pids[2]), -1);
	await(locks(false) == 1 && locks(true) == 0);
	ck_assert_int_eq(db_commit(db), OK);
	ck_assert_int_eq(result_of(pids[1]), OK);
}
END_TEST

START_TEST(the_queue_waits_no_longer_than_busy_ms)
{
	pid_t pids[2], late;

	crowd(pids, COUNT(pids));
	late = start_writer(40, false);
	ck_assert_int_eq(result_of(late), ERR_BUSY);
	ck_assert_int_eq(db_commit(db), OK);
	for (int i = 0; i < COUNT(pids); i++)
		ck_assert_int_eq(result_of(pids[i]), OK);
}
END_TEST

/* The first process of the queue is stopped before it has SQLite's lock. */
START_TEST(a_stopped_writer_does_not_stop_the_others)
{
	pid_t pids[1], late;

	crowd(pids, COUNT(pids));
	ck_assert_int_eq(kill(pids[0], SIGSTOP), 0);
	late = start_writer(400, false);
	await(locks(true) == 1);
	ck_assert_int_eq(db_commit(db), OK);
	ck_assert_int_eq(result_of(late), OK);
	ck_assert_int_eq(kill(pids[0], SIGCONT), 0);
	ck_assert_int_eq(result_of(pids[0]), OK);
}
END_TEST

START_TEST(without_a_queue_writers_try_again)
{
	pid_t pids[3];

	ck_assert_int_eq(mkdir(queue, 0700), 0); /* no file can be opened there */
	ck_assert_int_eq(db_begin(db, DB_ROWS), OK);
	for (int i = 0; i < COUNT(pids); i++)
		pids[i] = start_writer(60000, i % 2 > 0);
	ck_assert_int_eq(result_of(start_writer(20, false)), ERR_BUSY);
	ck_assert_int_eq(db_commit(db), OK);
	for (int i = 0; i < COUNT(pids); i++)
		ck_assert_int_eq(result_of(pids[i]), OK);
	ck_assert_int_eq(rows(), COUNT(pids));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("writer_queue");
	TCase *t = tcase_create("all");

	(void)fixture;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_lone_writer_makes_no_queue);
	tcase_add_test(t, writers_wait_in_the_kernel_and_leave_nothing);
	tcase_add_test(t, a_writer_that_met_others_joins_before_it_writes);
	tcase_add_test(t, a_killed_writer_is_no_longer_in_the_queue);
	tcase_add_test(t, the_queue_waits_no_longer_than_busy_ms);
	tcase_add_test(t, a_stopped_writer_does_not_stop_the_others);
	tcase_add_test(t, without_a_queue_writers_try_again);
	suite_add_tcase(s, t);
	return unit_run(s);
}
