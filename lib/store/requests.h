#ifndef STORE_REQUESTS_H
#define STORE_REQUESTS_H

#include "db/db.h"

/* What listeners ask the organiser for: a language. */
struct listener_request {
	const char *id;
	const char *type;    /* add_language */
	const char *status;  /* pending, approved, rejected */
	const char *channel; /* NULL: any */
	struct {
		const char *language;
	} payload;
	int64_t asked; /* how many times */
	int64_t first_us;
	bool served; /* an engine serves the language there, as of now */
};

/* A new one. */
struct request_new {
	const char *event, *account; /* account: the owner's */
	const char *type;
	const char *channel;  /* NULL: any */
	const char *listener; /* NULL: not told */
	const char *language;
	const char *status; /* should it be the first */
	bool served;        /* from request_present() */
};

/* The record in lists; what a listener is told; what a decision answers. */
extern const struct field request_fields[], request_told_fields[],
    request_decided_fields[];
extern const struct sql request_sql[];

/*
 * Whether the channel has the language already, and engines serve it; NULL channel:
 * whether any has.  If not, it is set whether engines serve the language on the
 * channel that it is for: the one that is named, else the oldest of the event, else any
 * there might be.  What is not served is to be pending.
 */
enum err request_present(struct db *, struct request_new *, bool *present) MUST_CHECK;
/* The request for the same thing, whatever became of it.  ERR_NOT_FOUND: none. */
enum err request_find(struct db *, struct arena *, const struct request_new *,
    struct listener_request *) MUST_CHECK;
/* The first of its kind, under the write lock. */
enum err request_add(struct db *, struct arena *, const struct request_new *,
    struct listener_request *) MUST_CHECK;
/* Asked for again: counted unless this listener has asked before. */
enum err request_repeat(
    struct db *, const struct request_new *, struct listener_request *) MUST_CHECK;
/*
 * Languages of approved requests that a job has still to put on a channel, or that
 * wait for one; a list of const char *; one may be there twice.
 */
enum err request_queued(
    struct db *, struct arena *, const char *event, struct list *) MUST_CHECK;

/* One of an event of the account. */
enum err request_get(struct db *, struct arena *, const char *account,
    const char *event, const char *id, struct listener_request *) MUST_CHECK;
/* The pending ones of an event of the account, oldest first; type NULL: all. */
enum err request_list(struct db *, struct arena *, const char *account,
    const char *event, const char *type, struct list *) MUST_CHECK;
/*
 * Decide a pending one of an event of the account; reason or NULL.  ERR_STALE: it
 * is not pending.
 */
enum err request_decide(struct db *, const char *account, const char *event,
    struct listener_request *, const char *status, const char *reason) MUST_CHECK;

#endif
