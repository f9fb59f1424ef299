#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/field.h"

/*
 * The one way out: an HTTP call to a backend, an engine or an object store.
 *
 * http and https only; TLS is verified (1.2 or later); no redirect is followed,
 * no proxy or netrc is taken from anywhere, and no cookie but of struct http_cookies.
 * The address a connection is really made to must be public (net/address.h) unless the
 * call says that a private one may be.  Time and the size of the answer are bounded.
 *
 * Connections are kept for the next call of any thread; nothing of the arena is.
 * A child that was forked leaves its parent's connections alone.
 */

/* One part of a multipart/form-data body. */
struct http_part {
	const char *name;
	const char *data;
	size_t len;            /* bytes in data */
	const char *filename;  /* told to the other side; NULL: not a file */
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
	const void *body;           /* bytes, or a file mapped by the caller, or NULL */
	size_t body_len;            /* bytes */
	const struct http_part *parts; /* instead of body */
	size_t nparts;
	/* Instead of them: gets room and its bytes, and arg, and fills it with the next
	   of a body without an end, which is sent as it is; 0: there is none now. */
	size_t (*give)(void *arg, void *to, size_t most);
	int timeout_ms;     /* for the whole call, above 0 */
	int connect_ms;     /* for the connection alone; 0: no less */
	size_t max_bytes;   /* of the answer's body; more is refused, */
	bool cut;           /* or not read any more */
	bool allow_private; /* the address may be a private one */
	bool once;          /* never sent twice, not even when a kept connection proves
			       dead before an answer: always on a new one, of which the
			       name is resolved anew, and which is not kept */
	struct http_cookies *cookies; /* sent, and kept for the next call; NULL: none */
	bool unverified; /* every server is believed, to look at its certificate: send
			    no secret.  Only with once */
	/* Gets the pieces of a 2xx body as they come, and arg; false: it wants no more,
	   which ends the call.  Of another answer's body some kilobytes are read. NULL:
	   the body goes into the arena. */
	bool (*take)(void *arg, const void *, size_t);
	/* Gets arg and the Content-Type (in the arena; NULL: none) before the first of
	   these pieces.  NULL: it is not of interest. */
	void (*typed)(void *arg, const char *content_type);
	/* Asked every few hundredths of a second, with arg: is the answer unwanted by
	   now?  It ends the call with ERR_BUSY.  NULL: it is wanted. */
	bool (*unwanted)(void *arg);
	void *arg;
	int first_ms; /* until the first such piece; 0: no less */
	int body_ms;  /* for the body behind the head; what came by then, or before it
			 broke off, is all of it.  0: no less, and all of it is wanted */
	const char **why; /* instead of the log: why it failed, in a few words */
};

struct http_answer {
	int status;               /* 100 to 599 */
	const char *content_type; /* as it was sent; NULL: none */
	const char *location;     /* where a redirect leads, a whole URL; NULL: none */
	const char *etag;         /* with its quotes; NULL: none */
	int64_t content_bytes;    /* what Content-Length says; -1: nothing */
	int64_t retry_after_s;    /* what Retry-After says; 0: nothing */
	int64_t date_us;          /* what Date says; NULL_INT: nothing that is one */
	int64_t
	    certificate_until_us; /* of an unverified call over TLS, else NULL_INT */
	const char *body;         /* a NUL behind it; "" when it was taken */
	size_t body_len;          /* bytes in body, or taken */
};

/*
 * Make the call.  OK whenever a whole answer of any status arrived, or what was wanted.
 * ERR_TIMEOUT: no such name, unreachable, silent, too slow, or broken off.
 * ERR_REFUSED: not http(s), a forbidden address, an unverified peer, an answer
 * too large or not HTTP.  ERR_FAILED: ours.
 * Everything but OK was logged, unless it was unwanted or `why` is told, without query,
 * userinfo, headers or bodies.
 */
enum err http_do(
    struct arena *, const struct http_call *, struct http_answer *) MUST_CHECK;

/*
 * The same for a thread that must not wait, which takes steps until it has enough.  The
 * call, which is borrowed, and the arena stay until the end.
 */
struct http_exchange;
struct http_exchange *http_begin(struct arena *, const struct http_call *);
/* What can be done at once is done.  False: it is over. */
bool http_step(struct http_exchange *);
/* That came so far, 100 to 599; 100 before a body that is wanted; 0: none. */
int http_status(const struct http_exchange *);
/* At any time; it is as of http_do(). */
enum err http_end(struct http_exchange *, struct http_answer *) MUST_CHECK;

/*
 * What a status means: 2xx OK; 408, 429, 5xx ERR_BUSY (the same call may work
 * later); the rest, redirects too, ERR_REFUSED.
 */
enum err http_verdict(int status);

/* The URL as logs may show it: "https://host:443/path", nothing else of it. */
const char *http_shown(struct arena *, const char *url);

/* The URL that a reference means, which a document at the base has; NULL: none. */
const char *http_join(struct arena *, const char *base, const char *reference);

/* End the connections that are kept and in no use; done at exit. */
void http_close(void);

#endif
