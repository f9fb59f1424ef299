/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CLI_NODE_H
#define SERVICE_CLI_NODE_H

#include "service/cli.h"

/* Commands of the operator about the hosts over one database. */
int cli_node_list(struct cli *);
int cli_node_drain(struct cli *);
int cli_node_resume(struct cli *);
int cli_node_remove(struct cli *);
int cli_channel_move(struct cli *);

#endif
