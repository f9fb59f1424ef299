#ifndef INGRESS_FETCH_H
#define INGRESS_FETCH_H

#include "net/http.h"

/*
 * A part of a stream that is pulled, by a GET: https at a public address, with
 * allow_private any http.  Redirects are followed, each by the same rules.
 */
#define FETCH_REDIRECTS 5
#define FETCH_CONNECT_MS 5000

struct fetch {
	const char *url; /* then: where the redirects led */
	bool allow_private;
	struct http_cookies *cookies; /* of the stream */
	int timeout_ms;               /* this and the others as in struct http_call */
	size_t max_bytes;
	bool (*take)(void *arg, const void *, size_t);
	bool (*unwanted)(void *arg);
	void *arg;
};

/* NULL: it came, or what was wanted of it; else why not, a sentence. */
const char *fetch_get(struct arena *, struct fetch *, struct http_answer *);

#endif
