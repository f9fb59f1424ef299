/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_PUBLIC_VIEW_H
#define SERVICE_PUBLIC_VIEW_H

#include "base/conf.h"
#include "base/json_writer.h"
#include "store/events.h"
#include "store/public_view_cache.h"

/*
 * The public view of an event. Its body is cached in the bundle; the status and the
 * link of the cover, which change with time, are added.
 */
struct public_view {
	const char *body; /* JSON members */
	const char *status;
	const char *cover_url; /* signed, for 1 to 2 times blob.url_s; or NULL */
	const char *tag;       /* entity tag, strong, with its quotes */
};

/*
 * Get the view of the event whose bundle was read at now_us. If there is none, or
 * another build or address made it, it is rendered, and stored unless another process
 * is writing. Waits for no lock and ends its own transaction. ERR_NOT_FOUND: the event
 * is gone. ERR_STALE: the access code has changed since the bundle was read, so the
 * listener must be checked again.
 */
enum err public_view_get(struct db *, struct arena *, const struct conf *,
    struct cached_view *, int64_t now_us, struct public_view *) MUST_CHECK;
/* Write its members into an open object. */
void public_view_write(struct json_writer *, const struct public_view *);

/*
 * Fill in all addresses of an event: QR codes, and the link of the cover image, signed
 * for blob.url_s from now_us on.  The public view passes a time up to blob.url_s ahead,
 * so its link is valid for 1 to 2 times blob.url_s.  Nouns: event.
 */
void event_show(const struct conf *, struct arena *, struct event *, int64_t now_us);

#endif
