#ifndef STORE_EVENT_SEARCH_H
#define STORE_EVENT_SEARCH_H

#include "store/events.h"

extern const struct sql event_search_sql[];

/*
 * Places (seq) of events in whose title or description each word of q->q is
 * found, newest first, at most q->limit, put behind each other into *found.
 * A search that finds little ends after so much was looked at; *rest is the
 * place it would go on behind, INT64_MIN when there is nothing left.
 */
enum err event_search(struct db *, const char *account, const struct event_query *,
    struct buf *found, int64_t *rest) MUST_CHECK;

#endif
