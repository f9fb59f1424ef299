/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_WEBRTC_ROUTES_H
#define SERVER_WEBRTC_ROUTES_H

#include "gateway/gateway.h"

/* HTTP of LiveKit's clients, below this path. */
#define WEBRTC_PATH "/streaming-api/webrtc"

/*
 * True if the target is below WEBRTC_PATH. The target is without the path of
 * server.base_url.
 */
bool webrtc_is_below(const char *target);
/* Normalise a target: merge repeated slashes and remove one at the end. */
const char *webrtc_target(struct arena *, const char *target);
/* The token in the query, if no header has one; or NULL. */
const char *webrtc_token(struct request *);
/* Read the parameters from the query and the token. False: *no is the error. */
bool webrtc_read_params(struct request *, struct arena *, const struct stream_token *,
    struct signal_params *, struct reply *no);
/*
 * True if the query asks to join, as at /rtc/v1, which does not exist here. Newer
 * clients get 404 and then try again without it.
 */
bool webrtc_joins_in_query(struct request *);
/* Set the headers that these clients need: plain text, readable from every origin. */
void webrtc_plain(struct request *);

#endif
