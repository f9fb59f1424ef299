#ifndef INGRESS_PULL_H
#define INGRESS_PULL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "ingress/ingress.h"
#include "net/http.h"

/*
 * A stream that is pulled: what a thread fetches goes into a pipe, as fast as it is
 * read there.  When nobody reads any more the thread ends.
 */
struct pull {
	const struct ingress_order *order;
	struct http_cookies *cookies; /* of all its calls; NULL: none are kept */
	int to;                       /* the pipe's end */
	atomic_bool plays;            /* what came last was sound */
};

/* False: nobody reads any more. */
bool pull_put(struct pull *, const void *, size_t);
/* Wait so long; false: nobody reads any more. */
bool pull_rest(const struct pull *, int64_t us);
/* The same as question of a call: is nobody there?  arg: the struct pull. */
bool pull_is_left(void *arg);

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
