/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CHANNEL_DRAIN_H
#define CHANNEL_CHANNEL_DRAIN_H

#include "gateway/gateway.h"

/*
 * Emptying a node that NATS joins to others: `dragoman node drain`, or SIGTERM. It
 * hands its channels over between two phrases and serves its sockets as a guest, until
 * they have been told to come again, a few at a time over cluster.drain_s.
 */

/* Read whether the node is being drained. On the database thread, with each heartbeat.
 */
void channel_drain_look(struct gateway *, struct arena *);
/*
 * Hand the channels over if NATS joins other nodes, but not this one: the listeners
 * there hear nothing. On the database thread.
 */
void channel_drain_watch(struct gateway *, struct arena *);
/* Close the sockets that are due. In each turn of the event loop. */
void channel_drain_turn(struct gateway *, int64_t now_us);
/* Wait until the node is empty, or for cluster.drain_s. On a thread that may wait. */
void channel_drain_leave(struct gateway *);

#endif
