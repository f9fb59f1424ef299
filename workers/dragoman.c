/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operator's command line. Each command, a row of the table at the end, has
   --help and --json. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/text.h"
#include "base/token.h"
#include "doctor/doctor.h"
#include "service/account_export.h"
#include "service/cli.h"
#include "service/cli_engines.h"
#include "service/cli_init.h"
#include "service/cli_installation.h"
#include "service/cli_listen.h"
#include "service/cli_models.h"
#include "service/cli_node.h"
#include "service/credential_issue.h"
#include "service/webhook_records.h"
#include "service/workers.h"
#include "speech/engine.h"
#include "store/account_data.h"
#include "store/accounts.h"
#include "store/credentials.h"
#include "store/ledger.h"
#include "web/ratelimit.h"

/* ---- credentials ---- */

static struct issue_want
wanted(const struct cli *c)
{
	return (struct issue_want){ cli_option(c, "scopes"), cli_option(c, "label") };
}

/* False, with an error printed, if --scopes names an unknown scope. */
static bool
scopes_good(const struct cli *c)
{
	const char *list = cli_option(c, "scopes"), *wrong;
	struct buf known = { .mem = c->mem };

	if (list == NULL || (wrong = scope_unknown(c->mem, list)) == NULL)
		return true;
	for (int i = 0; known_scopes[i] != NULL; i++)
		buf_printf(&known, " %s", known_scopes[i]);
	cli_usage(arena_printf(
	    c->mem, "there is no scope %s; known:%s", wrong, buf_text(&known)));
	return false;
}

static int
key_add(struct cli *c)
{
	struct issue_want want = wanted(c);
	struct issued is = { 0 };
	struct account a;
	enum err e;

	if (c->arg == NULL)
		return cli_usage("key add needs the user_id");
	if (!scopes_good(c))
		return 2;
	if ((e = db_begin(c->db, c->arg)) != OK ||
	    (e = account_get(c->db, c->mem, c->arg, &a)) != OK ||
	    (e = credential_issue_credentials(c->db, c->mem, a.id, &want, &is)) != OK ||
	    (e = db_commit(c->db)) != OK)
		return cli_fail(c->arg, e);
	cli_show(c, issued_fields, &is);
	return EXIT_SUCCESS;
}

static int
key_list(struct cli *c)
{
	struct list l;
	enum err e;

	if (c->arg == NULL)
		return cli_usage("key list needs the user_id");
	if ((e = credential_list(c->db, c->mem, c->arg, &l)) != OK)
		return cli_fail(c->arg, e);
	cli_show_list(c, credential_fields, &l, sizeof(struct credential));
	return EXIT_SUCCESS;
}

static int
caller_changed(const struct cli *c, enum err e)
{
	if (e == OK)
		limits_forget_callers(c->conf.state_dir);
	return e == OK ? EXIT_SUCCESS : cli_fail(c->arg, e);
}

static int
key_revoke(struct cli *c)
{
	if (c->arg == NULL)
		return cli_usage("key revoke needs the id that key list shows");
	return caller_changed(c, credential_revoke(c->db, c->arg));
}

static int
token(struct cli *c)
{
	const char *scope = cli_option(c, "scopes"), *ttl = cli_option(c, "ttl");
	struct api_token t = { c->arg, scope != NULL ? scope : "*" };
	long ttl_s = ttl != NULL ? strtol(ttl, NULL, 10) : 3600;
	struct account a;
	enum err e;

	if (c->arg == NULL || ttl_s < 1 || ttl_s > 86400)
		return cli_usage("token needs the user_id, and --ttl 1 to 86400");
	if (!scopes_good(c))
		return 2;
	if ((e = account_get(c->db, c->mem, c->arg, &a)) != OK)
		return cli_fail(c->arg, e);
	puts(token_make(
	    c->mem, c->conf.token_secrets, c->conf.token_issuer, now_us(), ttl_s, &t));
	return EXIT_SUCCESS;
}

/* ---- accounts ---- */

static int
account_new(struct cli *c)
{
	const char *name = cli_option(c, "name");
	struct issue_want want = wanted(c);
	struct issued is;
	enum err e;

	if (name == NULL)
		return cli_usage("account add needs --name");
	if (!scopes_good(c))
		return 2;
	if ((e = db_begin(c->db, DB_ROWS)) != OK ||
	    (e = credential_issue_account(c->db, c->mem, &c->conf, name, &want, &is)) !=
		OK ||
	    (e = db_commit(c->db)) != OK)
		return cli_fail("account add", e);
	cli_show(c, issued_fields, &is);
	return EXIT_SUCCESS;
}

static int
account_show(struct cli *c)
{
	struct list l;
	enum err e;

	if ((e = account_list(c->db, c->mem, &l)) != OK)
		return cli_fail("account list", e);
	cli_show_list(c, account_fields, &l, sizeof(struct account));
	return EXIT_SUCCESS;
}

/* Read a whole number from 0 on, or "default", which selects the setting's value. */
static bool
read_plan_value(const char *text, int64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoll(text, &end, 10);
	if (strcmp(text, "default") == 0)
		*to = NULL_INT;
	else if (end == text || *end != '\0' || errno != 0 || *to < 0)
		return false;
	return true;
}

/* Set plan values: each option but --json names one. */
static int
account_plan(struct cli *c)
{
	const struct field *plan = account_fields;
	struct account a;
	enum err e;

	if (c->arg == NULL)
		return cli_usage("account plan needs the user_id");
	if ((e = account_get(c->db, c->mem, c->arg, &a)) != OK)
		return cli_fail(c->arg, e);
	while (plan->type != F_OBJ)
		plan++;
	for (int i = 0; i < c->noptions; i++) {
		const struct field *f = plan->of;

		while (f->name != NULL && strcmp(f->name, c->options[i].name) != 0)
			f++;
		if (f->name == NULL)
			return cli_usage("account plan: there is no such plan value");
		if (!read_plan_value(
			c->options[i].value, (int64_t *)((char *)&a.plan + f->at)))
			return cli_usage(
			    "account plan: a value is a whole number, or default");
	}
	if ((e = account_put(c->db, &a)) == OK)
		cli_show(c, account_fields, &a);
	return caller_changed(c, e);
}

/* ---- links and exports ---- */

static int
account_export_files(struct cli *c)
{
	struct export_report r;
	enum err e;

	if (c->arg == NULL || c->to == NULL)
		return cli_usage("account export needs the user_id and a new folder");
	if (!cli_is_their_user(c, "account export"))
		return EXIT_FAILURE;
	umask(077);
	e = account_export(c->db, c->mem, &c->conf, c->arg, c->to, &r);
	if (e == ERR_CONFLICT)
		return cli_error("%s: exists already; nothing was exported", c->to);
	if (e == ERR_REFUSED)
		return cli_error("%s: is suspended, or being deleted; account suspend "
				 "--lift yes makes it active",
		    c->arg);
	if (e != OK)
		return cli_fail(c->arg, e);
	cli_show(c, export_fields, &r);
	return r.missing == 0 ? EXIT_SUCCESS
			      : cli_error("files are missing; the log names them");
}

static int
account_link(struct cli *c)
{
	static const struct field shown[] = { { "link", F_TEXT, 0, .flags = F_OUT },
		FIELDS_END };
	const char *id = c->arg != NULL ? c->arg : cli_option(c, "account");
	const char *scopes = cli_option(c, "scopes"), *link;
	struct account a;
	enum err e;

	if (id == NULL)
		return cli_usage("account link needs --account and the user_id");
	if (scopes != NULL && scope_unknown(c->mem, scopes) != NULL)
		return cli_usage("account link: there is no such scope");
	if ((e = db_begin(c->db, id)) != OK ||
	    (e = account_get(c->db, c->mem, id, &a)) != OK ||
	    (e = cli_link(c, a.id, scopes != NULL ? scopes : "*", &link)) != OK ||
	    (e = db_commit(c->db)) != OK)
		return cli_fail(id, e);
	if (c->json)
		cli_show(c, shown, &link);
	else
		puts(link);
	return EXIT_SUCCESS;
}

/* ---- credits ---- */

static int
credit_refused(const struct cli *c, const char *reference, enum err e)
{
	if (e == ERR_NOT_FOUND)
		return cli_error("there is no account %s", c->arg);
	if (e == ERR_CONFLICT)
		return cli_error(
		    "the reference %s is booked already; nothing was changed",
		    reference);
	if (e == ERR_REFUSED)
		return cli_error("the credits, or what they make up, are too many");
	return cli_fail(c->arg, e);
}

static int
book_credit(struct cli *c, int64_t micro, const char *reference)
{
	static const struct field shown[] = { { "credits", F_JSON, 0, .flags = F_OUT },
		FIELDS_END };
	const char *kind = micro < 0 ? "correction" : "grant", *credits;
	enum err e;

	if ((e = db_begin(c->db, c->arg)) != OK ||
	    (e = ledger_add(c->db, c->mem, c->arg, kind, micro, reference)) != OK ||
	    (e = webhook_balance_moved(c->db, c->mem, &c->conf, c->arg, micro)) != OK ||
	    (e = ledger_balance(c->db, c->arg, &micro)) != OK ||
	    (e = db_commit(c->db)) != OK)
		return credit_refused(c, reference, e);
	credits = credits_text(c->mem, micro);
	cli_show(c, shown, &credits);
	return EXIT_SUCCESS;
}

static int
account_credit(struct cli *c)
{
	const char *amount = cli_option(c, "credits");
	const char *reference = cli_option(c, "reference");
	int64_t micro;

	if (c->arg == NULL || amount == NULL)
		return cli_usage("account credit needs the user_id and --credits");
	if (!credits_read(amount, &micro) || micro == 0)
		return cli_usage("--credits is a decimal number of at most nine digits "
				 "before the point and six after it, and not 0");
	if (reference == NULL)
		reference = arena_printf(c->mem, "hand:%s", id_new(c->mem));
	else if (!text_valid(reference, strlen(reference)) || *reference == '\0' ||
		 text_length(reference) > 255)
		return cli_usage("--reference is a text of 1 to 255 characters");
	return book_credit(c, micro, reference);
}

static int
ledger_of_all(struct cli *c)
{
	struct buf sums = { .mem = c->mem };
	struct ledger_sums one;
	const struct account *a;
	struct list l;
	bool agree = true;
	enum err e = account_list(c->db, c->mem, &l);

	a = l.items;
	for (size_t i = 0; e == OK && i < l.n; i++) {
		e = ledger_check(c->db, c->mem, a[i].id, &one);
		if (e == ERR_NOT_FOUND) { /* deleted meanwhile */
			e = OK;
			continue;
		}
		buf_put(&sums, &one, sizeof(one));
		agree = agree && one.agree;
	}
	if (e != OK)
		return cli_fail("account ledger", e);
	l.items = sums.p;
	cli_show_list(c, ledger_sums_fields, &l, sizeof(one));
	return agree ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int
account_ledger(struct cli *c)
{
	const char *entries = cli_option(c, "entries");
	long n = entries != NULL ? strtol(entries, NULL, 10) : 20;
	struct ledger_sums sums;
	enum err e;

	if (n < 1 || n > 10000)
		return cli_usage("account ledger: --entries is 1 to 10000");
	if (c->arg == NULL)
		return ledger_of_all(c);
	if ((e = ledger_check(c->db, c->mem, c->arg, &sums)) != OK ||
	    (e = ledger_list(c->db, c->mem, c->arg, n, &sums.newest)) != OK)
		return cli_fail(c->arg, e);
	cli_show(c, ledger_sums_fields, &sums);
	return sums.agree ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The janitor deletes the data; the account's credentials are void from now on. */
static int
account_delete(struct cli *c)
{
	if (c->arg == NULL)
		return cli_usage("account delete needs the user_id");
	return caller_changed(c, account_data_begin(c->db, c->arg));
}

static int
account_suspend(struct cli *c)
{
	const char *lift = cli_option(c, "lift");

	if (c->arg == NULL || (lift != NULL && strcmp(lift, "yes") != 0))
		return cli_usage("account suspend needs the user_id; --lift is yes");
	return caller_changed(c,
	    account_set_status(c->db, c->arg, lift != NULL ? "active" : "suspended"));
}

/* ---- settings ---- */

static int
config(struct cli *c)
{
	engine_conf_print(&c->conf, stdout);
	return EXIT_SUCCESS;
}

static int
config_example(struct cli *c)
{
	(void)c;
	engine_conf_print_example(stdout);
	return EXIT_SUCCESS;
}

/* ---- service ---- */

static int
serve_all(struct cli *c)
{
	const char *listen = cli_option(c, "listen");
	const char *path = arena_printf(c->mem, "%s/dragoman-serve", c->conf.bin_dir);

	execl(path, path, listen != NULL ? "--listen" : NULL, listen, NULL);
	return cli_error("%s: %s", path, strerror(errno));
}

/* clang-format off */
static const struct command	 commands[] = {
	{ "account add",     "--name NAME [--scopes LIST]", "make an account; its credentials are shown once", account_new, DB },
	{ "account list",    "", "all accounts", account_show, DB },
	{ "account plan",    "USER_ID [--VALUE N|default ...]", "show or set plan values; 0: no limit", account_plan, DB },
	{ "account credit",  "USER_ID --credits N [--reference TEXT]", "grant credits, or take them: -N; no reference is booked twice", account_credit, DB },
	{ "account ledger",  "[USER_ID] [--entries N]", "add up the entries of one account, or of all: 1 if a balance is not their sum", account_ledger, DB },
	{ "account link",    "--account USER_ID [--scopes LIST]", "an address that signs a browser in, once, within a day", account_link, DB },
	{ "account export",  "USER_ID DIR", "export all its data to a new folder: JSON, CSV, captions, sound", account_export_files, DB },
	{ "account delete",  "USER_ID", "delete it with all its data; workers do it, within a day", account_delete, DB },
	{ "account suspend", "USER_ID [--lift yes]", "suspend its credentials, or lift that", account_suspend, DB },
	{ "key add",         "USER_ID [--scopes LIST] [--label TEXT]", "another API key and client pair", key_add, DB },
	{ "key list",        "USER_ID", "its credentials, without their secrets", key_list, DB },
	{ "key revoke",      "ID", "revoke a credential", key_revoke, DB },
	{ "token",           "USER_ID [--scopes LIST] [--ttl SECONDS]", "an API token (JWT)", token, DB },
	{ "listen",          "--forward URL [--server URL] [--events LIST]", "forward the account's webhook messages to an address of this host, until Ctrl-C", cli_listen, NO_CONF },
	{ "node list",       "", "hosts that share this database: state of their gateways, last heartbeat, channels, leases", cli_node_list, DB },
	{ "node drain",      "ID [--within SECONDS]", "move its channels to other hosts, and give it none; 0: it is empty", cli_node_drain, DB },
	{ "node resume",     "ID", "give it channels again", cli_node_resume, DB },
	{ "node remove",     "ID", "forget a dead host", cli_node_remove, DB },
	{ "channel move",    "CHANNEL_ID NODE_ID", "move a channel to another host, between two phrases", cli_channel_move, DB },
	{ "node accept",     "", "make this host's key file, store and bucket those of all hosts", cli_node_accept, DB },
	{ "engines check",   "[--from CODES] [--to CODES]", "send a sentence through each engine: time, cost, result", cli_engines_check, NO_DB },
	{ "models list",     "", "the models that can be installed: languages, size, memory, licence", cli_models_list, NO_DB },
	{ "models get",      "NAME... [--yes] [--from CODES] [--to CODES]", "install them with what they need, write their settings, try them, reload the gateway", cli_models_get, NO_DB },
	{ "models remove",   "NAME...", "remove them and their settings", cli_models_remove, NO_DB },
	{ "models check",    "", "compare the installed ones with their sums", cli_models_check, NO_DB },
	{ "init",            "[--name NAME]", "make what a new installation needs, an account and the link of its owner", cli_init, NEW_DB },
	{ "migrate",         "", "create the database, or bring it up to date", cli_migrate, NEW_DB },
	{ "builtin",         "", "make the built-in voices and their samples", cli_builtin, DB },
	{ "backup",          "DIR|FILE [--yes]", "copy everything, or the database alone, while it is in use", cli_backup, DB },
	{ "restore",         "DIR|FILE [--yes]", "replace the installation's data with such a copy", cli_restore, NEW_DB },
	{ "serve",           "[--listen ADDRESS:PORT]", "serve HTTP and run the workers, without a web server and cron, until SIGTERM", serve_all, NO_DB },
	{ "status",          "", "schema, workers, queues and dead jobs", cli_status, DB },
	{ "doctor",          "", "check the whole installation, and report faults and remedies", doctor_command, NO_CONF },
	{ "crontab",         "", "the lines with which cron starts the workers", workers_crontab, NO_DB },
	{ "config example",  "", "all settings, commented out: the dragoman.conf of the sources", config_example, NO_CONF },
	{ "config",          "", "the settings in force, as dragoman.conf", config, NO_DB },
	{ NULL },
};
/* clang-format on */

#ifndef UNIT_TEST
int
main(int argc, char **argv)
{
	return cli_main(commands, argc, argv);
}
#endif
