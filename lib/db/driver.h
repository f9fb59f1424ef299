#ifndef DB_DRIVER_H
#define DB_DRIVER_H

#include "db/db.h"

/*
 * What a database has to offer to db.c.  h is the driver's connection, st one
 * of its prepared statements while it runs.
 */
struct db_driver {
	const char *scheme; /* "sqlite:" */
	enum err (*open)(void **h, const char *url, int busy_ms, bool make);
	void (*close)(void *h);
	enum err (*prepare)(void *h, const struct sql *);
	/* Bind and start; NULL and *e on failure. */
	void *(*start)(
	    void *h, const struct sql *, const struct val *, size_t, enum err *e);
	bool (*step)(void *h, void *st, enum err *e); /* true: there is a row */
	void (*reset)(void *h, void *st);
	int64_t (*changed)(void *h, void *st); /* rows, by the statement just run */
	int64_t (*get_int)(void *st, int);
	double (*get_real)(void *st, int);
	bool (*is_null)(void *st, int);
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
};

extern const struct db_driver db_sqlite, db_pg;

#endif
