/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVE_HTTP_PROCESS_H
#define SERVE_HTTP_PROCESS_H

#include "serve/paths.h"

/*
 * A process that accepts connections of a listening socket, which it shares with others
 * like it, and answers their requests, one at a time. SIGTERM: it answers the requests
 * that have begun, and ends. Returns the exit status.
 */
int http_process_run(const struct serve_path *, int listener);

#endif
