#ifndef SESSION_CHANNEL_SESSIONS_H
#define SESSION_CHANNEL_SESSIONS_H

#include "server/gateway.h"

/*
 * Halls are sessions of channels whose speakers come by a media server, so that nobody
 * opens a socket: each ready channel of an account that can pay has one, by its row,
 * with the RTP bridge at its broadcast.
 */

/* On the database thread, as often as one likes: every 4 s the rows are read. */
void channel_sessions_poll(struct gateway *);

#endif
