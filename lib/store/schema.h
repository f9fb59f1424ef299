/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "db/db.h"

/* The numbered files of schema/, and the version of a database.  Each file is applied
   in a transaction together with the row that records it. */
#define SCHEMA_VERSION 42 /* the version this program needs */

extern const struct sql schema_sql[], sealed_sql[], holdings_sql[];

/* Read the last version applied; 0: none.  ERR_FAILED: not a database of Dragoman. */
enum err schema_version(struct db *, int64_t *) MUST_CHECK;
/* As schema_version(). ERR_REFUSED, and logged: the database belongs to a newer
   program. */
enum err schema_known(struct db *, int64_t *) MUST_CHECK;
/* Compare the version with this program's: < 0: it must be migrated; > 0: it is too new
   for this program; 0: the program may run over it. */
enum err schema_judge(struct db *, int64_t *version, int *how) MUST_CHECK;
/* Read the clock of the database's host, in microseconds since 1970. */
enum err schema_clock(struct db *, int64_t *us) MUST_CHECK;
/* Read how many connections the server allows to programs; 0: any number. */
enum err schema_connections(struct db *, int64_t *n) MUST_CHECK;
/*
 * Apply the missing versions; *applied is their number. dir: the folder of the files.
 * Several processes may call this at once.  ERR_REFUSED: the database belongs to a
 * newer program.
 */
enum err schema_migrate(
    struct db *, struct arena *, const char *dir, int *applied) MUST_CHECK;

/*
 * Compare the tables, indexes, triggers and views of a database with those that the
 * files up to its version create.  ERR_REFUSED, and logged: an object is missing, added
 * or different.
 */
enum err schema_same(
    struct db *, struct arena *, const char *dir, int64_t version) MUST_CHECK;

/* Nouns: holdings. */

/* Numbers that help an operator to recognize a database. */
struct holdings {
	int64_t accounts, events, files;
};

/* A table that this database's version does not have counts as 0. */
void holdings_count(struct db *, struct holdings *);

#endif
