#ifndef DB_DIALECT_H
#define DB_DIALECT_H

#include "base/arena.h"
#include "db/db.h"

/* What is written for SQLite, as PostgreSQL wants it. */

/* A statement or script with the types of the other dialect, in the arena. */
const char *dialect_pg(struct arena *, const char *);

struct texts {
	char room[ARGS_MAX + 1][32];
	const char *v[ARGS_MAX + 1]; /* v[1] is $1; NULL is SQL NULL */
};

/* Parameters as texts; such as were texts are borrowed. */
void texts_of(struct texts *, const struct val *, size_t);

/* What an SQLSTATE, or NULL, comes to; *usual: not worth a log line. */
enum err dialect_err(const char *state, bool *usual);

#endif
