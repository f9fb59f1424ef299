/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operator's command line: finds the command, reads its arguments and prints its
 * result. Every command has --help, and --json for machines.
 */
#include "service/cli.h"

#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/process.h"

int
cli_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("dragoman: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	return EXIT_FAILURE;
}

int
cli_fail(const char *what, enum err e)
{
	return cli_error("%s: %s", what, err_name(e));
}

int
cli_usage(const char *what)
{
	fprintf(stderr, "dragoman: %s\n", what);
	return 2;
}

const char *
cli_option(const struct cli *c, const char *name)
{
	for (int i = 0; i < c->noptions; i++)
		if (strcmp(c->options[i].name, name) == 0)
			return c->options[i].value;
	return NULL;
}

bool
cli_is_their_user(const struct cli *c, const char *command)
{
	const struct passwd *owner;
	struct stat st;

	if (stat(c->conf.state_dir, &st) != 0 || st.st_uid == geteuid())
		return true;
	owner = getpwuid(st.st_uid);
	cli_error("%s must run as the user of the programs, who owns %s: %s", command,
	    c->conf.state_dir, owner != NULL ? owner->pw_name : "one without a name");
	return false;
}

/* ---- showing ---- */

static void
show_member(const struct cli *c, const struct json *v)
{
	if (v->type == JSON_LIST && v->kids != NULL && v->kids->type == JSON_OBJ) {
		printf("%s\n", v->key);
		for (v = v->kids; v != NULL; v = v->next)
			printf("  %s\n", json_text(c->mem, v));
		return;
	}
	printf(
	    "%-14s %s\n", v->key, v->type == JSON_TEXT ? v->u.s : json_text(c->mem, v));
}

void
cli_show(const struct cli *c, const struct field *f, const void *thing)
{
	struct buf b = { .mem = c->mem };
	struct json_writer j = { .out = &b };
	const struct json *v, *kid;
	const char *why;

	field_write(&j, NULL, f, thing);
	if (c->json) {
		puts(buf_text(&b));
		return;
	}
	v = json_read(c->mem, b.p, b.len, &why);
	for (kid = v != NULL ? v->kids : NULL; kid != NULL; kid = kid->next)
		show_member(c, kid);
}

void
cli_show_list(
    const struct cli *c, const struct field *f, const struct list *l, size_t size)
{
	struct buf b = { .mem = c->mem };
	struct json_writer j = { .out = &b };

	if (c->json) {
		jw_list(&j, NULL);
		for (size_t i = 0; i < l->n; i++)
			field_write(&j, NULL, f, (const char *)l->items + i * size);
		jw_close(&j);
		puts(buf_text(&b));
		return;
	}
	for (size_t i = 0; i < l->n; i++) {
		cli_show(c, f, (const char *)l->items + i * size);
		putchar('\n');
	}
}

/* ---- running ---- */

static int
help(const struct command *cmd, const char *stem)
{
	puts("usage: dragoman COMMAND [ARGUMENTS] [--json]\n");
	for (; cmd->name != NULL; cmd++)
		if (strncmp(cmd->name, stem, strlen(stem)) == 0)
			printf("  %s %s\n      %s\n", cmd->name, cmd->args, cmd->does);
	return EXIT_SUCCESS;
}

/* The number of words of the command line that are this command's name; 0: another
   command. */
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

/* True if the usage names the option, or --VALUE, which the command itself checks. */
static bool
takes_option(const struct command *cmd, const char *option)
{
	size_t n = strlen(option);
	const char *s = cmd->args;

	while ((s = strstr(s, "--")) != NULL) {
		if (strncmp(s, "--VALUE ", 8) == 0 ||
		    (strncmp(s, option, n) == 0 && s[n] == ' '))
			return true;
		s += 2;
	}
	return false;
}

/* True if the usage begins with two names: "USER_ID DIR". */
static bool
takes_second(const struct command *cmd)
{
	size_t n = strspn(cmd->args, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

	return n > 0 && cmd->args[n] == ' ' && cmd->args[n + 1] >= 'A' &&
	       cmd->args[n + 1] <= 'Z';
}

static bool
takes_names(const struct command *cmd)
{
	return strncmp(cmd->args, "NAME...", 7) == 0;
}

/* False: the arguments are wrong. */
static bool
read_arguments(struct cli *c, const struct command *cmd, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "--json") == 0)
			c->json = true;
		else if (strcmp(argv[i], "--yes") == 0 &&
			 strstr(cmd->args, "[--yes]") != NULL)
			c->yes = true;
		else if (strncmp(argv[i], "--", 2) != 0 && takes_names(cmd) &&
			 c->nnames < CLI_NAMES)
			c->names[c->nnames++] = argv[i];
		else if (strncmp(argv[i], "--", 2) != 0 && c->arg == NULL)
			c->arg = argv[i];
		else if (strncmp(argv[i], "--", 2) != 0 && c->to == NULL &&
			 takes_second(cmd))
			c->to = argv[i];
		else if (takes_option(cmd, argv[i]) && i + 1 < argc &&
			 c->noptions < CLI_OPTIONS) {
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

	if (cmd->wants != NO_CONF && conf_read(c->mem, &c->conf) != OK)
		return EXIT_FAILURE;
	if (cmd->wants > NO_DB)
		db_announce(&c->conf);
	if (cmd->wants > NO_DB &&
	    (e = db_open(&c->db, c->conf.db_url, (int)c->conf.db_busy_ms,
		 cmd->wants == NEW_DB)) != OK)
		return cli_fail("the database cannot be opened", e);
	if (c->db != NULL)
		db_seal(c->db, &c->conf);
	end = cmd->run(c);
	if (c->db != NULL)
		db_rollback(c->db);
	db_close(c->db);
	return end;
}

static int
usage(const struct command *cmd)
{
	fprintf(stderr, "usage: dragoman %s%s%s [--json]\n", cmd->name,
	    cmd->args[0] != '\0' ? " " : "", cmd->args);
	return 2;
}

int
cli_main(const struct command *commands, int argc, char **argv)
{
	struct cli c = { 0 };
	int end, words;

	if (asks_for_help(argc, argv))
		return help(commands, argc > 1 && argv[1][0] != '-' ? argv[1] : "");
	for (const struct command *cmd = commands; cmd->name != NULL; cmd++) {
		if ((words = named(cmd->name, argc, argv)) == 0)
			continue;
		process_protect_memory();
		c.mem = arena_new();
		end = read_arguments(&c, cmd, argc - 1 - words, argv + 1 + words)
			  ? run(cmd, &c)
			  : usage(cmd);
		arena_free(c.mem);
		return end;
	}
	return cli_usage("there is no such command; see dragoman --help");
}
