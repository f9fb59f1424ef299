/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CLI_INIT_H
#define SERVICE_CLI_INIT_H

#include "service/cli.h"

/* The address that signs a browser in as the account's owner, once.  In the caller's
   transaction. */
enum err cli_link(struct cli *, const char *account, const char *scopes,
    const char **link) MUST_CHECK;
/* Make what a new installation needs, and print the link of its owner. */
int cli_init(struct cli *);

#endif
