#ifndef SERVICE_CLI_H
#define SERVICE_CLI_H

#include "base/conf.h"
#include "db/db.h"

#define CLI_OPTIONS 24

/* One call of the operator's command line. */
struct cli {
	struct arena *mem;
	struct conf conf;
	struct db *db; /* what a command leaves open of a transaction is undone */
	bool json;
	bool yes;        /* the caller agreed to replace the data */
	const char *arg; /* what is not an option, or NULL */
	const char *to;  /* the second such, of commands whose usage has one, or NULL */
	struct {
		const char *name, *value;
	} options[CLI_OPTIONS];
	int noptions;
};

struct command {
	const char *name; /* "account add" */
	const char *args;
	const char *does;
	int (*run)(struct cli *); /* its answer is the program's */
	enum { NO_CONF, NO_DB, DB, NEW_DB } wants;
};

/* The value of --name, or NULL. */
const char *cli_option(const struct cli *, const char *name);
/* Say what went wrong, and answer what the program then does. */
int cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int cli_fail(const char *what, enum err); /* "what: not found" */
int cli_usage(const char *what);          /* the call itself is wrong: 2 */

/*
 * Whether the user is that of the programs, whose files state.dir and all in it are; if
 * not, it is said.  For commands that run programs, or look at what they may.
 */
bool cli_is_their_user(const struct cli *, const char *command);

/* A record for machines, or as "name value" lines. */
void cli_show(const struct cli *, const struct field *, const void *);
void cli_show_list(
    const struct cli *, const struct field *, const struct list *, size_t size);

/* The whole of main(); the table ends with a command without a name. */
int cli_main(const struct command *, int argc, char **argv);

#endif
