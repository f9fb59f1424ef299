/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CLI_H
#define SERVICE_CLI_H

#include "base/conf.h"
#include "db/db.h"

#define CLI_OPTIONS 24
#define CLI_NAMES 64

/* One call of the operator's command line. */
struct cli {
	struct arena *mem;
	struct conf conf;
	struct db *db; /* a transaction that a command leaves open is rolled back */
	bool json;
	bool yes;        /* the caller agreed to replace the data */
	const char *arg; /* the first argument that is not an option, or NULL */
	const char *to;  /* the second one, for commands whose usage has two, or NULL */
	const char *names[CLI_NAMES]; /* all names, if the usage has "NAME..." */
	int nnames;
	struct {
		const char *name, *value;
	} options[CLI_OPTIONS];
	int noptions;
};

struct command {
	const char *name; /* "account add" */
	const char *args;
	const char *does;
	int (*run)(struct cli *); /* returns the exit status */
	enum { NO_CONF, NO_DB, DB, NEW_DB } wants;
};

/* The value of --name, or NULL. */
const char *cli_option(const struct cli *, const char *name);
/* Print an error and return the exit status. */
int cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int cli_fail(const char *what, enum err); /* prints "what: not found" or the like */
int cli_usage(const char *what);          /* wrong usage: exit status 2 */

/*
 * True if this process runs as the owner of state.dir, the user of the programs;
 * otherwise prints an error. For commands that run programs or check their permissions.
 */
bool cli_is_their_user(const struct cli *, const char *command);

/* Print a record as JSON, or as "name value" lines. */
void cli_show(const struct cli *, const struct field *, const void *);
void cli_show_list(
    const struct cli *, const struct field *, const struct list *, size_t size);

/* The whole of main(); the table ends with a command without a name. */
int cli_main(const struct command *, int argc, char **argv);

#endif
