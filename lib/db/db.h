/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DB_DB_H
#define DB_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/field.h"

/*
 * The only interface to the database.  Code above it does not know which database is
 * used.  Parameters are written $1, $2, ... and given all at once with their types, as
 * the interfaces of both databases require; or :name, and then taken from a struct.
 */
struct db;

/*
 * A statement: a constant, prepared once per db.  Tables of fields define its columns.
 * In the text these stand for columns of `row`
 *	{*}        all, for a SELECT; {e.*}: prefixed with e
 * and these for columns of `from`
 *	:kind      the value of one column
 *	{names}    the columns of an INSERT (F_ADD), {values} their values
 *	{changes}  "kind = :kind, ..." for an UPDATE (F_PUT)
 */
struct sql {
	const char *name; /* "voice.get"; for logs */
	const char *text; /* NULL: for PostgreSQL alone, see db_is_server() */
	const char *pg;   /* text for PostgreSQL if it must differ */
	const struct field *row;
	size_t size; /* size of the struct that a row fills */
	const struct field *from;
	bool quiet;  /* its changes end no db_await(), as those of heartbeats */
	bool writes; /* each row that it returns is a change */
};

#define ROWS_OF(fields, type) .row = (fields), .size = sizeof(type)

enum val_type { VAL_NULL, VAL_INT, VAL_REAL, VAL_TEXT };

struct val {
	enum val_type type;
	union {
		int64_t i;
		double r;
		const char *s; /* must stay valid until db_done() */
	} u;
};

static inline struct val
val_int(int64_t i) /* NULL_INT is SQL NULL */
{
	return (struct val){ .type = i == NULL_INT ? VAL_NULL : VAL_INT, .u.i = i };
}

static inline struct val
val_real(double r) /* NaN is SQL NULL */
{
	return (struct val){ .type = r == r ? VAL_REAL : VAL_NULL, .u.r = r };
}

static inline struct val
val_text(const char *s) /* NULL is SQL NULL */
{
	return (struct val){ .type = s != NULL ? VAL_TEXT : VAL_NULL, .u.s = s };
}

#define INT(x) val_int(x)
#define REAL(x) val_real(x)
#define TEXT(x) val_text(x)

#define ARGS_MAX 64

/* Item 0 is unused so that a[1] is $1. */
#define ARGS(...)                                                                      \
	((const struct val[]){ { 0 }, __VA_ARGS__ }),                                  \
	    (sizeof((const struct val[]){ { 0 }, __VA_ARGS__ }) / sizeof(struct val) - \
		1)

/* Open "sqlite:PATH" or "postgresql://...". busy_ms: how long to wait for another
   writer. make: create an SQLite file that does not exist. */
enum err db_open(struct db **, const char *url, int busy_ms, bool make) MUST_CHECK;
/* Before that: report changes to the other processes of this node. */
void db_announce(const struct conf *);
/* db_announce() in a program that runs all the time and shares db.connections. */
void db_share(const struct conf *);
void db_close(struct db *); /* NULL is allowed */
/* Set the key for columns with F_SEALED from the settings, before such a column is read
   or written.  A value sealed with another key is returned unopened and logged. */
void db_seal(struct db *, const struct conf *);
/*
 * Prepare statements before their first use; the list ends with a NULL name.
 * ERR_FAILED: the database has no such table or column, or the SQL is invalid.
 * ERR_REFUSED: a table of fields does not fit its statement.  Both are logged with the
 * name of the statement.
 */
enum err db_prepare(struct db *, const struct sql *) MUST_CHECK;
/* The text of a statement as the database receives it; NULL: it cannot be prepared. */
const char *db_text(struct db *, const struct sql *);
enum err db_script(struct db *, const char *) MUST_CHECK; /* schema, tests */

/* Scopes of transactions without an account. DB_ROWS: each statement is atomic by
   itself, others may run between two. DB_ALL: no other transaction runs, as for a
   change of the schema. */
#define DB_ROWS ""
#define DB_ALL NULL

/*
 * Take the write lock of a scope: the id of the account whose rows are read and
 * changed, the name of a thing that accounts share, or one of the above.  Transactions
 * of one scope run one at a time, and all of them where the database has one lock, as
 * SQLite. ERR_BUSY after busy_ms.
 */
enum err db_begin(struct db *, const char *scope) MUST_CHECK;
/* As db_begin(), without waiting: ERR_BUSY if another process has the lock. */
enum err db_try_begin(struct db *, const char *scope) MUST_CHECK;
/*
 * OK: the changes are durable.  Otherwise db_rollback() must follow.  ERR_FAILED may
 * also mean that the result is unknown because the connection was lost.  A database may
 * refuse to commit after one of the statements failed.
 */
enum err db_commit(struct db *) MUST_CHECK;
/*
 * Call a function by the next commit of a transaction that changed rows; its statements
 * belong to that transaction, and its error is the commit's.  NULL: no more.
 */
void db_on_commit(struct db *, enum err (*)(void *), void *arg);
void db_rollback(struct db *); /* no-op outside a transaction */
bool db_writing(struct db *);  /* inside a transaction */

/* The version of a row after a change.  A damaged row may have the last one: it stays.
 */
static inline int64_t
db_next_version(int64_t version)
{
	return version < INT64_MAX ? version + 1 : version;
}

/* Run a statement and ignore its rows; *changed (or NULL) is the number of changed
   rows. */
enum err db_exec(struct db *, const struct sql *, const struct val *, size_t,
    int64_t *changed) MUST_CHECK;
/* As db_exec(), but returns if_none when no row was changed. */
enum err db_change(struct db *, const struct sql *, const struct val *, size_t,
    enum err if_none) MUST_CHECK;

/* Like db_change(), but take the values of :names from the struct `from`. */
enum err db_save(struct db *, const struct sql *, const void *from, const struct val *,
    size_t, enum err if_none) MUST_CHECK;
/* Read one row into a struct, as the statement's `row` says; zeroes if there is none.
   ERR_NOT_FOUND: there is no row. */
enum err db_one(struct db *, const struct sql *, const struct val *, size_t,
    struct arena *, void *to) MUST_CHECK;
/* Read all rows as structs. */
enum err db_list(struct db *, const struct sql *, const struct val *, size_t,
    struct arena *, struct list *) MUST_CHECK;

struct stmt;
struct rows { /* a cursor, on the caller's stack */
	struct db *db;
	struct stmt *st;
	int n; /* rows seen so far */
	enum err err;
};

/* After every db_query() call db_done() or db_done_one() once. */
struct rows db_query(struct db *, const struct sql *, const struct val *, size_t);
bool db_next(struct rows *);
enum err db_done(struct rows *) MUST_CHECK;
enum err db_done_one(struct rows *) MUST_CHECK; /* ERR_NOT_FOUND: no row */

int64_t row_int(const struct rows *, int); /* NULL_INT for NULL */
double row_real(const struct rows *, int); /* NaN for NULL */
bool row_bool(const struct rows *, int);
const char *row_text(const struct rows *, int, struct arena *); /* NULL for NULL */
/* Fill the struct of the statement from the current row. */
void row_fill(const struct rows *, struct arena *, void *);

/* Read one number of one row, such as a count; 0 if there is no row. */
enum err db_number(
    struct db *, const struct sql *, const struct val *, size_t, int64_t *) MUST_CHECK;

/* Check that a statement finds a row.  ERR_NOT_FOUND: it finds none. */
enum err db_there(
    struct db *, const struct sql *, const struct val *, size_t) MUST_CHECK;

/* True if each statement goes to a server, so that polling has a price. */
bool db_is_server(const struct db *);
/*
 * Report that this process waits for work: its connection to a server is closed if
 * another process of the node needs its place, or if it has been idle for a while.  The
 * next statement connects again.
 */
void db_rest(struct db *, bool idle);
/*
 * A number that changes when another connection has changed the database.  Where the
 * database cannot tell changes of other nodes, it changes every_us at the latest.
 */
int64_t db_pulse(struct db *, int64_t every_us);
/*
 * Wait until db_pulse() differs from an earlier result, one of up to four descriptors
 * is readable, or until_us of monotonic_us().  True: it differs.  Changes by other
 * nodes, and by programs that are not ours, do not end the wait.
 */
bool db_await(struct db *, int64_t pulse, const int *fds, int n, int64_t until_us);
/*
 * The same for a loop of poll(2): a descriptor that becomes readable when another
 * process of this node has changed the database, and is until the next call.  -1: none,
 * so call db_pulse() now and then.
 */
int db_change_fd(struct db *);
/* Remove overwritten data from the files, unless a reader still needs it. */
enum err db_flush(struct db *) MUST_CHECK;
/* True if the database is a file, so that db_backup() and db_restore() copy it. */
bool db_is_file(const struct db *);
/* Write a consistent copy to a new file while other processes keep working. */
enum err db_backup(struct db *, const char *path) MUST_CHECK;

/* Replace the whole database by such a copy, in one step.  ERR_REFUSED: it is not a
   valid copy. */
enum err db_restore(struct db *, const char *path) MUST_CHECK;

/* The state of a database's file. */
struct db_file {
	bool is_file;      /* false: its server checks it; the rest is unset */
	bool wal;          /* readers and writer do not block each other */
	const char *fault; /* first error that SQLite finds, or NULL */
};

/* Check the file. It reads the whole file: some hundred megabytes take a second. */
enum err db_check_file(struct db *, struct arena *, struct db_file *) MUST_CHECK;

/*
 * Get each object of the schema as "type US name US table US sql", separated by RS, in
 * order; US and RS are the characters 31 and 30. ERR_UNSUPPORTED: not with this driver.
 */
enum err db_objects(struct db *, struct arena *, const char **) MUST_CHECK;

/* For tests: make the n-th statement from now on return this error; 0: no fault. */
void db_fault(struct db *, int n, enum err);
bool db_idle(struct db *);                /* true: no open cursor, no transaction */
int64_t db_busy_count(const struct db *); /* number of ERR_BUSY results */

#endif
