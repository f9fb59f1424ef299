/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVE_CGI_CHILD_H
#define SERVE_CGI_CHILD_H

#include "serve/answer.h"

/*
 * Run the request's program as plain CGI on the connection itself, whose head is read:
 * it reads the body from there, writes a whole HTTP answer and closes it. Returns its
 * process; -1: it cannot be started; logged.
 */
pid_t cgi_child_start(
    struct arena *, const struct conf *, const struct asked *, int fd);

#endif
