#include "service/cli_export.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "service/account_export.h"

int
cli_account_export(struct cli *c)
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
		return cli_error("%s: is there already; nothing was exported", c->to);
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
