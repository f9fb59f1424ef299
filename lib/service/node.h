/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_NODE_H
#define SERVICE_NODE_H

#include "base/conf.h"
#include "store/nodes.h"
#include "work/work.h"

/*
 * This host in a cluster over one database: finds the node that serves a session or
 * channel, and checks that the nodes have the same keys and stores.
 */

/*
 * Returns the settings with the addresses of a node, for its clients. Without a node,
 * for this node, or without a known address: our settings.
 */
const struct conf *node_conf(const struct conf *, struct arena *, const struct node *);

/* The addresses of the other nodes, const char *; empty if they cannot be read. */
void node_urls(struct db *, struct arena *, const struct conf *, struct list *);

/*
 * Choose the node that serves a new session or channel, in the caller's transaction.
 * *node: for its row; NULL: no gateway is alive, and the first one to be asked will
 * serve it. *at: node_conf() of the node.
 */
enum err node_assign(struct db *, struct arena *, const struct conf *,
    const char **node, const struct conf **at) MUST_CHECK;
/*
 * Find the node that serves an existing session or channel: *at as above. If it has no
 * node, or its gateway is dead, it moves to a node that is alive; that begins a
 * transaction. ERR_BUSY: the database is busy, or it was moved meanwhile, and its row
 * must be read again.
 */
enum err node_find(struct db *, struct arena *, const struct conf *,
    const struct node_task *, const struct conf **at) MUST_CHECK;

/*
 * The settings in which this node differs from the cluster: names of struct
 * fingerprint, a list of const char *. join: store this node's values where the
 * database has none.
 */
enum err node_differs(struct db *, struct arena *, const struct conf *, bool join,
    struct list *) MUST_CHECK;
/*
 * True if this node matches the cluster or cannot be compared: is_fit() of workers. A
 * node without the cluster's files would take them for lost, and its jobs would fail
 * permanently.
 */
bool node_is_fit(struct work *);
/* Store this node's values as those of the cluster, in the caller's transaction. */
enum err node_accept(struct db *, struct arena *, const struct conf *) MUST_CHECK;

/*
 * Addresses of the real-time interfaces, without a query: clients append ?token=.
 * ws:// or wss://, following stream.public_url.  Nouns: stream.
 */
const char *stream_url(const struct conf *, struct arena *, const char *path);
/* The gateway's address with the scheme of HTTP, and a path. */
const char *stream_http_url(const struct conf *, struct arena *, const char *path);
/* Speech to speech, of a session or channel; the path names the id's first part. */
const char *stream_ws_url(const struct conf *, struct arena *, const char *id);
const char *stream_stt_url(const struct conf *, struct arena *);
const char *stream_tts_url(const struct conf *, struct arena *);
/* Address for participants by WebRTC. NULL if the broadcasting backend has none. */
const char *stream_webrtc_url(const struct conf *, struct arena *);
/*
 * The address of a channel for WHIP; NULL: the backend's WebRTC is not the gateway's,
 * or off.
 */
const char *stream_whip_url(const struct conf *, struct arena *, const char *channel);

#endif
