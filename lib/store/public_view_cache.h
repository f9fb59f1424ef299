#ifndef STORE_PUBLIC_VIEW_CACHE_H
#define STORE_PUBLIC_VIEW_CACHE_H

#include "db/db.h"

/*
 * An event as the public sees it: what decides on access to it, how it stands
 * now, and its public view, made once and kept until the event changes.
 */
struct cached_view {
	const char *event, *account; /* account: the owner's */
	const char *access_code;     /* or NULL */
	int64_t code_version;      /* changes of it so far; listeners' tokens name it */
	const char *listener_mode; /* off, approval, auto */
	const char *transcript;    /* off, organizer, public */
	const char *status;        /* lifecycle, at the moment asked for */
	const char *cover_key;     /* or NULL */
	const char *cover_blob;    /* the stored blob that the key names, or NULL */
	const char *maker;         /* what made the body; NULL: none is kept */
	const char *hash;          /* of body */
	const char *body;          /* JSON members that stay until a change */
};

extern const struct sql public_view_cache_sql[];

/* Any active account's event, in one statement; of a suspended one there is none. */
enum err public_view_cache_get(struct db *, struct arena *, const char *event,
    int64_t now_us, struct cached_view *) MUST_CHECK;
/* The same without maker, hash and body: the event's head alone. */
enum err public_view_cache_head(struct db *, struct arena *, const char *event,
    int64_t now_us, struct cached_view *) MUST_CHECK;
/* Keep event, maker, hash and body, in the transaction that read the event. */
enum err public_view_cache_put(struct db *, const struct cached_view *) MUST_CHECK;
/* In the transaction of every change of the event, its stages or its channels. */
enum err public_view_cache_drop(struct db *, const char *event) MUST_CHECK;
/* The same for all events, when engines serve others than before. */
enum err public_view_cache_drop_all(struct db *) MUST_CHECK;

#endif
