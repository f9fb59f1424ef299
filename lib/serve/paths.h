/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVE_PATHS_H
#define SERVE_PATHS_H

#include "web/web.h"

/*
 * The program that serves a path, as the web servers' configurations have it: the first
 * row that matches, or the last one.
 */
struct serve_path {
	/* This path and those below it, or with "$" at its end this one only; a segment
	   "*" is any. NULL ends the table. */
	const char *path;
	const struct program *program; /* NULL: the gateway */
	int64_t body_bytes;            /* longest body */
	enum {
		SERVE_HERE,
		SERVE_CHILD, /* a process for each request, which may wait */
		SERVE_UPLOAD /* a process for each request with a body */
	} how;
};

#define SERVE_BODY_BYTES (2 << 20)
#define SERVE_OPEN_BODY_BYTES (64 << 10) /* paths that need no credential */
#define SERVE_FILE_BYTES (64 << 20)

/* target: as sent, without the path of server.base_url. */
const struct serve_path *serve_path_find(
    struct arena *, const struct serve_path *, const char *target);

#endif
