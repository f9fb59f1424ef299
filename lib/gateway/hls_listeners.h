/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_HLS_LISTENERS_H
#define GATEWAY_HLS_LISTENERS_H

#include "gateway/gateway.h"
#include "store/listening.h"

/*
 * Listeners by HLS, which have no connection: their pages report from time to time.
 * Used by the database thread only. A listener counts until two reports are missing. At
 * most HLS_LISTENERS_MOST count, and as many of one network as may hold sockets.
 */
struct hls_listeners;

#define HLS_LISTENERS_MOST 100000
/* Seconds between two reports of a page; longer if there are many listeners. */
#define HLS_LISTENERS_S 30

struct hls_listeners *hls_listeners_new(struct arena *);
/*
 * Count a listener, or count it on. listening: the listeners member is ignored. Returns
 * the seconds until the page must report again.
 */
int64_t hls_listeners_add(struct hls_listeners *, const struct listening *,
    const char *listener, const char *network, int64_t network_most, int64_t now_us);
/* Forget those that no longer report. True if the numbers have changed since
   hls_listeners_counts(). */
bool hls_listeners_expire(struct hls_listeners *, int64_t now_us);
/* The numbers, added to these: struct listening, of the arena. */
struct list hls_listeners_counts(
    struct hls_listeners *, struct arena *, const struct list *others);

#endif
