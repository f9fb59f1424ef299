#ifndef SERVER_HTTP_HEAD_H
#define SERVER_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

#define HTTP_HEAD_BYTES 24576 /* of a request's line and headers together, at most */

/* The head of an HTTP/1.1 request (RFC 9112 §2 to §5), as it came from a web server. */
struct http_head {
	const char *method, *target;
	struct http_header {
		const char *name, *value;
	} * lines; /* in the order in which they came */
	size_t n;
	size_t line_bytes, header_bytes; /* of the request line; of all headers */
};

/* Length of the head at the front of what has come; 0: its end has not come yet. */
size_t http_head_length(const char *, size_t n);
/* Read a head of that length; false: it is none. */
bool http_head_read(struct arena *, const char *, size_t length, struct http_head *);
/* The value of a header, by its name in any case; NULL: there is none. */
const char *http_head_get(const struct http_head *, const char *name);
/* The same by the name that CGI has for it, "HTTP_CLIENTID". */
const char *http_head_get_cgi(const struct http_head *, const char *name);
/* Whether a header that is a list of words has this one, in any case. */
bool http_head_lists(const struct http_head *, const char *name, const char *word);

/* The same head of that length, without a header; *to is as long as is answered. */
size_t http_head_without(const char *, size_t length, const char *name, char *to);

#endif
