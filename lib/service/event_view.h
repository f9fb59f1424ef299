#ifndef SERVICE_EVENT_VIEW_H
#define SERVICE_EVENT_VIEW_H

#include "store/events.h"

/* Every address in an event: QR codes, and the cover image, signed for blob.url_s. */
void event_show(const struct conf *, struct arena *, struct event *, int64_t now_us);

#endif
