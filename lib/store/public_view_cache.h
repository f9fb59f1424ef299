/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_PUBLIC_VIEW_CACHE_H
#define STORE_PUBLIC_VIEW_CACHE_H

#include "db/db.h"

/* The public side of an event: the fields that decide about access, its current status,
   and its public view, which is rendered once and stored until the event changes. */
struct cached_view {
	const char *event, *account; /* account: the event's owner */
	const char *access_code;     /* or NULL */
	int64_t code_version; /* changes of the code; listeners' tokens contain it */
	const char *listener_mode; /* off, approval, auto */
	const char *transcript;    /* off, organizer, public */
	const char *status;        /* lifecycle status at now_us */
	const char *cover_key;     /* or NULL */
	const char *cover_blob;    /* the stored blob with that key, or NULL */
	const char *maker;         /* identifies the renderer; NULL: not cached */
	const char *hash;          /* hash of body */
	const char *body;          /* JSON members that change only with the event */
};

extern const struct sql public_view_cache_sql[];

/* Read the event of any active account in one statement.  ERR_NOT_FOUND: also if the
   account is suspended. */
enum err public_view_cache_get(struct db *, struct arena *, const char *event,
    int64_t now_us, struct cached_view *) MUST_CHECK;
/* As public_view_cache_get(), without maker, hash and body. */
enum err public_view_cache_head(struct db *, struct arena *, const char *event,
    int64_t now_us, struct cached_view *) MUST_CHECK;
/* Store event, maker, hash and body, in the transaction that read the event. */
enum err public_view_cache_put(struct db *, const struct cached_view *) MUST_CHECK;
/* Call this in the transaction of every change of the event, its stages or its
   channels. */
enum err public_view_cache_drop(struct db *, const char *event) MUST_CHECK;
/* Drop the views of all events; call it when the engines' languages change. */
enum err public_view_cache_drop_all(struct db *) MUST_CHECK;

#endif
