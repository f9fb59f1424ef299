/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INGRESS_PULL_H
#define INGRESS_PULL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "ingress/ingress.h"
#include "net/http.h"

/*
 * A stream that is pulled: a thread fetches it and writes it to a pipe as fast as the
 * pipe is read. The thread ends when the pipe's reader has gone.
 */
struct pull {
	const struct ingress_order *order;
	struct http_cookies *cookies; /* cookies of all its calls; NULL: no cookies */
	int to;                       /* the pipe's end */
	atomic_bool plays;            /* the last call returned sound */
};

/* Write to the pipe. False: the reader has gone. */
bool pull_put(struct pull *, const void *, size_t);
/* Wait for this time. False: the reader has gone. */
bool pull_rest(const struct pull *, int64_t us);
/* True if the reader has gone; a callback of calls, arg is the struct pull. */
bool pull_is_left(void *arg);

/*
 * Fetches a part of a pulled stream by GET, from https at a public address or, with
 * allow_private, from any http address. Redirects are followed under the same rules.
 */
#define FETCH_REDIRECTS 5
#define FETCH_CONNECT_MS 5000

struct fetch {
	const char *url; /* afterwards: the final address */
	bool allow_private;
	struct http_cookies *cookies; /* cookies of the stream */
	int timeout_ms;               /* this and the others as in struct http_call */
	size_t max_bytes;
	bool (*take)(void *arg, const void *, size_t);
	bool (*unwanted)(void *arg);
	void *arg;
};

/* NULL on success, also if take() or unwanted() ended it; else the error, a
   sentence. */
const char *fetch_get(struct arena *, struct fetch *, struct http_answer *);

#endif
