#ifndef SERVER_SOCKET_QUOTA_H
#define SERVER_SOCKET_QUOTA_H

#include "server/gateway.h"

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
enum socket_quota { SOCKET_QUOTA_FREE, SOCKET_QUOTA_IN_USE, SOCKET_QUOTA_FULL };

/* Not SOCKET_QUOTA_FREE: *why is a sentence for the client. */
enum socket_quota socket_quota_is(
    const struct gateway *, const struct connection_request *, const char **why);
void socket_quota_add(struct gateway *, struct connection_request *);
/* The connection closed, or never opened.  From the event loop. */
void socket_quota_leave(struct gateway *, const struct connection_request *);

#endif
