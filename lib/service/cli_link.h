#ifndef SERVICE_CLI_LINK_H
#define SERVICE_CLI_LINK_H

#include "service/cli.h"

/* dragoman account link --account USER_ID [--scopes LIST]: an address, good once. */
int cli_account_link(struct cli *);

#endif
