/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_LEDGER_FIXTURE_H
#define TESTS_UNIT_LEDGER_FIXTURE_H

/*
 * A database with the whole schema, accounts and events, for the ledger: SQLite, and
 * PostgreSQL if it can be started.  Tests run once for each.
 */
#include "store/ledger.h"
#include "store/stats.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/wait.h>

enum { SQLITE, POSTGRES, DATABASES };

static struct {
	const char *dir;
	const char *url[DATABASES]; /* NULL: PostgreSQL could not be started */
} books;

static struct arena *mem;
static struct db *db;

/* ---- a PostgreSQL ---- */

/* Runs tests/postgres; returns its first line of output. */
static inline const char *
books_server(const char *what)
{
	static char line[512];
	char call[600];
	FILE *f;

	snprintf(call, sizeof(call), "tests/postgres %s %s/pg", what, books.dir);
	line[0] = '\0';
	if ((f = popen(call, "r")) == NULL)
		return NULL;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return pclose(f) == 0 && line[0] != '\0' ? line : NULL;
}

static inline bool
books_have_postgres(void)
{
	return access("/usr/lib/postgresql/15/bin/initdb", X_OK) == 0;
}

/* ---- each test ---- */

static inline struct db *
books_connect(int which)
{
	struct db *d;

	static const struct conf of_zeros;

	ck_assert_int_eq(db_open(&d, books.url[which], 20000, true), OK);
	db_seal(d, &of_zeros);
	return d;
}

/* Replaces the database by an empty one. */
static inline void
books_clear(int which)
{
	if (which == SQLITE) {
		const char *path = strchr(books.url[SQLITE], ':') + 1;

		unlink(path);
		unlink(arena_printf(mem, "%s-wal", path));
		unlink(arena_printf(mem, "%s-shm", path));
	}
	db = books_connect(which);
	if (which == POSTGRES)
		ck_assert_int_eq(
		    db_script(db, "SET client_min_messages = error;"
				  "DROP SCHEMA public CASCADE; CREATE SCHEMA public"),
		    OK);
}

/* As books_clear(), with the schema. */
static inline void
books_open(int which)
{
	int applied;

	mem = arena_new();
	books_clear(which);
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(applied, SCHEMA_VERSION);
}

static inline void
books_close(void)
{
	db_rollback(db);
	db_close(db);
	arena_free(mem);
}

static inline const char *
books_account(void)
{
	struct account a = { .id = id_new(mem),
		.name = "An account",
		.status = "active",
		.created_us = now_us() };

	ck_assert_int_eq(account_add(db, &a), OK);
	return a.id;
}

/* Adds an event with its statistics only; seq is its own. */
static inline const char *
books_event(const char *account, int seq)
{
	const char *id = id_new(mem);

	ck_assert_int_eq(
	    db_script(
		db, arena_printf(mem,
			"INSERT INTO events (seq, created_us, id, account, updated_us,"
			" title, type, start_us, end_us, recurring, languages,"
			" listener_mode, room_suffix, agenda) VALUES (%d, 1, '%s',"
			" '%s', 1, 'Summit', 'online', 1, 2, 0, '[]', 'auto',"
			" 'k3v9q2xa', '[]');"
			"INSERT INTO event_stats (event) VALUES ('%s')",
			seq, id, account, id)),
	    OK);
	return id;
}

/* Returns the number that a query selects; $1 is the text. */
static inline int64_t
books_number(const struct sql *s, const char *text)
{
	int64_t n;

	ck_assert_int_eq(db_number(db, s, ARGS(TEXT(text)), &n), OK);
	return n;
}

static inline int64_t
balance_of(const char *account)
{
	int64_t micro;

	ck_assert_int_eq(ledger_balance(db, account, &micro), OK);
	return micro;
}

static inline bool
agrees(const char *account)
{
	struct ledger_sums sums;

	ck_assert_int_eq(ledger_check(db, mem, account, &sums), OK);
	return sums.agree;
}

/* Books in a transaction of its own, as callers do. */
static inline enum err
kept(enum err e)
{
	if (e == OK)
		e = db_commit(db);
	db_rollback(db);
	return e;
}

/* ---- a program's main() ---- */

/* Number of databases, for loop tests. */
static inline int
books_count(void)
{
	return books.url[POSTGRES] != NULL ? DATABASES : 1;
}

static inline int
books_run(Suite *(*make)(void))
{
	struct arena *own = arena_new();
	int failed;

	(void)fixture;
	books.dir = mkdtemp(
	    arena_str(own, access("/dev/shm", W_OK) == 0 ? "/dev/shm/books.XXXXXX"
							 : "/tmp/books.XXXXXX"));
	if (books.dir == NULL ||
	    chmod(books.dir, 0755) != 0) /* for the server's user */
		return 1;
	books.url[SQLITE] = arena_printf(own, "sqlite:%s/books.db", books.dir);
	if (books_have_postgres())
		books.url[POSTGRES] = books_server("up");
	else
		printf("0%%: PostgreSQL skipped: there is none of postgresql-15\n");
	failed = unit_run(make());
	if (books_have_postgres()) {
		failed += books.url[POSTGRES] == NULL;
		books_server("down");
	}
	unit_folder_drop(books.dir);
	arena_free(own);
	return failed;
}

#endif
