#ifndef SERVICE_CLI_EXPORT_H
#define SERVICE_CLI_EXPORT_H

#include "service/cli.h"

/* dragoman account export USER_ID DIR; EXIT_FAILURE, too, where files are missing. */
int cli_account_export(struct cli *);

#endif
