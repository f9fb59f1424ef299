#ifndef SERVICE_PUBLIC_VIEW_H
#define SERVICE_PUBLIC_VIEW_H

#include "base/conf.h"
#include "base/json_writer.h"
#include "store/events.h"
#include "store/public_view_cache.h"

/*
 * What everybody sees of an event.  Its body is kept in the bundle; what time
 * alone changes, the status and the link of the cover, is written around it.
 */
struct public_view {
	const char *body; /* JSON members */
	const char *status;
	const char *cover_url; /* signed, for 1 to 2 times blob.url_s; or NULL */
	const char *tag;       /* entity tag, strong, with its quotes */
};

/*
 * The view of the event whose bundle was read at that moment; made, and kept
 * unless another process writes just now, when there is none or another build or
 * address made it.  Waits for no lock and ends its own transaction.  ERR_NOT_FOUND: the
 * event is gone.  ERR_STALE: its access code is not the bundle's any more, so a
 * listener that was admitted with that code must be checked anew.
 */
enum err public_view_get(struct db *, struct arena *, const struct conf *,
    struct cached_view *, int64_t now_us, struct public_view *) MUST_CHECK;
/* Its members, into an object that is open. */
void public_view_write(struct json_writer *, const struct public_view *);

/*
 * Fill in all addresses of an event: QR codes, and the link of the cover image, signed
 * for blob.url_s from now_us on.  The public view passes a time up to blob.url_s ahead,
 * so its link is valid for 1 to 2 times blob.url_s.  Nouns: event.
 */
void event_show(const struct conf *, struct arena *, struct event *, int64_t now_us);

#endif
