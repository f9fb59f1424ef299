/*
 * dragoman: what the operator does by hand.  A command is a row of the table at
 * the end; every one knows --help, and --json for machines.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/token.h"
#include "blob/blob.h"
#include "service/builtin.h"
#include "service/issue.h"
#include "store/accounts.h"
#include "store/blobs.h"
#include "store/ledger.h"
#include "store/schema.h"
#include "work/queue.h"

#define OPTIONS 24

/* One call of the command line. */
struct cli {
	struct arena *mem;
	struct conf conf;
	struct db *db;
	bool json;
	const char *arg; /* what is not an option, or NULL */
	struct {
		const char *name, *value;
	} options[OPTIONS];
	int noptions;
};

struct command {
	const char *name; /* "account add" */
	const char *args;
	const char *does;
	int (*run)(struct cli *);
	enum { NO_DB, DB, NEW_DB } wants;
};

static int
fail(const char *what, enum err e)
{
	fprintf(stderr, "dragoman: %s: %s\n", what, err_name(e));
	return EXIT_FAILURE;
}

static int
usage(const char *what)
{
	fprintf(stderr, "dragoman: %s\n", what);
	return 2;
}

static const char *
option(const struct cli *c, const char *name)
{
	for (int i = 0; i < c->noptions; i++)
		if (strcmp(c->options[i].name, name) == 0)
			return c->options[i].value;
	return NULL;
}

/* A record for machines, or as "name: value" lines. */
static void
show(struct cli *c, const struct field *f, const void *thing)
{
	struct buf b = { .mem = c->mem };
	struct jw j = { .out = &b };
	const struct json *v, *kid;
	const char *why;

	field_write(&j, NULL, f, thing);
	if (c->json) {
		puts(buf_text(&b));
		return;
	}
	v = json_read(c->mem, b.p, b.len, &why);
	for (kid = v != NULL ? v->kids : NULL; kid != NULL; kid = kid->next)
		printf("%-14s %s\n", kid->key,
		    kid->type == JSON_TEXT ? kid->u.s : json_text(c->mem, kid));
}

static void
show_list(struct cli *c, const struct field *f, const struct list *l, size_t size)
{
	struct buf b = { .mem = c->mem };
	struct jw j = { .out = &b };

	if (c->json) {
		jw_list(&j, NULL);
		for (size_t i = 0; i < l->n; i++)
			field_write(&j, NULL, f, (const char *)l->items + i * size);
		jw_close(&j);
		puts(buf_text(&b));
		return;
	}
	for (size_t i = 0; i < l->n; i++) {
		show(c, f, (const char *)l->items + i * size);
		putchar('\n');
	}
}

/* ---- credentials ---- */

static struct issue_want
wanted(const struct cli *c)
{
	return (struct issue_want){ option(c, "scopes"), option(c, "label") };
}

static int
key_add(struct cli *c)
{
	struct issue_want want = wanted(c);
	struct issued is = { 0 };
	struct account a;
	enum err e;

	if (c->arg == NULL)
		return usage("key add needs the user_id");
	if ((e = db_begin(c->db)) != OK ||
	    (e = account_get(c->db, c->mem, c->arg, &a)) != OK ||
	    (e = issue_credentials(c->db, c->mem, a.id, &want, &is)) != OK ||
	    (e = db_commit(c->db)) != OK)
		return fail(c->arg, e);
	show(c, issued_fields, &is);
	return EXIT_SUCCESS;
}

static int
key_list(struct cli *c)
{
	struct list l;
	enum err e;

	if (c->arg == NULL)
		return usage("key list needs the user_id");
	if ((e = credential_list(c->db, c->mem, c->arg, &l)) != OK)
		return fail(c->arg, e);
	show_list(c, credential_fields, &l, sizeof(struct credential));
	return EXIT_SUCCESS;
}

static int
key_revoke(struct cli *c)
{
	enum err e;

	if (c->arg == NULL)
		return usage("key revoke needs the id that key list shows");
	if ((e = credential_revoke(c->db, c->arg)) != OK)
		return fail(c->arg, e);
	return EXIT_SUCCESS;
}

static int
token(struct cli *c)
{
	const char *scope = option(c, "scopes"), *ttl = option(c, "ttl");
	struct api_token t = { c->arg, scope != NULL ? scope : "*" };
	long ttl_s = ttl != NULL ? strtol(ttl, NULL, 10) : 3600;
	struct account a;
	enum err e;

	if (c->arg == NULL || ttl_s < 1 || ttl_s > 86400)
		return usage("token needs the user_id, and --ttl 1 to 86400");
	if ((e = account_get(c->db, c->mem, c->arg, &a)) != OK)
		return fail(c->arg, e);
	puts(token_make(
	    c->mem, c->conf.token_secrets, c->conf.token_issuer, now_us(), ttl_s, &t));
	return EXIT_SUCCESS;
}

/* ---- accounts ---- */

static int
account_new(struct cli *c)
{
	const char *name = option(c, "name");
	struct issue_want want = wanted(c);
	struct issued is;
	enum err e;

	if (name == NULL)
		return usage("account add needs --name");
	if ((e = db_begin(c->db)) != OK ||
	    (e = issue_account(c->db, c->mem, &c->conf, name, &want, &is)) != OK ||
	    (e = db_commit(c->db)) != OK)
		return fail("account add", e);
	show(c, issued_fields, &is);
	return EXIT_SUCCESS;
}

static int
account_show(struct cli *c)
{
	struct list l;
	enum err e;

	if ((e = account_list(c->db, c->mem, &l)) != OK)
		return fail("account list", e);
	show_list(c, account_fields, &l, sizeof(struct account));
	return EXIT_SUCCESS;
}

/* Each option but --json names a plan value; "default" takes the setting's. */
static int
account_plan(struct cli *c)
{
	const struct field *plan = account_fields;
	struct account a;
	enum err e;

	if (c->arg == NULL)
		return usage("account plan needs the user_id");
	if ((e = account_get(c->db, c->mem, c->arg, &a)) != OK)
		return fail(c->arg, e);
	while (plan->type != F_OBJ)
		plan++;
	for (int i = 0; i < c->noptions; i++) {
		const struct field *f = plan->of;

		while (f->name != NULL && strcmp(f->name, c->options[i].name) != 0)
			f++;
		if (f->name == NULL)
			return usage("account plan: there is no such plan value");
		*(int64_t *)((char *)&a.plan + f->at) =
		    strcmp(c->options[i].value, "default") == 0
			? NULL_INT
			: strtoll(c->options[i].value, NULL, 10);
	}
	if ((e = account_put(c->db, &a)) != OK)
		return fail(c->arg, e);
	show(c, account_fields, &a);
	return EXIT_SUCCESS;
}

static int
account_credit(struct cli *c)
{
	const char *amount = option(c, "credits"), *reference = option(c, "reference");
	double credits = amount != NULL ? strtod(amount, NULL) : 0;
	int64_t micro;
	enum err e;

	if (c->arg == NULL || credits == 0)
		return usage("account credit needs the user_id and --credits");
	if (reference == NULL)
		reference = arena_printf(c->mem, "hand:%s", id_new(c->mem));
	if ((e = db_begin(c->db)) != OK ||
	    (e = ledger_add(c->db, c->mem, c->arg, credits < 0 ? "correction" : "grant",
		 llround(credits * 1e6), reference)) != OK ||
	    (e = ledger_balance(c->db, c->arg, &micro)) != OK ||
	    (e = db_commit(c->db)) != OK)
		return fail(c->arg, e);
	printf(
	    c->json ? "{\"credits\":%.4f}\n" : "credits %.4f\n", (double)micro / 1e6);
	return EXIT_SUCCESS;
}

static int
account_suspend(struct cli *c)
{
	const char *status = option(c, "lift") != NULL ? "active" : "suspended";
	enum err e;

	if (c->arg == NULL)
		return usage("account suspend needs the user_id");
	if ((e = account_set_status(c->db, c->arg, status)) != OK)
		return fail(c->arg, e);
	return EXIT_SUCCESS;
}

/* ---- the installation ---- */

static int
migrate(struct cli *c)
{
	const char *dir = arena_printf(c->mem, "%s/schema", c->conf.share_dir);
	int applied;
	enum err e;

	if ((e = schema_migrate(c->db, c->mem, dir, &applied)) != OK)
		return fail("migrate", e);
	printf(c->json ? "{\"applied\":%d,\"version\":%d}\n"
		       : "%d applied, the schema is at version %d\n",
	    applied, SCHEMA_VERSION);
	return EXIT_SUCCESS;
}

static int
builtin(struct cli *c)
{
	struct builtin_report r;
	enum err e;

	if ((e = builtin_install(c->db, c->mem, &c->conf, &r)) != OK)
		return fail("builtin", e);
	printf(c->json ? "{\"made\":%d,\"there\":%d,\"silent\":%d}\n"
		       : "%d voices made, %d were there, %d without a sample\n",
	    r.made, r.there, r.silent);
	return EXIT_SUCCESS;
}

static int
backup(struct cli *c)
{
	enum err e;

	if (c->arg == NULL)
		return usage("backup needs a file");
	umask(077);
	if ((e = db_backup(c->db, c->arg)) != OK)
		return fail(c->arg, e);
	return EXIT_SUCCESS;
}

static int
restore(struct cli *c)
{
	enum err e;

	if (c->arg == NULL)
		return usage("restore needs a file that backup made");
	if ((e = db_restore(c->db, c->arg)) != OK)
		return fail(c->arg, e);
	return migrate(c);
}

struct status {
	int64_t schema, stored_bytes;
	struct list workers, queues, dead;
};

#define AT(m) offsetof(struct status, m)

/* clang-format off */
static const struct field	 status_fields[] = {
	{ "schema_version", F_INT,  AT(schema),       .flags = F_OUT },
	{ "stored_bytes",   F_INT,  AT(stored_bytes), .flags = F_OUT },
	{ "workers", F_LIST, AT(workers), .flags = F_OUT, .of = worker_fields,
	             .size = sizeof(struct worker_row) },
	{ "queues",  F_LIST, AT(queues),  .flags = F_OUT, .of = queue_fields,
	             .size = sizeof(struct queue_row) },
	{ "dead_jobs", F_LIST, AT(dead),  .flags = F_OUT, .of = dead_fields,
	             .size = sizeof(struct dead_row) },
	FIELDS_END,
};
/* clang-format on */

static int
status(struct cli *c)
{
	struct status s;
	enum err e;

	if ((e = schema_version(c->db, &s.schema)) != OK ||
	    (e = blob_total(c->db, &s.stored_bytes)) != OK ||
	    (e = worker_list(c->db, c->mem, &s.workers)) != OK ||
	    (e = queue_counts(c->db, c->mem, &s.queues)) != OK ||
	    (e = queue_deads(c->db, c->mem, &s.dead)) != OK)
		return fail("status", e);
	show(c, status_fields, &s);
	return EXIT_SUCCESS;
}

static int
config(struct cli *c)
{
	conf_print(&c->conf, stdout);
	return EXIT_SUCCESS;
}

/* clang-format off */
static const struct command	 commands[] = {
	{ "account add",     "--name NAME [--scopes LIST]", "make an account; its credentials are shown once", account_new, DB },
	{ "account list",    "", "all accounts", account_show, DB },
	{ "account plan",    "USER_ID [--VALUE N|default ...]", "show or set plan values; 0: no limit", account_plan, DB },
	{ "account credit",  "USER_ID --credits N [--reference TEXT]", "grant credits, or take them", account_credit, DB },
	{ "account suspend", "USER_ID [--lift yes]", "make its credentials unknown, or known again", account_suspend, DB },
	{ "key add",         "USER_ID [--scopes LIST] [--label TEXT]", "another API key and client pair", key_add, DB },
	{ "key list",        "USER_ID", "its credentials, without their secrets", key_list, DB },
	{ "key revoke",      "ID", "make a credential unknown", key_revoke, DB },
	{ "token",           "USER_ID [--scopes LIST] [--ttl SECONDS]", "an API token (JWT)", token, DB },
	{ "migrate",         "", "make the database, or bring it up to date", migrate, NEW_DB },
	{ "builtin",         "", "make the built-in voices and their samples", builtin, DB },
	{ "backup",          "FILE", "copy the database while it is in use", backup, DB },
	{ "restore",         "FILE", "put a copy in the database's place", restore, NEW_DB },
	{ "status",          "", "schema, workers, queues and dead jobs", status, DB },
	{ "config",          "", "the settings in force, as dragoman.conf", config, NO_DB },
	{ NULL },
};
/* clang-format on */

static int
help(const char *stem)
{
	puts("usage: dragoman COMMAND [ARGUMENTS] [--json]\n");
	for (const struct command *cmd = commands; cmd->name != NULL; cmd++)
		if (strncmp(cmd->name, stem, strlen(stem)) == 0)
			printf("  %s %s\n      %s\n", cmd->name, cmd->args, cmd->does);
	return EXIT_SUCCESS;
}

/* How many words of the command line are this command's name; 0: none. */
static int
named(const char *name, int argc, char **argv)
{
	size_t n = strcspn(name, " ");

	if (argc < 2 || strlen(argv[1]) != n || strncmp(argv[1], name, n) != 0)
		return 0;
	if (name[n] == '\0')
		return 1;
	return argc > 2 && strcmp(argv[2], name + n + 1) == 0 ? 2 : 0;
}

/* False: something is wrong with them. */
static bool
read_arguments(struct cli *c, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "--json") == 0)
			c->json = true;
		else if (strncmp(argv[i], "--", 2) != 0 && c->arg == NULL)
			c->arg = argv[i];
		else if (strncmp(argv[i], "--", 2) == 0 && i + 1 < argc &&
			 c->noptions < OPTIONS) {
			c->options[c->noptions].name = argv[i] + 2;
			c->options[c->noptions++].value = argv[i + 1];
			i++;
		} else
			return false;
	return true;
}

static bool
asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0)
			return true;
	return argc < 2;
}

static int
run(const struct command *cmd, struct cli *c)
{
	int end = EXIT_FAILURE;
	enum err e;

	if (conf_read(c->mem, &c->conf) != OK)
		return EXIT_FAILURE;
	if (cmd->wants != NO_DB &&
	    (e = db_open(&c->db, c->conf.db_url, (int)c->conf.db_busy_ms,
		 cmd->wants == NEW_DB)) != OK)
		return fail("the database cannot be opened", e);
	end = cmd->run(c);
	if (c->db != NULL)
		db_rollback(c->db);
	db_close(c->db);
	return end;
}

int
main(int argc, char **argv)
{
	struct cli c = { .mem = arena_new() };
	int end, words;

	if (asks_for_help(argc, argv))
		return help(argc > 1 && argv[1][0] != '-' ? argv[1] : "");
	for (const struct command *cmd = commands; cmd->name != NULL; cmd++) {
		if ((words = named(cmd->name, argc, argv)) == 0)
			continue;
		end = read_arguments(&c, argc - 1 - words, argv + 1 + words)
			  ? run(cmd, &c)
			  : usage(cmd->args);
		arena_free(c.mem);
		return end;
	}
	return usage("there is no such command; see dragoman --help");
}
