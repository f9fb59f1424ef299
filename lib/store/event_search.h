/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_EVENT_SEARCH_H
#define STORE_EVENT_SEARCH_H

#include "store/events.h"

extern const struct sql event_search_sql[];

/*
 * Append to found the seq of each event that contains every word of q->q in its title
 * or description, newest first, at most q->limit.  A search with few matches stops
 * after a limit of candidates; *rest is the seq to continue after, INT64_MIN: the
 * search is complete.
 */
enum err event_search(struct db *, const char *account, const struct event_query *,
    struct buf *found, int64_t *rest) MUST_CHECK;

#endif
