#include "service/cli_link.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/token.h"
#include "service/credential_issue.h"
#include "store/accounts.h"

int
cli_account_link(struct cli *c)
{
	static const struct field shown[] = { { "link", F_TEXT, 0, .flags = F_OUT },
		FIELDS_END };
	const char *id = c->arg != NULL ? c->arg : cli_option(c, "account");
	const char *scopes = cli_option(c, "scopes"), *secret, *link;
	struct account a;
	enum err e;

	if (id == NULL)
		return cli_usage("account link needs --account and the user_id");
	if (scopes != NULL && scope_unknown(c->mem, scopes) != NULL)
		return cli_usage("account link: there is no such scope");
	if ((e = db_begin(c->db)) != OK ||
	    (e = account_get(c->db, c->mem, id, &a)) != OK ||
	    (e = credential_issue_link(
		 c->db, c->mem, a.id, scopes != NULL ? scopes : "*", &secret)) != OK ||
	    (e = db_commit(c->db)) != OK)
		return cli_fail(id, e);
	link = arena_printf(
	    c->mem, "%s/console/#link=%s", c->conf.server_base_url, secret);
	if (c->json)
		cli_show(c, shown, &link);
	else
		puts(link);
	return EXIT_SUCCESS;
}
