/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The database interface with a PostgreSQL that this program starts and ends:
 * differences from SQLite, and a server that stops or does not answer.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <math.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "db/db.c"
#include "db/db_pg.c" /* the real limits are too long for a test */
#include "tests/unit/statements.h"
#include "tests/unit/unit.h"

#define PROGRAMS "/usr/lib/postgresql/15/bin/" /* Debian's */

enum { PUT, GET, SUM, ME, KILL, SETTING, SLEEP };

static const struct sql things[] = {
	[PUT] = { "thing.put", "INSERT INTO things VALUES ($1, $2, $3, $4)", NULL },
	[GET] = { "thing.get", "SELECT id, i, r, t FROM things WHERE id = $1", NULL },
	[SUM] = { "thing.sum", "SELECT CAST(sum(i) AS INTEGER) FROM things", NULL },
	[ME] = { "me", "SELECT pg_backend_pid()", NULL },
	[KILL] = { "kill", "SELECT pg_terminate_backend($1, 5000)", NULL },
	[SETTING] = { "setting", "SELECT current_setting($1)", NULL },
	[SLEEP] = { "sleep", "SELECT pg_sleep(5)", NULL },
	{ NULL, NULL, NULL },
};

static struct {
	struct arena *mem;
	char *dir;               /* data and socket */
	const struct passwd *as; /* NULL: the current user */
	pid_t pid;
} server;

static const char url[] = "postgresql:///postgres?user=postgres"; /* and PGHOST */
static struct arena *mem;
static struct db *db;

/* ---- a server ---- */

/* Starts a program as the server's user; it ends with this process. */
static pid_t
start(const char *path, const char *const *argv)
{
	const struct passwd *as = server.as;
	pid_t parent = getpid(), pid = fork();
	int null;

	if (pid != 0)
		return pid;
	null = open("/dev/null", O_RDWR);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	if (as != NULL && (initgroups(as->pw_name, as->pw_gid) != 0 ||
			      setgid(as->pw_gid) != 0 || setuid(as->pw_uid) != 0))
		_exit(126);
	prctl(PR_SET_PDEATHSIG, SIGQUIT); /* tells PostgreSQL to stop at once */
	if (getppid() == parent)
		execv(path, (char *const *)(uintptr_t)argv);
	_exit(127);
}

static bool
succeeds(const char *path, const char *const *argv)
{
	int status;

	return waitpid(start(path, argv), &status, 0) > 0 && status == 0;
}

/*
 * Makes a folder that the server's user can use; its name is short, because paths of
 * sockets are limited.
 */
static bool
make_folder(const char *below)
{
	const struct passwd *as = server.as;

	server.dir = arena_printf(server.mem, "%s/pg.XXXXXX", below);
	if (strlen(server.dir) > 80 || mkdtemp(server.dir) == NULL)
		return false;
	if (as == NULL || (chown(server.dir, as->pw_uid, as->pw_gid) == 0 &&
			      succeeds("/usr/bin/test", (const char *const[]){ "test",
							    "-w", server.dir, NULL })))
		return true;
	unit_folder_drop(server.dir);
	return false;
}

/* Returns the folder of this program, below build/. */
static const char *
here(void)
{
	char path[4096] = "";

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) <= 0)
		return "/tmp";
	*strrchr(path, '/') = '\0';
	return arena_str(server.mem, path);
}

static bool
start_server(void)
{
	static const char *const make[] = { PROGRAMS "initdb", "-U", "postgres", "-A",
		"trust", "-E", "UTF8", "--locale=C", "-N", "--no-instructions", NULL };
	const char *const run_it[] = { PROGRAMS "postgres", "-k", server.dir, "-h", "",
		"-F", "-c", "shared_buffers=16MB", NULL };

	setenv("PGHOST", server.dir, 1);
	setenv("PGDATA", arena_printf(server.mem, "%s/data", server.dir), 1);
	if (!succeeds(PROGRAMS "initdb", make))
		return false;
	server.pid = start(PROGRAMS "postgres", run_it);
	for (int i = 0; i < 400 && waitpid(server.pid, NULL, WNOHANG) == 0; i++) {
		if (PQping(url) == PQPING_OK)
			return true;
		usleep(25000);
	}
	return false;
}

static void
stop_server(void)
{
	if (server.pid > 0) {
		kill(server.pid, SIGQUIT);
		waitpid(server.pid, NULL, 0);
	}
	if (server.dir != NULL)
		unit_folder_drop(server.dir);
	arena_free(server.mem);
}

/* Returns why PostgreSQL is not available; NULL: it is. */
static const char *
no_server(void)
{
	server.mem = arena_new();
	if (access(PROGRAMS "initdb", X_OK) != 0)
		return "there is no PostgreSQL, of the package postgresql-15";
	if (getuid() == 0 && (server.as = getpwnam("postgres")) == NULL)
		return "there is no user postgres to run the server as";
	return make_folder(here()) || make_folder("/tmp") ? NULL : "there is no room";
}

/* ---- each test ---- */

static struct db *
another(int busy_ms)
{
	struct db *d;

	ck_assert_int_eq(db_open(&d, url, busy_ms, true), OK);
	return d;
}

static void
setup(void)
{
	mem = arena_new();
	db = another(5000);
	ck_assert_int_eq(
	    db_script(db, "SET client_min_messages = error;"
			  "DROP SCHEMA public CASCADE; CREATE SCHEMA public;"
			  "CREATE TABLE things (id TEXT PRIMARY KEY, i INTEGER,"
			  " r REAL, t TEXT NOT NULL) STRICT"),
	    OK);
	ck_assert_int_eq(db_prepare(db, things), OK);
}

static void
teardown(void)
{
	ck_assert(db_idle(db));
	db_close(db);
	arena_free(mem);
}

#define put(d, id, i) put_row(d, id, i, 0, "t")
static enum err
put_row(struct db *d, const char *id, int64_t i, double r, const char *t)
{
	return db_exec(d, &things[PUT], ARGS(TEXT(id), INT(i), REAL(r), TEXT(t)), NULL);
}

/* SUM or ME. */
static int64_t
answer_of(int which)
{
	int64_t n;

	ck_assert_int_eq(db_number(db, &things[which], ARGS(), &n), OK);
	return n;
}

/* Ends the server's side of the connection. */
static void
cut(void)
{
	struct db *other = another(1000);

	ck_assert_int_eq(
	    db_exec(other, &things[KILL], ARGS(INT(answer_of(ME))), NULL), OK);
	db_close(other);
}

static const char *
setting(const char *name)
{
	struct rows rs = db_query(db, &things[SETTING], ARGS(TEXT(name)));
	const char *value = db_next(&rs) ? row_text(&rs, 0, mem) : NULL;

	ck_assert_int_eq(db_done_one(&rs), OK);
	return value;
}

/* ---- what is written comes back ---- */

START_TEST(bound_values_come_back)
{
	static const struct {
		const char *id;
		int64_t i;
		double r;
		const char *t;
	} all[] = { { "a", INT64_MAX, 0.1, "\xc3\xbc'\"\\ $1 %s\n" },
		{ "b", INT64_MIN + 1, -1e308, "" }, { "c", 0, 5e-324, "''--;" },
		{ "d", NULL_INT, NAN, "null" } };

	for (int k = 0; k < COUNT(all); k++) {
		struct rows rs;

		ck_assert_int_eq(
		    put_row(db, all[k].id, all[k].i, all[k].r, all[k].t), OK);
		rs = db_query(db, &things[GET], ARGS(TEXT(all[k].id)));
		ck_assert(db_next(&rs));
		ck_assert_str_eq(row_text(&rs, 0, mem), all[k].id);
		ck_assert_int_eq(row_int(&rs, 1), all[k].i);
		ck_assert(isnan(all[k].r) ? isnan(row_real(&rs, 2))
					  : row_real(&rs, 2) == all[k].r);
		ck_assert_str_eq(row_text(&rs, 3, mem), all[k].t);
		ck_assert(!db_next(&rs));
		ck_assert_int_eq(db_done(&rs), OK);
	}
	ck_assert_int_eq(put_row(db, "e", 1, 1, NULL), ERR_CONFLICT);
}
END_TEST

START_TEST(the_schema_migrates_and_every_statement_prepares)
{
	FILE *f =
	    popen("cat lib/*/*.c | grep -c '^const struct sql.*_sql\\[.*] ='", "r");
	int applied, n = 0;

	ck_assert(fscanf(f, "%d", &n) == 1 && pclose(f) == 0);
	ck_assert_int_eq(n, COUNT(statements)); /* no row is missing */
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(applied, SCHEMA_VERSION);
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(applied, 0);
	for (int i = 0; i < COUNT(statements); i++)
		ck_assert_int_eq(db_prepare(db, statements[i]), OK);
}
END_TEST

/* ---- transactions ---- */

START_TEST(a_transaction_is_all_or_nothing)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(db_begin(db), OK);
		ck_assert(db_writing(db) && !db_idle(db));
		ck_assert_int_eq(db_begin(db), ERR_FAILED);
		ck_assert_int_eq(put(db, "a", 5), OK);
		if (i == 1)
			ck_assert_int_eq(db_commit(db), OK);
		db_rollback(db); /* after the commit nothing happens */
		ck_assert_int_eq(db_commit(db), ERR_FAILED);
		ck_assert_int_eq(answer_of(SUM), 5 * i);
	}
}
END_TEST

START_TEST(a_commit_after_a_failed_statement_is_not_ok)
{
	ck_assert_int_eq(db_begin(db), OK);
	ck_assert_int_eq(put(db, "a", 5), OK);
	ck_assert_int_eq(put(db, "a", 5), ERR_CONFLICT);
	ck_assert_int_eq(db_commit(db), ERR_FAILED);
	db_rollback(db);
	ck_assert_int_eq(answer_of(SUM), 0);
}
END_TEST

START_TEST(a_second_writer_is_told_to_come_back)
{
	struct db *other = another(_i), *patient = another(600000);
	int64_t then = monotonic_us();

	ck_assert_int_eq(db_begin(db), OK);
	ck_assert_int_eq(db_begin(other), ERR_BUSY);
	ck_assert_int_ge(monotonic_us() - then, _i * 1000);
	ck_assert_int_eq(db_busy_count(other), 1);
	ck_assert(db_idle(other));
	ck_assert_int_eq(put(other, "a", 1), OK); /* a single statement needs no lock */
	ck_assert_int_eq(db_try_begin(patient), ERR_BUSY); /* at once */
	ck_assert(db_idle(patient));
	ck_assert_int_eq(db_commit(db), OK);
	ck_assert_int_eq(db_try_begin(patient), OK);
	db_rollback(patient);
	ck_assert_int_eq(db_begin(other), OK);
	db_rollback(other);
	db_close(patient);
	db_close(other);
}
END_TEST

/* ---- a server that goes away ---- */

START_TEST(a_statement_after_a_lost_connection_succeeds)
{
	cut();
	ck_assert_int_eq(put(db, "a", 5), OK);
	ck_assert_str_eq(setting("lock_timeout"), "5s");
	cut();
	ck_assert_int_eq(db_begin(db), OK);
	ck_assert_int_eq(put(db, "b", 5), OK);
	ck_assert_int_eq(db_commit(db), OK);
	ck_assert_int_eq(answer_of(SUM), 10);
}
END_TEST

START_TEST(a_transaction_does_not_survive_its_connection)
{
	ck_assert_int_eq(db_begin(db), OK);
	ck_assert_int_eq(put(db, "a", 5), OK);
	cut();
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(put(db, "b", 5), ERR_BUSY);
	ck_assert(db_writing(db));
	ck_assert_int_eq(db_commit(db), ERR_BUSY);
	db_rollback(db);
	ck_assert(!db_writing(db));
	ck_assert_int_eq(answer_of(SUM), 0);
}
END_TEST

START_TEST(a_rollback_on_a_lost_connection_goes_on)
{
	ck_assert_int_eq(db_begin(db), OK);
	cut();
	db_rollback(db);
	ck_assert(db_idle(db));
	ck_assert_int_eq(db_begin(db), OK);
	cut();
	/* unknown whether it was committed */
	ck_assert_int_eq(db_commit(db), ERR_FAILED);
	db_rollback(db);
	ck_assert_int_eq(put(db, "a", 5), OK);
}
END_TEST

START_TEST(rows_outlive_their_connection)
{
	struct rows rs;

	ck_assert_int_eq(put(db, "a", 5), OK);
	rs = db_query(db, &things[GET], ARGS(TEXT("a")));
	cut();
	ck_assert_int_eq(answer_of(SUM), 5);
	ck_assert(db_next(&rs));
	ck_assert_int_eq(row_int(&rs, 1), 5);
	ck_assert_int_eq(db_done(&rs), OK);
}
END_TEST

/* ---- a server that is silent ---- */

START_TEST(a_server_that_froze_is_given_up)
{
	struct pg *p = db->h;
	int64_t pid = answer_of(ME), then = monotonic_us();
	int usual_ms = p->answer_ms;

	p->answer_ms = 200;
	ck_assert_int_eq(kill((pid_t)pid, SIGSTOP), 0);
	ck_assert_int_eq(put(db, "a", 5), ERR_BUSY);
	ck_assert_int_lt(monotonic_us() - then, usual_ms * 1000);
	ck_assert_int_eq(kill((pid_t)pid, SIGCONT), 0);
	p->answer_ms = usual_ms;
	ck_assert_int_ne(answer_of(ME), pid);
}
END_TEST

START_TEST(a_statement_that_takes_too_long_is_busy)
{
	ck_assert_str_eq(setting("statement_timeout"), "35s");
	ck_assert_str_eq(setting("idle_in_transaction_session_timeout"), "1min");
	ck_assert_int_eq(db_script(db, "SELECT 1"), OK);
	ck_assert_str_eq(setting("statement_timeout"), "35s");
	ck_assert_int_eq(set_limit(db->h, "statement_timeout", 50), OK);
	ck_assert_int_eq(db_exec(db, &things[SLEEP], ARGS(), NULL), ERR_BUSY);
}
END_TEST

/* Opens a port that accepts connections and sends nothing. */
static int
listen_silently(int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, n), 0);
	ck_assert_int_eq(listen(fd, 8), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	*port = ntohs(at.sin_port);
	return fd;
}

static const struct {
	const char *asked; /* ended by the operator */
	int at_least_s, below_s;
} patience[] = { { "", 3, 7 }, { "?connect_timeout=2", 1, 4 } };

START_TEST(a_silent_listener_is_given_up)
{
	int64_t then = monotonic_us(), took;
	int port, fd = listen_silently(&port);
	const char *at = arena_printf(
	    mem, "postgresql://me@127.0.0.1:%d/x%s", port, patience[_i].asked);
	struct db *d;

	ck_assert_int_eq(db_open(&d, at, 100, false), ERR_BUSY);
	took = monotonic_us() - then;
	ck_assert_int_ge(took, patience[_i].at_least_s * S_US);
	ck_assert_int_lt(took, patience[_i].below_s * S_US);
	close(fd);
}
END_TEST

START_TEST(a_wrong_address_is_refused)
{
	struct db *d;

	ck_assert_int_eq(
	    db_open(&d, "postgresql://me:secret@[::1/x", 0, false), ERR_REFUSED);
}
END_TEST

static Suite *
all_tests(void)
{
	Suite *s = suite_create("pg");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 20);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, bound_values_come_back);
	tcase_add_test(t, the_schema_migrates_and_every_statement_prepares);
	tcase_add_test(t, a_transaction_is_all_or_nothing);
	tcase_add_test(t, a_commit_after_a_failed_statement_is_not_ok);
	tcase_add_loop_test(t, a_second_writer_is_told_to_come_back, 0, 1);
	tcase_add_loop_test(t, a_second_writer_is_told_to_come_back, 100, 101);
	tcase_add_test(t, a_statement_after_a_lost_connection_succeeds);
	tcase_add_test(t, a_transaction_does_not_survive_its_connection);
	tcase_add_test(t, a_rollback_on_a_lost_connection_goes_on);
	tcase_add_test(t, rows_outlive_their_connection);
	tcase_add_test(t, a_server_that_froze_is_given_up);
	tcase_add_test(t, a_statement_that_takes_too_long_is_busy);
	tcase_add_loop_test(t, a_silent_listener_is_given_up, 0, COUNT(patience));
	tcase_add_test(t, a_wrong_address_is_refused);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	const char *why = no_server();
	int failed = 0;

	(void)fixture;
	if (why != NULL)
		printf("0%%: skipped: %s\n", why);
	else if (!start_server()) {
		printf("the server does not start\n");
		failed = 1;
	} else
		failed = unit_run(all_tests());
	stop_server();
	return failed;
}
