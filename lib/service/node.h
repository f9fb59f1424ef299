#ifndef SERVICE_NODE_H
#define SERVICE_NODE_H

#include "base/conf.h"
#include "store/nodes.h"
#include "work/work.h"

/*
 * This host among those over one database: where sessions and channels are served,
 * and whether it has what all of them must have in common.
 */

/*
 * The settings as clients of a node need them: with its addresses.  No node, or this
 * one, or one whose address is not known: ours.
 */
const struct conf *node_conf(const struct conf *, struct arena *, const struct node *);

/* Addresses of the other nodes, const char *; none where that cannot be read. */
void node_urls(struct db *, struct arena *, const struct conf *, struct list *);

/*
 * Choose where something new is served, in the caller's transaction.  *node: to be
 * written in its row; NULL: no gateway is alive, the first one asked takes it.  *at:
 * node_conf() of it.
 */
enum err node_place(struct db *, struct arena *, const struct conf *, const char **node,
    const struct conf **at) MUST_CHECK;
/*
 * Where something that is there is served: *at as above.  When the gateway of its node
 * is dead, or it has none, it moves to another that is alive; that begins a
 * transaction.  ERR_BUSY: or it was moved meanwhile, and its row has to be read again.
 */
enum err node_find(struct db *, struct arena *, const struct conf *,
    const struct node_task *, const struct conf **at) MUST_CHECK;

/*
 * What of this node differs from what the database says of all: names as in struct
 * fingerprint, a list of const char *.  join: what the database does not say yet is as
 * this node has it.
 */
enum err node_differs(struct db *, struct arena *, const struct conf *, bool join,
    struct list *) MUST_CHECK;
/*
 * Whether this node is like the others, or cannot be compared: is_fit() of workers. One
 * without the others' files would take them for lost, and its jobs would fail for good.
 */
bool node_is_fit(struct work *);
/* What this node has is what all must have; in the caller's transaction. */
enum err node_accept(struct db *, struct arena *, const struct conf *) MUST_CHECK;

/*
 * Addresses of the real-time interfaces, without a query: clients append ?token=.
 * ws:// or wss://, following stream.public_url.  Nouns: stream.
 */
const char *stream_url(const struct conf *, struct arena *, const char *path);
/* Speech to speech, of a session or channel; the path names the id's first part. */
const char *stream_ws_url(const struct conf *, struct arena *, const char *id);
const char *stream_stt_url(const struct conf *, struct arena *);
const char *stream_tts_url(const struct conf *, struct arena *);
/* Participants connect by WebRTC here, as the broadcasting backend says. */
const char *stream_webrtc_url(const struct conf *, struct arena *);

#endif
