/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CHANNEL_INGRESS_H
#define CHANNEL_CHANNEL_INGRESS_H

#include "session/session.h"
#include "store/channels.h"

/*
 * The incoming stream of a channel. A child dragoman-ingress receives and decodes it
 * (ingress/ingress_wire.h); its packets are the channel's sound. The child runs while
 * the channel is served. When it ends, after a sender or by a crash, another one is
 * started. All but channel_ingress_order() belongs to the event loop.
 */
struct channel_ingress;

/* The order for the child, JSON; NULL: the channel has no incoming stream. */
const char *channel_ingress_order(
    const struct conf *, struct arena *, const struct channel *);

/* Receive by this order, which is copied. Holds a reference to the session. */
void channel_ingress_open(struct session *, const char *order);
/* Stop the child; does nothing if there is none. */
void channel_ingress_close(struct session *);
/* Handle the child's messages, and start a child if one is due. */
void channel_ingress_tick(struct session *, int64_t now_us);

#endif
