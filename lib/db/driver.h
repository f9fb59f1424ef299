/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DB_DRIVER_H
#define DB_DRIVER_H

#include "db/db.h"

/* Binds a member of a struct to a column (from 0) or a parameter (from 1). */
struct binding {
	int n;
	enum field_type type;
	size_t at;
	bool sealed;
};

struct stmt {
	struct arena *mem; /* arena of the db, for data that must stay */
	const struct sql *def;
	const char *text; /* text in the database's dialect, with numbered parameters */
	int nargs;        /* number of $1 ... */
	struct binding *from; /* :names, numbered after the $n, each once */
	int nfrom;
	struct binding *row;
	int nrow;
	bool running;
	void *st; /* the driver's data */
};

/* The functions of a driver, for db.c. h is the driver's connection, st the driver's
   data of a statement. */
struct db_driver {
	const char *scheme; /* "sqlite:" */
	char mark;          /* written before a parameter's number */
	/* Translates a text from SQLite's dialect; NULL: not needed. */
	const char *(*translate)(struct arena *, const char *);
	enum err (*open)(void **h, const char *url, int busy_ms, bool make);
	void (*close)(void *h);           /* called after all statements were dropped */
	void (*rest)(void *h, bool idle); /* or NULL */
	/* Prepares the text and sets st; columns, if not NULL: their names as const
	   char *. */
	enum err (*prepare)(
	    void *h, struct stmt *, struct arena *, struct list *columns);
	void (*drop)(void *st); /* NULL: dropped with the connection */
	/* Bind and start; a[1] is the first parameter. */
	enum err (*start)(void *h, struct stmt *, const struct val *a, int n);
	bool (*step)(void *h, void *st, enum err *e); /* true: a row was read */
	void (*reset)(void *h, void *st);
	int64_t (*changed)(void *h, void *st); /* rows changed by the last run */
	int64_t (*get_int)(void *st, int);     /* NULL becomes NULL_INT, NaN or NULL */
	double (*get_real)(void *st, int);
	const char *(*get_text)(void *st, int, size_t *bytes);
	enum err (*script)(void *h, const char *);
	/* Leaves no open transaction if it fails. wait: wait for another writer. */
	enum err (*begin)(void *h, const char *scope, bool wait);
	enum err (*commit)(void *h);
	enum err (*rollback)(
	    void *h); /* after a failure while writing(), the process must end */
	bool (*writing)(void *h);
	int64_t (*pulse)(void *h, int64_t every_us);
	enum err (*backup)(void *h, const char *path);
	enum err (*restore)(void *h, const char *path);
	enum err (*flush)(void *h);                                   /* or NULL */
	enum err (*check)(void *h, struct arena *, struct db_file *); /* or NULL */
	enum err (*objects)(void *h, struct arena *, const char **);  /* or NULL */
};

extern const struct db_driver db_sqlite, db_pg;

#endif
