/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operator's first command, and the links that sign browsers in. */
#include "service/cli_init.h"

#include <stdlib.h>
#include <string.h>

#include "service/credential_issue.h"
#include "service/speech.h"
#include "store/accounts.h"
#include "store/schema.h"

enum err
cli_link(struct cli *c, const char *account, const char *scopes, const char **link)
{
	const char *secret;
	enum err e = credential_issue_link(c->db, c->mem, account, scopes, &secret);

	*link = arena_printf(
	    c->mem, "%s/console/#link=%s", c->conf.server_base_url, secret);
	return e;
}

/* The name of the first account without --name: host and port of the service. */
static const char *
host_name(struct cli *c)
{
	const char *host = strstr(c->conf.server_base_url, "://");

	host = host != NULL ? host + 3 : c->conf.server_base_url;
	return arena_dup(c->mem, host, strcspn(host, "/"));
}

struct first {
	const char *user_id, *link;
	int64_t schema, voices;
};

/* clang-format off */
static const struct field	 first_fields[] = FIELDS(
	{ "schema_version", F_INT,  MEMBER(first, schema),  .flags = F_OUT },
	{ "voices",         F_INT,  MEMBER(first, voices),  .flags = F_OUT },
	{ "user_id",        F_TEXT, MEMBER(first, user_id), .flags = F_OUT },
	{ "link",           F_TEXT, MEMBER(first, link),    .flags = F_OUT }
);
/* clang-format on */

/* ERR_CONFLICT: there is an account. */
static enum err
no_account(struct cli *c)
{
	enum err e = account_any(c->db);

	return e == OK ? ERR_CONFLICT : e == ERR_NOT_FOUND ? OK : e;
}

static enum err
first_account(struct cli *c, struct first *to)
{
	const char *name = cli_option(c, "name");
	struct issued is;
	enum err e;

	if ((e = db_begin(c->db, DB_ALL)) != OK || (e = no_account(c)) != OK ||
	    (e = credential_issue_account(c->db, c->mem, &c->conf,
		 name != NULL ? name : host_name(c), NULL, &is)) != OK ||
	    (e = cli_link(c, is.user_id, "*", &to->link)) != OK)
		return e;
	to->user_id = is.user_id;
	return db_commit(c->db);
}

int
cli_init(struct cli *c)
{
	const char *dir = arena_printf(c->mem, "%s/schema", c->conf.share_dir);
	struct first made = { .schema = SCHEMA_VERSION };
	struct builtin_report voices;
	int applied;
	enum err e;

	if (!cli_is_their_user(c, "init"))
		return EXIT_FAILURE;
	if ((e = schema_migrate(c->db, c->mem, dir, &applied)) == OK &&
	    (e = no_account(c)) == OK &&
	    (e = builtin_install(c->db, c->mem, &c->conf, &voices)) == OK)
		e = first_account(c, &made);
	if (e == ERR_CONFLICT)
		return cli_error("there is an account already: dragoman account list "
				 "shows it, dragoman account link --account USER_ID "
				 "signs a browser in");
	if (e != OK)
		return cli_fail("init", e);
	made.voices = voices.made + voices.there;
	cli_show(c, first_fields, &made);
	return EXIT_SUCCESS;
}
