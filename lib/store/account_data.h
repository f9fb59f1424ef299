/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_ACCOUNT_DATA_H
#define STORE_ACCOUNT_DATA_H

#include "db/db.h"

/* The data of accounts, table by table.  A test fails when a table of the schema is
   missing here. */
enum account_how {
	ACCOUNT_ROWS, /* account_data_remove() deletes the rows in batches */
	/* service/account_delete.h deletes each object as its owner would */
	ACCOUNT_DROPS,
	/* deleted with a row of another table, or soon after by a worker */
	ACCOUNT_BEHIND,
	ACCOUNT_NONE, /* no data of accounts */
};
struct account_table {
	const char *name;
	enum account_how how;
	/*
	 * exported: the file of an export that contains the rows, with * for an id.
	 * NULL: no file contains them, and kept_back says why.
	 */
	const char *exported, *kept_back;
};
struct account_thing {
	const char *id;
	int64_t since_us;
};
extern const struct account_table account_tables[]; /* ends with a NULL name */
extern const struct sql account_data_sql[];

/* Mark an account as being deleted: its credentials no longer work.  ERR_NOT_FOUND:
   there is no such account, or it is being deleted already. */
enum err account_data_begin(struct db *, const char *account) MUST_CHECK;
/* Find the next account by id whose deletion was requested by before_us.
   ERR_NOT_FOUND: there is none. */
enum err account_data_next(struct db *, struct arena *, int64_t before_us,
    const char *after, struct account_thing *) MUST_CHECK;
/* Delete up to n rows from each table of ACCOUNT_ROWS; *removed is the total. */
enum err account_data_remove(
    struct db *, const char *account, int n, int64_t *removed) MUST_CHECK;
/* Mark up to n files of the account as gone; the janitor removes them. */
enum err account_data_files(struct db *, const char *account, int n) MUST_CHECK;
/* Delete the dead jobs of the account or, with all, every job. */
enum err account_data_jobs(struct db *, const char *account, bool all) MUST_CHECK;
/* List up to n events or webhooks of the account, as struct account_thing. */
enum err account_data_events(
    struct db *, struct arena *, const char *account, int n, struct list *) MUST_CHECK;
enum err account_data_webhooks(
    struct db *, struct arena *, const char *account, int n, struct list *) MUST_CHECK;
enum err account_data_drop_webhook(struct db *, const char *id) MUST_CHECK;
/* Look for data other than the account's own row.  ERR_NOT_FOUND: there is none. */
enum err account_data_left(struct db *, const char *account) MUST_CHECK;
enum err account_data_end(struct db *, const char *account) MUST_CHECK;

#endif
