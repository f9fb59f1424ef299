/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CHANNEL_LEASES_H
#define CHANNEL_CHANNEL_LEASES_H

#include "gateway/gateway.h"

/*
 * The leases of open channels, on the event loop. A channel whose lease is over ends
 * before anything else is done: another node may have it.
 */

/* Call it first in each turn. */
void channel_leases_turn(struct gateway *, int64_t now_us);
/* Give up the lease of a channel that leaves this node. */
void channel_lease_drop(struct session *);

#endif
