/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CLI_MODELS_H
#define SERVICE_CLI_MODELS_H

#include "service/cli.h"

/* `models list`, `get`, `remove`, `check`: see models/install.h. */
int cli_models_list(struct cli *);
int cli_models_get(struct cli *);
int cli_models_remove(struct cli *);
int cli_models_check(struct cli *);

#endif
