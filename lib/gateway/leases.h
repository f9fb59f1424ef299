/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_LEASES_H
#define GATEWAY_LEASES_H

#include "gateway/gateway.h"

/*
 * The leases of the channels that this node serves. Several nodes need a server of
 * databases: on others channels have no lease. All functions belong to the database
 * thread.
 */

/* Begin to use leases. */
void leases_open(struct gateway *);
/* Take a channel, or return the lease that this node has. anywhere: see lease_take().
   ERR_CONFLICT: another node owns it. */
enum err leases_take(
    struct gateway *, const char *channel, bool anywhere, struct lease *) MUST_CHECK;
/*
 * Renew the leases of the channels with a session, struct lease; *kept: the renewed
 * ones, in the arena. Others are given up some time after they were taken.
 */
enum err leases_renew(struct gateway *, struct arena *, const struct list *used,
    struct list *kept) MUST_CHECK;
/* Give up a lease now. */
void leases_drop(struct gateway *, const struct lease *);

/* Hand all channels to other nodes, in pauses of their speakers. False: no other node
   is there. */
bool leases_hand(struct gateway *, struct arena *);

#endif
