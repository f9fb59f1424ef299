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
#include "doctor/check.h"
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

/* ---- the doctor ---- */

/* Returns the findings of a check of the database, as lines of JSON. */
static const char *
examine_database(void)
{
	const struct conf conf = {
		.db_url = url, .db_busy_ms = 1000, .db_connections = 40
	};
	char text[4096] = "";
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	check_database(&(struct check){ "database", mem, &conf, ends[1], NULL });
	close(ends[1]);
	ck_assert_int_gt(read(ends[0], text, sizeof(text) - 1), 0);
	close(ends[0]);
	return arena_str(mem, text);
}

START_TEST(the_doctor_compares_connections_with_those_of_all_nodes)
{
	int applied;

	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_ptr_nonnull(
	    strstr(examine_database(), "97 for programs, 1 hosts may open 40"));
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(
		    node_beat(db, &(struct node){ .id = arena_printf(mem, "n%d", i),
				      .public_url = "http://n",
				      .draining_us = NULL_INT }),
		    OK);
	ck_assert_ptr_nonnull(
	    strstr(examine_database(), "97 for programs, but 3 hosts may open 120"));
}
END_TEST

/* ---- transactions ---- */

START_TEST(a_transaction_is_all_or_nothing)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(db_begin(db, DB_ALL), OK);
		ck_assert(db_writing(db) && !db_idle(db));
		ck_assert_int_eq(db_begin(db, DB_ALL), ERR_FAILED);
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
	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
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

	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert_int_eq(db_begin(other, DB_ALL), ERR_BUSY);
	ck_assert_int_ge(monotonic_us() - then, _i * 1000);
	ck_assert_int_eq(db_busy_count(other), 1);
	ck_assert(db_idle(other));
	ck_assert_int_eq(put(other, "a", 1), OK); /* a single statement needs no lock */
	ck_assert_int_eq(db_try_begin(patient, DB_ALL), ERR_BUSY); /* at once */
	ck_assert(db_idle(patient));
	ck_assert_int_eq(db_commit(db), OK);
	ck_assert_int_eq(db_try_begin(patient, DB_ALL), OK);
	db_rollback(patient);
	ck_assert_int_eq(db_begin(other, DB_ALL), OK);
	db_rollback(other);
	db_close(patient);
	db_close(other);
}
END_TEST

START_TEST(only_transactions_of_one_scope_wait_for_each_other)
{
	static const struct {
		const char *first, *second;
		enum err how;
	} all[] = { { "ann", "ann", ERR_BUSY }, { "ann", "bob", OK },
		{ "ann", DB_ROWS, OK }, { DB_ROWS, DB_ROWS, OK },
		{ "ann", DB_ALL, ERR_BUSY }, { DB_ROWS, DB_ALL, ERR_BUSY },
		{ DB_ALL, "ann", ERR_BUSY }, { DB_ALL, DB_ROWS, ERR_BUSY } };
	struct db *other = another(1);

	for (int i = 0; i < COUNT(all); i++) {
		ck_assert_int_eq(db_begin(db, all[i].first), OK);
		ck_assert_int_eq(db_begin(other, all[i].second), all[i].how);
		db_rollback(other);
		ck_assert_int_eq(db_try_begin(other, all[i].second), all[i].how);
		db_rollback(other);
		db_rollback(db);
	}
	db_close(other);
}
END_TEST

/* ---- places for connections ---- */

static int64_t
connections(void)
{
	static const struct sql count[] = {
		{ "connections",
		    "SELECT count(*) FROM pg_stat_activity"
		    " WHERE backend_type = 'client backend'",
		    NULL },
		{ NULL, NULL, NULL }
	};
	int64_t n;

	ck_assert_int_eq(db_number(db, count, ARGS(), &n), OK);
	return n;
}

START_TEST(a_process_that_rests_keeps_no_connection)
{
	struct db *other;
	int64_t n = connections();

	other = another(100);
	ck_assert_int_eq(put(other, "a", 5), OK);
	db_rest(other, false); /* no other process waits */
	ck_assert_int_eq(connections(), n + 1);
	ck_assert_int_eq(db_begin(other, "ann"), OK);
	db_rest(other, true); /* a transaction stays */
	ck_assert_int_eq(put(other, "b", 5), OK);
	ck_assert_int_eq(db_commit(other), OK);
	db_rest(other, true);
	for (int i = 0; i < 100 && connections() != n; i++)
		usleep(20000); /* the server ends its process later */
	ck_assert_int_eq(connections(), n);
	ck_assert_int_eq(put(other, "c", 5), OK);
	db_close(other);
}
END_TEST

/* Limit this process to n more connections. */
static void
allow(int n)
{
	places_set(arena_printf(mem, "%s/places", server.dir), n);
}

START_TEST(a_node_opens_only_as_many_connections_as_it_may)
{
	struct db *one, *two;

	allow(1);
	one = another(100);
	ck_assert_int_eq(db_open(&two, url, 50, false), ERR_BUSY);
	db_rest(one, true);
	two = another(100);
	ck_assert_int_eq(put(one, "a", 1), ERR_BUSY);
	db_close(two);
	ck_assert_int_eq(put(one, "a", 1), OK);
	db_close(one);
}
END_TEST

START_TEST(a_place_goes_to_a_process_that_waits)
{
	struct db *one;
	pid_t pid;
	int status;

	allow(1);
	one = another(100);
	ck_assert(!places_wanted());
	if ((pid = fork()) == 0) {
		struct db *two;

		places_leave(&((struct pg *)one->h)->place); /* our copy of the lock */
		_exit(db_open(&two, url, 5000, false) == OK ? 0 : 1);
	}
	for (int i = 0; i < 200 && !places_wanted(); i++)
		usleep(10000);
	ck_assert(places_wanted());
	((struct pg *)one->h)->opened_us -= SLICE_US;
	db_rest(one, false);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(
	    put(one, "a", 1), OK); /* the place of a dead process is free */
	db_close(one);
}
END_TEST

/* ---- a pooler ---- */

/* Write the settings of a pgbouncer with two connections to the server. */
static const char *
pooler_settings(void)
{
	const char *path = arena_printf(mem, "%s/pooler.ini", server.dir);
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f,
	    "[databases]\n* = host=%s user=postgres pool_size=2\n[pgbouncer]\n"
	    "listen_addr =\nunix_socket_dir = %s\nlisten_port = 6432\n"
	    "auth_type = any\npool_mode = transaction\nlogfile = /dev/null\n",
	    server.dir, server.dir);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(path, 0644), 0);
	return path;
}

/* Each client's statements run over whichever connection is free. */
static void
mix_statements(struct db *const *clients, int n)
{
	for (int i = 0; i < 3 * n; i++) {
		struct db *d = clients[i % n];
		struct rows rs;

		ck_assert_int_eq(db_begin(clients[(i + 1) % n], "bob"), OK);
		ck_assert_int_eq(put(d, arena_printf(mem, "%d", i), i), OK);
		rs = db_query(d, &things[GET], ARGS(TEXT(arena_printf(mem, "%d", i))));
		ck_assert(db_next(&rs) && row_int(&rs, 1) == i);
		ck_assert_int_eq(db_done(&rs), OK);
		ck_assert_int_eq(
		    db_exec(clients[(i + 1) % n], &things[SUM], ARGS(), NULL), OK);
		ck_assert_int_eq(db_commit(clients[(i + 1) % n]), OK);
	}
}

START_TEST(transactions_run_over_a_pooler)
{
	const char *at = arena_printf(mem, "%s&host=%s&port=6432", url, server.dir);
	const char *const argv[] = { "pgbouncer", pooler_settings(), NULL };
	struct db *clients[4];
	int applied;
	pid_t pid;

	if (access("/usr/sbin/pgbouncer", X_OK) != 0)
		return; /* of the package pgbouncer */
	pid = start("/usr/sbin/pgbouncer", argv);
	for (int i = 0; i < 400 && PQping(at) != PQPING_OK; i++)
		usleep(25000);
	for (int i = 0; i < COUNT(clients); i++) {
		ck_assert_int_eq(db_open(&clients[i], at, 5000, false), OK);
		ck_assert(((struct pg *)clients[i]->h)->pooled);
	}
	mix_statements(clients, COUNT(clients));
	ck_assert_int_eq(answer_of(SUM), 66);
	ck_assert_int_eq(schema_migrate(clients[0], mem, "schema", &applied), OK);
	for (int i = 0; i < COUNT(statements); i++)
		ck_assert_int_eq(db_prepare(clients[i % 4], statements[i]), OK);
	for (int i = 0; i < COUNT(clients); i++)
		db_close(clients[i]);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}
END_TEST

/* ---- a server that goes away ---- */

START_TEST(a_statement_after_a_lost_connection_succeeds)
{
	cut();
	ck_assert_int_eq(put(db, "a", 5), OK);
	ck_assert_str_eq(setting("lock_timeout"), "5s");
	cut();
	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert_int_eq(put(db, "b", 5), OK);
	ck_assert_int_eq(db_commit(db), OK);
	ck_assert_int_eq(answer_of(SUM), 10);
}
END_TEST

START_TEST(a_transaction_does_not_survive_its_connection)
{
	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
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
	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	cut();
	db_rollback(db);
	ck_assert(db_idle(db));
	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
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
	ck_assert_str_eq(setting("statement_timeout"), "10s");
	ck_assert_str_eq(setting("idle_in_transaction_session_timeout"), "5s");
	ck_assert_int_eq(db_script(db, "SELECT 1"), OK);
	ck_assert_str_eq(setting("statement_timeout"), "10s");
	ck_assert_int_eq(limit_statements(db->h, 50), OK);
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
	tcase_add_test(t, the_doctor_compares_connections_with_those_of_all_nodes);
	tcase_add_test(t, a_transaction_is_all_or_nothing);
	tcase_add_test(t, a_commit_after_a_failed_statement_is_not_ok);
	tcase_add_loop_test(t, a_second_writer_is_told_to_come_back, 0, 1);
	tcase_add_loop_test(t, a_second_writer_is_told_to_come_back, 100, 101);
	tcase_add_test(t, only_transactions_of_one_scope_wait_for_each_other);
	tcase_add_test(t, a_process_that_rests_keeps_no_connection);
	tcase_add_test(t, a_node_opens_only_as_many_connections_as_it_may);
	tcase_add_test(t, a_place_goes_to_a_process_that_waits);
	tcase_add_test(t, transactions_run_over_a_pooler);
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
