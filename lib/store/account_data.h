#ifndef STORE_ACCOUNT_DATA_H
#define STORE_ACCOUNT_DATA_H

#include "db/db.h"

/*
 * Where accounts have data, table by table: every table of the schema is named here,
 * or a test fails.
 */
enum account_how {
	ACCOUNT_ROWS,   /* removed here, some at a time */
	ACCOUNT_DROPS,  /* by what deletes such a thing for its owner;
			   service/account_delete.h */
	ACCOUNT_BEHIND, /* goes with another table's row, or by a worker soon after */
	ACCOUNT_NONE,   /* of no account */
};
struct account_table {
	const char *name;
	enum account_how how;
	/* The file of an export that has its rows, * standing for an id; NULL: none
	   has, and why not. */
	const char *exported, *kept_back;
};
struct account_thing {
	const char *id;
	int64_t since_us;
};
extern const struct account_table account_tables[]; /* up to one without a name */
extern const struct sql account_data_sql[];

/* Its credentials are unknown from now on.  ERR_NOT_FOUND: there is no such account. */
enum err account_data_begin(struct db *, const char *account) MUST_CHECK;
/* One whose deletion was asked for before then, after this id; ERR_NOT_FOUND: none. */
enum err account_data_next(struct db *, struct arena *, int64_t before_us,
    const char *after, struct account_thing *) MUST_CHECK;
/* Up to n rows of each table of ACCOUNT_ROWS; *removed counts all. */
enum err account_data_remove(
    struct db *, const char *account, int n, int64_t *removed) MUST_CHECK;
/* Files of it are no more its owner's: the janitor removes them.  Up to n. */
enum err account_data_files(struct db *, const char *account, int n) MUST_CHECK;
/* Its jobs that are dead or, if all, every one. */
enum err account_data_jobs(struct db *, const char *account, bool all) MUST_CHECK;
/* Up to n of its events, or of its webhooks: a list of struct account_thing. */
enum err account_data_events(
    struct db *, struct arena *, const char *account, int n, struct list *) MUST_CHECK;
enum err account_data_webhooks(
    struct db *, struct arena *, const char *account, int n, struct list *) MUST_CHECK;
enum err account_data_drop_webhook(struct db *, const char *id) MUST_CHECK;
/* Whether anything but the account's own row is left; OK: there is, ERR_NOT_FOUND. */
enum err account_data_left(struct db *, const char *account) MUST_CHECK;
enum err account_data_end(struct db *, const char *account) MUST_CHECK;

#endif
