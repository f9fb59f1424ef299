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
 * The narrow waist between the program and its database.  Nothing above this
 * header knows which database is below it.  Parameters are written $1, $2, ...
 * and given all at once, typed, which is what both prepared-statement
 * interfaces want; or :name, and then come from a struct.
 */
struct db;

/*
 * A statement: immutable, known at compile time, prepared once per db.  Tables of
 * fields say what its columns are.  In the text stand for columns of `row`
 *	{*}        as a SELECT lists them; {e.*} as those of e
 * and for columns of `from`
 *	:kind      the value of one
 *	{names}    those that are written first (F_ADD), {values} their values
 *	{changes}  "kind = :kind, ...", those that change (F_PUT)
 */
struct sql {
	const char *name; /* "voice.get"; for logs */
	const char *text;
	const char *pg; /* for PostgreSQL where it must differ */
	const struct field *row;
	size_t size; /* of the struct that a row is laid over */
	const struct field *from;
};

#define ROWS_OF(fields, type) .row = (fields), .size = sizeof(type)

enum val_type { VAL_NULL, VAL_INT, VAL_REAL, VAL_TEXT };

struct val {
	enum val_type type;
	union {
		int64_t i;
		double r;
		const char *s; /* borrowed until db_done() */
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

/* Slot 0 is unused so that a[1] is $1. */
#define ARGS(...)                                                                      \
	((const struct val[]){ { 0 }, __VA_ARGS__ }),                                  \
	    (sizeof((const struct val[]){ { 0 }, __VA_ARGS__ }) / sizeof(struct val) - \
		1)

/*
 * Open "sqlite:PATH" or "postgresql://...".  busy_ms: how long to wait for
 * another writer.  make: create an SQLite file that is not there.
 */
enum err db_open(struct db **, const char *url, int busy_ms, bool make) MUST_CHECK;
void db_close(struct db *); /* NULL is fine */
/*
 * Take the key for columns with F_SEALED from the settings, before one is read or
 * written.  One that another key has sealed is read as it stands, which is logged.
 */
void db_seal(struct db *, const struct conf *);
/*
 * Prepare statements now rather than at first use, up to the one without a
 * name.  ERR_FAILED: the database knows no such table or column, or it is no SQL;
 * ERR_REFUSED: a table of fields does not fit its statement.  Both are logged with
 * the name of what is wrong.
 */
enum err db_prepare(struct db *, const struct sql *) MUST_CHECK;
/* A statement as the database gets it; NULL: it cannot be prepared. */
const char *db_text(struct db *, const struct sql *);
enum err db_script(struct db *, const char *) MUST_CHECK; /* schema, tests */

/* Take the write lock.  ERR_BUSY after busy_ms. */
enum err db_begin(struct db *) MUST_CHECK;
/* The same if it is free now; ERR_BUSY at once if it is not. */
enum err db_try_begin(struct db *) MUST_CHECK;
/*
 * OK: all of it is there to stay.  Else db_rollback() comes next; ERR_FAILED may
 * also mean that it is not known, as the connection was lost just then.  A database
 * may refuse to keep anything after one of the statements failed.
 */
enum err db_commit(struct db *) MUST_CHECK;
void db_rollback(struct db *); /* no-op outside a transaction */
bool db_writing(struct db *);  /* inside a transaction */

/* Run a statement whose rows do not matter; *changed (or NULL) counts rows. */
enum err db_exec(struct db *, const struct sql *, const struct val *, size_t,
    int64_t *changed) MUST_CHECK;
/* The same, but changing no row at all is the error given. */
enum err db_change(struct db *, const struct sql *, const struct val *, size_t,
    enum err if_none) MUST_CHECK;

/* The same, with the statement's :names from a struct. */
enum err db_save(struct db *, const struct sql *, const void *from, const struct val *,
    size_t, enum err if_none) MUST_CHECK;
/* The one row of a statement as its `row` says, else zeroes.  ERR_NOT_FOUND: none. */
enum err db_one(struct db *, const struct sql *, const struct val *, size_t,
    struct arena *, void *to) MUST_CHECK;
/* All of its rows, as structs. */
enum err db_list(struct db *, const struct sql *, const struct val *, size_t,
    struct arena *, struct list *) MUST_CHECK;

struct stmt;
struct rows { /* a cursor; lives on the caller's stack */
	struct db *db;
	struct stmt *st;
	int n; /* rows seen so far */
	enum err err;
};

/* Every db_query() is followed by one db_done() or db_done_one(). */
struct rows db_query(struct db *, const struct sql *, const struct val *, size_t);
bool db_next(struct rows *);
enum err db_done(struct rows *) MUST_CHECK;
enum err db_done_one(struct rows *) MUST_CHECK; /* ERR_NOT_FOUND if no row */

int64_t row_int(const struct rows *, int); /* NULL_INT for NULL */
double row_real(const struct rows *, int); /* NaN for NULL */
bool row_bool(const struct rows *, int);
const char *row_text(const struct rows *, int, struct arena *); /* NULL for NULL */
/* Lay a row over the struct of its statement. */
void row_fill(const struct rows *, struct arena *, void *);

/* One number of one row, such as a count; 0 where there is none. */
enum err db_number(
    struct db *, const struct sql *, const struct val *, size_t, int64_t *) MUST_CHECK;

/* Whether a statement finds a row; ERR_NOT_FOUND: none. */
enum err db_there(
    struct db *, const struct sql *, const struct val *, size_t) MUST_CHECK;

/* A number that changes when another connection has changed the database. */
int64_t db_pulse(struct db *);
/* No file keeps what was overwritten before, if no reader needs it. */
enum err db_flush(struct db *) MUST_CHECK;
/* Write a consistent copy to a new file while others go on working. */
enum err db_backup(struct db *, const char *path) MUST_CHECK;

/* Put such a copy in the place of everything, in one step; ERR_REFUSED: it is none. */
enum err db_restore(struct db *, const char *path) MUST_CHECK;

/* How the file of a database is. */
struct db_file {
	bool is_file; /* if not, its server looks after it, and the rest is nothing */
	bool wal;     /* readers and the writer do not wait for each other */
	const char *fault; /* the first that SQLite finds in it; NULL: nothing */
};

/* Reads all of the file, which takes a second for some hundred megabytes. */
enum err db_look(struct db *, struct arena *, struct db_file *) MUST_CHECK;

/*
 * Each object of the schema as "type US name US table US sql", RS between them, in
 * order; US, RS: the characters 31, 30.  ERR_UNSUPPORTED: the driver cannot tell.
 */
enum err db_objects(struct db *, struct arena *, const char **) MUST_CHECK;

/* For tests: the n-th statement from now answers this error; 0: none. */
void db_fault(struct db *, int n, enum err);
bool db_idle(struct db *);                /* no cursor open, no transaction */
int64_t db_busy_count(const struct db *); /* times ERR_BUSY was answered */

#endif
