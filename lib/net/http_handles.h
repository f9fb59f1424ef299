#ifndef NET_HTTP_HANDLES_H
#define NET_HTTP_HANDLES_H

#include <curl/curl.h>

#include "base/arena.h"

/*
 * libcurl's handles between calls, with the connections that they keep; private to
 * lib/net.  A handle serves one call at a time, on any thread.
 */
struct http_handle {
	struct http_handle *next;
	struct arena *mem; /* its own */
	CURL *easy;
	CURLM *multi;     /* keeps the connections */
	char origin[256]; /* of its last call: scheme, user, host and port, cut */
};

/* The handle used last for the URL's origin, or another one; NULL: out of memory. */
struct http_handle *http_take_handle(const char *url);
/* Keep it for the next call; its options are reset, its connections stay. */
void http_keep_handle(struct http_handle *);

#endif
