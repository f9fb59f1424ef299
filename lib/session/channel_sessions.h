#ifndef SESSION_CHANNEL_SESSIONS_H
#define SESSION_CHANNEL_SESSIONS_H

#include "server/gateway.h"

/*
 * Sessions of channels at a media server.  Speakers publish to the media server and
 * open no WebSocket, so the gateway opens a session for each ready channel whose
 * account has a balance.  The RTP bridge connects it to the channel's broadcast.
 */

/* On the database thread.  Call it often; it reads the rows every 4 s. */
void channel_sessions_poll(struct gateway *);

#endif
