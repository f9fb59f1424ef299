/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CLI_LISTEN_H
#define SERVICE_CLI_LISTEN_H

#include "service/cli.h"

/* Forward an account's webhook messages to an address of this host until a signal. */
int cli_listen(struct cli *);

#endif
