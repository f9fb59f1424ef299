/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CHANNEL_INGRESS_H
#define CHANNEL_CHANNEL_INGRESS_H

#include "session/session.h"
#include "store/channels.h"

/*
 * The stream that comes into a channel: a child dragoman-ingress receives and decodes
 * it (ingress/ingress_wire.h), and its packets are the channel's sound.  The child runs
 * as long as the channel is served; when it ends, after a sender or by an accident,
 * another one follows.  All but channel_ingress_order() belongs to the event loop.
 */
struct channel_ingress;

/* What its child is told, JSON; NULL: no stream comes in by a child. */
const char *channel_ingress_order(
    const struct conf *, struct arena *, const struct channel *);

/* From now on with this order (copied); a reference to the session is held. */
void channel_ingress_open(struct session *, const char *order);
/* End the child.  Nothing happens if there is none. */
void channel_ingress_close(struct session *);
/* Take what has come, start what has to be started. */
void channel_ingress_tick(struct session *, int64_t now_us);

#endif
