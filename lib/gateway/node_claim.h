/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_NODE_CLAIM_H
#define GATEWAY_NODE_CLAIM_H

#include "gateway/gateway.h"
#include "service/node.h"

/*
 * True if this node serves the session or channel, by the node in its row. It claims a
 * row without a node, or with a dead one. False: *no is the refusal. If another node
 * serves it, *no is a 307 whose Location is the same socket there.
 */
bool node_is_ours(struct gateway *, struct request *, const struct node_task *,
    struct lease *, struct reply *no);

/*
 * As node_is_ours(), without a waiting client. ERR_CONFLICT: node *other serves it.
 * *lease: of a channel, see leases.h; epoch 0: it joins the owner as a guest.
 */
enum err node_claim(struct gateway *, struct arena *, const struct node_task *,
    struct lease *, struct node *other) MUST_CHECK;

#endif
