#ifndef SERVICE_EVENT_VIEW_H
#define SERVICE_EVENT_VIEW_H

#include "store/events.h"

/*
 * Every address in an event: QR codes, and the cover image, signed for blob.url_s
 * from that moment on.  The public view gives one that is up to blob.url_s ahead, so
 * its link lives between 1 and 2 times that long.
 */
void event_show(const struct conf *, struct arena *, struct event *, int64_t now_us);

#endif
