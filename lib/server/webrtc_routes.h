/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_WEBRTC_ROUTES_H
#define SERVER_WEBRTC_ROUTES_H

#include "gateway/gateway.h"

/* HTTP of LiveKit's clients, below this path. */
#define WEBRTC_PATH "/streaming-api/webrtc"

/* Whether the target, without the path of server.base_url, is there. */
bool webrtc_is_below(const char *target);
/* The target with repeated slashes, and one at its end, taken away. */
const char *webrtc_target(struct arena *, const char *target);
/* The token in the query, where no header has one; or NULL. */
const char *webrtc_token(struct request *);
/* What the query and the token say.  False: *no says what is wrong. */
bool webrtc_read_params(struct request *, struct arena *, const struct stream_token *,
    struct signal_params *, struct reply *no);
/*
 * Joins in the query, as at /rtc/v1, which does not exist here: newer clients try
 * again without it when they get 404.
 */
bool webrtc_joins_in_query(struct request *);
/* The answer as these clients read it: plain text, open to every origin. */
void webrtc_plain(struct request *);

#endif
