#ifndef SERVER_SOCKET_QUOTA_H
#define SERVER_SOCKET_QUOTA_H

#include "server/gateway.h"

/*
 * How many sockets are held, by whom, and whether one more may be.  The database thread
 *keeps count, as it admits.
 *
 *	STT, TTS   one of each kind for a session; a key brings a session of its own
 *	S2S        what may not write: 2 for a listener_id; stream.max_listeners for a
 *	           channel or session; nine tenths of stream.max_connections in all,
 *	           so that speakers still get in; and when a channel or the gateway is
 *	           80 % full, a tenth of its places for one address (IPv6: /64)
 */
enum socket_quota { SOCKET_QUOTA_FREE, SOCKET_QUOTA_IN_USE, SOCKET_QUOTA_FULL };

/* Not SOCKET_QUOTA_FREE: *why is a sentence that says what there is too much of. */
enum socket_quota socket_quota_is(
    const struct gateway *, const struct connection_request *, const char **why);
void socket_quota_add(struct gateway *, struct connection_request *);
/* It has left, or never came; from the event loop. */
void socket_quota_leave(struct gateway *, const struct connection_request *);

#endif
