#ifndef SERVER_NODE_CLAIM_H
#define SERVER_NODE_CLAIM_H

#include "service/node.h"
#include "web/web.h"

/*
 * Whether this node serves a session or channel, by the node that its row names.  What
 * has none, or a dead one, this node takes.  False: *no is the refusal; that of another
 * node's is a 307 whose Location is the same socket there.
 */
bool node_is_ours(struct request *, const struct node_task *, struct reply *no);

/* The same without a client that waits: ERR_CONFLICT, another node has it. */
enum err node_claim(struct db *, struct arena *, const struct conf *,
    const struct node_task *, struct node *other) MUST_CHECK;

#endif
