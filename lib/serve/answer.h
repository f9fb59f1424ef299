/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include "serve/paths.h"
#include "serve/writer.h"
#include "web/http_head.h"

/* The programs of a process, which share one connection to the database. */
struct programs;

/* ERR_REFUSED: with these settings they cannot run; logged. */
enum err programs_open(
    struct arena *, const struct serve_path *, struct programs **) MUST_CHECK;
const struct conf *programs_conf(const struct programs *);
/* No request came for a while: a connection to a database server may be closed. */
void programs_rest(struct programs *);

/* A request whose body is read. */
struct asked {
	const struct http_head *head;
	const struct serve_path *path;
	const char *peer; /* address of the client, or of a proxy */
	const char *body;
	size_t body_bytes;
	bool closes; /* the connection is closed after the answer */
};

/* Run the program. The answer lives in the arena. */
struct answer programs_answer(struct programs *, struct arena *, const struct asked *);
/* An answer to what is no request for a program; the body comes from share.dir. */
struct answer programs_refuse(
    struct programs *, struct arena *, int status, bool blobs, bool is_head);

#endif
