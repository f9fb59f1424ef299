#ifndef DB_DRIVER_H
#define DB_DRIVER_H

#include "db/db.h"

/* Where a member of a struct is, and its column (from 0) or parameter (from 1). */
struct binding {
	int n;
	enum field_type type;
	size_t at;
	bool sealed;
};

struct stmt {
	struct arena *mem; /* the db's; it grows only by what is kept */
	const struct sql *def;
	const char *text;     /* in the database's own words; parameters are numbers */
	int nargs;            /* $1 and so on, */
	struct binding *from; /* and behind them :names, each once */
	int nfrom;
	struct binding *row;
	int nrow;
	bool running;
	void *st; /* the driver's */
};

/*
 * What a database has to offer to db.c.  h is the driver's connection, st what it
 * made of a statement.
 */
struct db_driver {
	const char *scheme; /* "sqlite:" */
	char mark;          /* in front of a parameter's number */
	/* A text in SQLite's words in its own; NULL: they are its own. */
	const char *(*translate)(struct arena *, const char *);
	enum err (*open)(void **h, const char *url, int busy_ms, bool make);
	void (*close)(void *h); /* when all statements are dropped */
	/* Makes st of the text; columns: their names, const char *, if not NULL. */
	enum err (*prepare)(
	    void *h, struct stmt *, struct arena *, struct list *columns);
	void (*drop)(void *st); /* NULL: they go with the connection */
	/* Bind and start. a[1] is the first. */
	enum err (*start)(void *h, struct stmt *, const struct val *a, int n);
	bool (*step)(void *h, void *st, enum err *e); /* true: there is a row */
	void (*reset)(void *h, void *st);
	int64_t (*changed)(void *h, void *st); /* rows, by the statement just run */
	int64_t (*get_int)(void *st, int);     /* of NULL: NULL_INT, NaN, NULL */
	double (*get_real)(void *st, int);
	const char *(*get_text)(void *st, int, size_t *bytes);
	enum err (*script)(void *h, const char *);
	/* Leaves no transaction behind if it fails; wait: for another writer. */
	enum err (*begin)(void *h, bool wait);
	enum err (*commit)(void *h);
	enum err (*rollback)(void *h); /* failed and still writing(): no way out */
	bool (*writing)(void *h);
	int64_t (*pulse)(void *h);
	enum err (*backup)(void *h, const char *path);
	enum err (*restore)(void *h, const char *path);
	enum err (*flush)(void *h);                                  /* or NULL */
	enum err (*look)(void *h, struct arena *, struct db_file *); /* or NULL */
	enum err (*objects)(void *h, struct arena *, const char **); /* or NULL */
};

extern const struct db_driver db_sqlite, db_pg;

#endif
