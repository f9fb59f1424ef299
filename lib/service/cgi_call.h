/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CGI_CALL_H
#define SERVICE_CGI_CALL_H

#include "base/conf.h"

/*
 * A GET request to one of this installation's programs, run as plain CGI (RFC 3875).
 * The answer is the one that clients get; no web server is needed.
 */
struct cgi_call {
	const char *program; /* "voices" */
	const char *target;  /* "/saas/voice?page_size=100" */
	const char *bearer;  /* an API token */
};

struct cgi_answer {
	int status;
	const char *next;      /* target of the next page; NULL: this is the last */
	int64_t retry_after_s; /* 0: the answer has none */
	const char *body;      /* followed by a NUL */
	size_t len;
};

/*
 * ERR_FAILED, logged: the program could not be run, crashed, or did not answer as CGI
 * requires.
 */
enum err cgi_call(struct arena *, const struct conf *, const struct cgi_call *,
    struct cgi_answer *) MUST_CHECK;

#endif
