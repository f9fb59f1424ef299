#include "service/cli_node.h"

#include <stdlib.h>

#include "service/node.h"

int
cli_node_list(struct cli *c)
{
	struct list l;
	enum err e;

	if ((e = node_list(c->db, c->mem, &l)) != OK)
		return cli_fail("node list", e);
	cli_show_list(c, node_fields, &l, sizeof(struct node));
	return EXIT_SUCCESS;
}

int
cli_node_accept(struct cli *c)
{
	enum err e;

	if ((e = db_begin(c->db)) != OK ||
	    (e = node_accept(c->db, c->mem, &c->conf)) != OK ||
	    (e = db_commit(c->db)) != OK)
		return cli_fail("node accept", e);
	return EXIT_SUCCESS;
}
