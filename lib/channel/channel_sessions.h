/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CHANNEL_SESSIONS_H
#define CHANNEL_CHANNEL_SESSIONS_H

#include "gateway/gateway.h"

/*
 * Sessions of channels whose speakers open no WebSocket: they publish to a media
 * server, or send a stream.  The gateway opens one for each such channel that is ready
 * and whose account has a balance.  An output connects it to the channel's broadcast,
 * or a child receives the stream.
 */

/*
 * Call it on the database thread, often and after changes of the database. Five times a
 * second it checks whether a channel was added or changed, and then reads the rows. It
 * also reads them every 4 s, or every 12 s while nothing is served.
 */
void channel_sessions_poll(struct gateway *);
/* The monotonic time of the next call while nothing is served or changes. */
int64_t channel_sessions_due_us(const struct gateway *);

/* Open the session of a channel if this node can own it. guests: see relay_start().
   From the event loop. */
void channel_sessions_wake(struct gateway *, const char *channel, const char *guests);

#endif
