/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_NODE_CLAIM_H
#define GATEWAY_NODE_CLAIM_H

#include "service/node.h"
#include "web/web.h"

/*
 * True if this node serves the session or channel, by the node in its row. It claims a
 * row without a node, or with a dead one. False: *no is the refusal. If another node
 * serves it, *no is a 307 whose Location is the same socket there.
 */
bool node_is_ours(struct request *, const struct node_task *, struct reply *no);

/* As node_is_ours(), without a waiting client. ERR_CONFLICT: node *other serves it. */
enum err node_claim(struct db *, struct arena *, const struct conf *,
    const struct node_task *, struct node *other) MUST_CHECK;

#endif
