#ifndef GATEWAY_HEAD_H
#define GATEWAY_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

#define HEAD_BYTES 24576 /* of a request's line and headers together, at most */

/* The head of an HTTP/1.1 request (RFC 9112 §2 to §5), as it came from a web server. */
struct head {
	const char *method, *target;
	struct head_line {
		const char *name, *value;
	} * lines; /* in the order in which they came */
	size_t n;
	size_t line_bytes, header_bytes; /* of the request line; of all headers */
};

/* Length of the head at the front of what has come; 0: its end has not come yet. */
size_t head_length(const char *, size_t n);
/* Read a head of that length; false: it is none. */
bool head_read(struct arena *, const char *, size_t length, struct head *);
/* The value of a header, by its name in any case; NULL: there is none. */
const char *head_get(const struct head *, const char *name);
/* The same by the name that CGI has for it, "HTTP_CLIENTID". */
const char *head_get_cgi(const struct head *, const char *name);
/* Whether a header that is a list of words has this one, in any case. */
bool head_lists(const struct head *, const char *name, const char *word);

/* The same head of that length, without a header; *to is as long as is answered. */
size_t head_without(const char *, size_t length, const char *name, char *to);

#endif
