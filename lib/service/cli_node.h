#ifndef SERVICE_CLI_NODE_H
#define SERVICE_CLI_NODE_H

#include "service/cli.h"

/* Commands of the operator about the hosts over the database. */
int cli_node_list(struct cli *);
int cli_node_accept(struct cli *);

#endif
