/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_HTTP_HEAD_H
#define WEB_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

#define HTTP_HEAD_BYTES 24576 /* request line and headers together, at most */

/* The head of an HTTP/1.1 request (RFC 9112 §2 to §5), as sent by a web server. */
struct http_head {
	const char *method, *target;
	struct http_header {
		const char *name, *value;
	} * lines; /* lines in the order received */
	size_t n;
	size_t line_bytes, header_bytes; /* request line; all headers */
	bool has_chunks;                 /* HTTP/1.1: the answer may come in chunks */
	const char *body; /* set by the reader of the body; NULL: it was not read */
	size_t body_bytes;
};

/* Length of the head at the start of the input; 0: the head is not complete. */
size_t http_head_length(const char *, size_t n);
/* Parse a head of that length; false: not a valid head. */
bool http_head_read(struct arena *, const char *, size_t length, struct http_head *);
/* The value of a header; its name in any case.  NULL: there is none. */
const char *http_head_get(const struct http_head *, const char *name);
/* As http_head_get(), by the CGI name, such as "HTTP_CLIENTID". */
const char *http_head_get_cgi(const struct http_head *, const char *name);
/* True if a header with a list of words contains this word, in any case. */
bool http_head_lists(const struct http_head *, const char *name, const char *word);

/*
 * The client's address. Web servers and proxies on this host, and those of
 * serve.proxies, report it in X-Forwarded-For; each appends the address that connected
 * to it.
 */
const char *http_head_peer(
    struct arena *, const struct http_head *, const char *peer, const char *proxies);

/* Copy a head without one header.  Returns the length of the copy. */
size_t http_head_without(const char *, size_t length, const char *name, char *to);

#endif
