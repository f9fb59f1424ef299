/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CLI_INSTALLATION_H
#define SERVICE_CLI_INSTALLATION_H

#include "service/cli.h"

/* Commands of the operator about the hosts over the database. */
int cli_node_accept(struct cli *);

/* About the database and the files; `restore` also migrates and accepts this host. */
int cli_migrate(struct cli *);
int cli_builtin(struct cli *);
int cli_backup(struct cli *);
int cli_restore(struct cli *);
int cli_status(struct cli *);

#endif
