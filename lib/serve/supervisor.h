/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVE_SUPERVISOR_H
#define SERVE_SUPERVISOR_H

#include "serve/paths.h"

/*
 * Serve with processes of http_process.h, and run the workers that cron would start,
 * until SIGTERM or SIGINT; a process that ends before is started again. At the end
 * requests that have begun are answered; then the workers and the gateway stop. listen:
 * "127.0.0.1:8080", "[::1]:8080"; NULL: serve.listen. Returns the exit status.
 */
int supervisor_run(const struct serve_path *, const char *listen);

#endif
