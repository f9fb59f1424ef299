/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_LISTENER_LIMIT_H
#define GATEWAY_LISTENER_LIMIT_H

#include "gateway/gateway.h"

/*
 * Limits of open sockets.  The database thread counts them at admission.
 *
 *  all       stream.max_per_address for an address (IPv6: /64); a tenth more for the
 *            token of a publisher
 *  STT, TTS  one of each kind per session; not for a session opened by a key
 *  S2S       subscribers only: 2 per listener_id; stream.max_listeners per channel
 *            or session; 9/10 of stream.max_connections in all, so that publishers
 *            still get in; when a channel or the gateway is 80 % full, 1/10 of its
 *            limit per address
 */
enum listener_limit { LISTENER_LIMIT_FREE, LISTENER_LIMIT_IN_USE, LISTENER_LIMIT_FULL };

/* If the result is not LISTENER_LIMIT_FREE, *why is a sentence for the client. */
enum listener_limit listener_limit_is(
    const struct gateway *, const struct connection_request *, const char **why);
void listener_limit_add(struct gateway *, struct connection_request *);
/* The connection closed, or never opened.  From the event loop. */
void listener_limit_leave(struct gateway *, const struct connection_request *);

#endif
