/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_REQUESTS_H
#define STORE_REQUESTS_H

#include "db/db.h"

/* A request of listeners to the organiser: for a language. */
struct listener_request {
	const char *id;
	const char *type;    /* add_language */
	const char *status;  /* pending, approved, rejected */
	const char *channel; /* NULL: any */
	struct {
		const char *language;
	} payload;
	int64_t asked; /* number of listeners that asked */
	int64_t first_us;
	bool served; /* an engine serves the language at the event or channel */
};

/* A new request. */
struct request_new {
	const char *event, *account; /* account: the event's owner */
	const char *type;
	const char *channel;  /* NULL: any */
	const char *listener; /* NULL: unknown */
	const char *language;
	const char *status; /* status of the first request */
	bool served;        /* from request_present() */
};

/* Fields of the record in lists, of the answer to a listener, and of the answer to a
   decision. */
extern const struct field request_fields[], request_view_fields[],
    request_decided_fields[];
extern const struct sql request_sql[];

/*
 * Set *present if the channel (NULL: any channel of the event) already has the language
 * and engines serve it.  If not, set served: whether engines serve the language on the
 * channel of the request, which is the named one, else the event's oldest, else any.  A
 * request that is not served gets the status pending.
 */
enum err request_present(struct db *, struct request_new *, bool *present) MUST_CHECK;
/* Find the request for the same language, in any status.  ERR_NOT_FOUND: none. */
enum err request_find(struct db *, struct arena *, const struct request_new *,
    struct listener_request *) MUST_CHECK;
/* Store the first request for a language, under the write lock. */
enum err request_add(struct db *, struct arena *, const struct request_new *,
    struct listener_request *) MUST_CHECK;
/* Count a repeated request, unless this listener has asked before. */
enum err request_repeat(
    struct db *, const struct request_new *, struct listener_request *) MUST_CHECK;
/* Languages of approved requests that a job must still add to a channel, or that wait
   for a channel; a list of const char *, possibly with duplicates. */
enum err request_queued(
    struct db *, struct arena *, const char *event, struct list *) MUST_CHECK;

/* Read a request of an event of the account. */
enum err request_get(struct db *, struct arena *, const char *account,
    const char *event, const char *id, struct listener_request *) MUST_CHECK;
/*
 * List the pending requests of an event of the account, oldest first; type NULL: all.
 */
enum err request_list(struct db *, struct arena *, const char *account,
    const char *event, const char *type, struct list *) MUST_CHECK;
/* Decide on a pending request of an event of the account; reason: or NULL. ERR_STALE:
   it is not pending. */
enum err request_decide(struct db *, const char *account, const char *event,
    struct listener_request *, const char *status, const char *reason) MUST_CHECK;

#endif
