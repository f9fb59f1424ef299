/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_HLS_ROUTES_H
#define SERVER_HLS_ROUTES_H

#include "web/web.h"

/*
 * HLS with low latency: the web server passes on requests for playlists to come, for
 * changes of playlists, and for parts that may not exist yet. It serves all other files
 * itself, as etc/apache.conf and etc/lighttpd.conf say.
 */
#define HLS_PATH "/hls/{folder}/{file}"

struct reply hls_get(struct request *);

/* A listener by HLS reports; the query is a struct stream_in. */
#define HLS_LISTENER_PATH "/streaming-api/hls-listener"
struct reply hls_listener(struct request *);
extern const struct field hls_report_fields[]; /* the answer */

#endif
