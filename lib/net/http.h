/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/field.h"

/*
 * HTTP calls to backends, engines and object stores; no other code makes outgoing HTTP
 * calls. Only http and https; TLS is verified (1.2 or later). Redirects are not
 * followed, no proxy or netrc is used, and no cookies except those of struct
 * http_cookies. The address of a connection must be public (net/address.h) unless the
 * call allows a private one. Time and the size of the answer are limited. Connections
 * are kept for the next call of any thread; nothing in the arena is kept. A forked
 * child does not use its parent's connections.
 */

/* One part of a multipart/form-data body. */
struct http_part {
	const char *name;
	const char *data;
	size_t len;            /* bytes in data */
	const char *filename;  /* file name sent to the server; NULL: not a file */
	const char *mime_type; /* NULL: none */
};

/*
 * The cookies of calls that belong together, one at a time, in memory; public suffixes
 * have none.  NULL: out of memory.
 */
struct http_cookies;
struct http_cookies *http_cookies_new(void);
void http_cookies_free(struct http_cookies *);

struct http_call {
	const char *method; /* "GET", in capitals */
	const char *url;
	const char *const *headers; /* "Name: value"..., NULL; may be NULL.  Without
				       a Content-Type bytes are octet-stream */
	const void *body;           /* bytes, or a file mapped by the caller; or NULL */
	size_t body_len;            /* bytes */
	const struct http_part *parts; /* instead of body */
	size_t nparts;
	/*
	 * Instead of body: called with arg, a buffer and its size, it writes the next
	 * bytes of a body of unknown length, which is sent as it comes. Returns 0: none
	 * now.
	 */
	size_t (*give)(void *arg, void *to, size_t most);
	int timeout_ms;     /* time limit of the whole call, above 0 */
	int connect_ms;     /* time limit for connecting; 0: as timeout_ms */
	size_t max_bytes;   /* longest body of the answer: a longer one is an error */
	bool cut;           /* or, if `cut` is true, it is truncated */
	bool allow_private; /* the address may be a private one */
	bool once; /* Never sent twice, not even if a kept connection fails before an
		      answer: always on a new connection, which is not kept, with a new
		      name lookup. */
	struct http_cookies *cookies; /* sent, and kept for the next call; NULL: none */
	bool unverified; /* accept every certificate, to inspect it: send no secret.
			    Only with once */
	/*
	 * Called with arg and each piece of a 2xx body; false ends the call. Only some
	 * kilobytes of other bodies are read. NULL: the body goes into the arena.
	 */
	bool (*take)(void *arg, const void *, size_t);
	/* Called with arg and the Content-Type (in the arena; NULL: none) before the
	   first piece.  NULL: not called. */
	void (*typed)(void *arg, const char *content_type);
	/* Called with arg every few hundredths of a second; true ends the call with
	   ERR_BUSY.  NULL: not called. */
	bool (*unwanted)(void *arg);
	void *arg;
	int first_ms; /* time limit until the first such piece; 0: as timeout_ms */
	/* time for the body after the header: the part that arrived in this time, or
	   before the connection broke, counts as complete. 0: no such limit, and the
	   whole body is required */
	int body_ms;
	const char **why; /* instead of the log: the reason, in a few words */
};

struct http_answer {
	int status;               /* 100 to 599 */
	const char *content_type; /* Content-Type as it was sent; NULL: none */
	const char *location;     /* target of a redirect, a whole URL; NULL: none */
	const char *etag;         /* tag with its quotes; NULL: none */
	int64_t content_bytes;    /* Content-Length; -1: absent */
	int64_t retry_after_s;    /* Retry-After; 0: absent */
	int64_t date_us;          /* Date; NULL_INT: absent or invalid */
	/* expiry of the certificate of an unverified call over TLS, else NULL_INT */
	int64_t certificate_until_us;
	const char *body; /* ended by a NUL; "" if call.take got it */
	size_t body_len;  /* bytes in body, or taken */
};

/*
 * Make the call. OK: a complete answer of any status arrived, or the wanted part of it.
 * ERR_TIMEOUT: unknown name, no connection, no answer, too slow, or the connection
 * broke. ERR_REFUSED: not http(s), a forbidden address, an unverified peer, or an
 * answer that is too large or not HTTP. ERR_FAILED: an error of this program. Errors
 * are logged without query, userinfo, headers or bodies, unless the call was unwanted
 * or `why` is set.
 */
enum err http_do(
    struct arena *, const struct http_call *, struct http_answer *) MUST_CHECK;

/*
 * As http_do(), for a thread that must not wait: it calls http_step() until the call
 * has ended. The call is borrowed; the call and the arena must live until then.
 */
struct http_exchange;
struct http_exchange *http_begin(struct arena *, const struct http_call *);
/* Do all that can be done without waiting.  False: the call is over. */
bool http_step(struct http_exchange *);
/* The status so far, 100 to 599; 100: the server waits for the body; 0: none. */
int http_status(const struct http_exchange *);
/* The Content-Length of the answer so far; -1: it has none. */
int64_t http_content_bytes(const struct http_exchange *);
/* End the call at any time. Returns as http_do(). */
enum err http_end(struct http_exchange *, struct http_answer *) MUST_CHECK;

/*
 * Returns the meaning of a status: 2xx OK; 408, 429, 5xx ERR_BUSY (the same call may
 * succeed later); the rest, including redirects, ERR_REFUSED.
 */
enum err http_verdict(int status);

/* The URL for logs: only "https://host:443/path". */
const char *http_loggable_url(struct arena *, const char *url);

/* Resolve a reference in a document at the base URL; NULL: invalid. */
const char *http_join(struct arena *, const char *base, const char *reference);

/* Close the kept connections that are not in use; also done at exit. */
void http_close(void);

#endif
