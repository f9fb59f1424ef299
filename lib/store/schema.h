#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "db/db.h"

/*
 * The numbered files of schema/ and which of them a database has.  Each is
 * applied in a transaction of its own, together with the note that it was.
 */
#define SCHEMA_VERSION 26 /* what this program needs */

extern const struct sql schema_sql[], sealed_sql[];

/* The newest one applied; 0: none; ERR_FAILED: not a database of ours. */
enum err schema_version(struct db *, int64_t *) MUST_CHECK;
/* The same; ERR_REFUSED, and logged: it is of a newer program. */
enum err schema_known(struct db *, int64_t *) MUST_CHECK;
/* What the clock of the database's host says, in microseconds since 1970. */
enum err schema_clock(struct db *, int64_t *us) MUST_CHECK;
/*
 * Apply what is missing; *applied counts.  dir: where the files are.  Several may
 * do so at once.  ERR_REFUSED: the database is of a newer program.
 */
enum err schema_migrate(
    struct db *, struct arena *, const char *dir, int *applied) MUST_CHECK;

/*
 * Compare the schema of a database with the one that our files of its version make,
 * object by object: tables, indexes, triggers, views.  ERR_REFUSED, and logged: there
 * is another one, or it differs.
 */
enum err schema_same(
    struct db *, struct arena *, const char *dir, int64_t version) MUST_CHECK;

/* Nouns: holdings. */

/* Numbers by which a person recognizes a database. */
struct holdings {
	int64_t accounts, events, files;
};

/* A table that the version of this database does not have counts 0. */
void holdings_count(struct db *, struct holdings *);

#endif
