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

#endif
