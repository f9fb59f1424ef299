#ifndef SERVICE_WEBHOOK_TRY_H
#define SERVICE_WEBHOOK_TRY_H

#include "base/conf.h"
#include "store/webhook_deliveries.h"

#define WEBHOOK_TRY_S 15 /* that a try takes at most */

/*
 * One try of a delivery, on any thread: the message is sent, signed, and judged by
 * what it was answered.  is_unwanted: see net/http.h; or NULL.  ERR_BUSY: it was
 * unwanted, and nothing is known.  Else OK, whatever became of it.
 */
enum err webhook_try(const struct conf *, struct arena *, const struct webhook_due *,
    const struct webhook_delivery *, bool (*is_unwanted)(void *),
    struct webhook_result *) MUST_CHECK;

#endif
