/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_NODES_H
#define STORE_NODES_H

#include "db/db.h"

/*
 * The hosts that share one database.  The gateway of each writes a heartbeat.  A
 * session or channel is served by the gateway of the node in its row.  Times of several
 * hosts are compared, so their clocks must agree within a few seconds.
 */
#define NODE_BEAT_US (INT64_C(5) * 1000000) /* interval of heartbeats */
#define NODE_SILENT_US                                                                 \
	(INT64_C(15) * 1000000) /* a node without a heartbeat for this time is dead */

struct node {
	const char *id;
	const char *public_url;  /* http or https, without a slash at the end */
	const char *ingest_host; /* host for SRT; "" or NULL: that of the URL */
	int64_t connections, tasks;
	int64_t load; /* thousandths of its gateway's capacity */
	int64_t seen_us;
	const char *webrtc;      /* JSON of participants_report(); NULL: off */
	const char *nats;        /* JSON of cluster_report(); NULL: off */
	const char *store_fault; /* fault of its store of files, or NULL */
	const char *version;     /* its gateway's */
	int64_t schema_version;  /* that this program needs */
	int64_t draining_us;     /* when it was told to take nothing new; NULL_INT */
	const char *host;        /* mark of its machine, or NULL */
};

extern const struct sql node_sql[];

/* Write the heartbeat of a node's gateway, with these values. ERR_CONFLICT: a gateway
   on another host lives with that id. */
enum err node_beat(struct db *, const struct node *) MUST_CHECK;
/* Store the fault that the node's workers found, or NULL. Before its first heartbeat
   nothing is stored. */
enum err node_fault(struct db *, const char *id, const char *store_fault) MUST_CHECK;
/* ERR_NOT_FOUND: no gateway of that node ever wrote a heartbeat. */
enum err node_get(
    struct db *, struct arena *, const char *id, struct node *) MUST_CHECK;
bool node_is_alive(const struct node *);
enum err node_alive(struct db *, int64_t *n) MUST_CHECK;
/* List all nodes, as struct node. */
enum err node_list(struct db *, struct arena *, struct list *) MUST_CHECK;
/* A node as operators see it. */
struct node_summary {
	struct node node;
	const char *state;      /* ready, draining, or down: dead */
	int64_t channels;       /* that it owns */
	int64_t lease_until_us; /* when the first of their leases ends; NULL_INT */
};
extern const struct field node_summary_fields[]; /* fields of struct node_summary */
/* List all nodes, as struct node_summary. */
enum err node_summaries(struct db *, struct arena *, struct list *) MUST_CHECK;
/* Choose the live node with the least load: id and public_url.  The load of a new
   session is added to it until its next heartbeat.  ERR_NOT_FOUND: no node is alive. */
enum err node_choose(struct db *, struct arena *, struct node *) MUST_CHECK;
/* As node_choose(), but not this node; joined: one that is connected to NATS. */
enum err node_choose_other(struct db *, struct arena *, const char *but, bool joined,
    struct node *) MUST_CHECK;
/* ERR_NOT_FOUND: no other node than this is alive, connected to NATS and not drained.
 */
enum err node_any_joined(struct db *, const char *but) MUST_CHECK;
/* Let a node take no new sessions and channels, or take them again. ERR_NOT_FOUND. */
enum err node_drain(struct db *, const char *id, bool drain) MUST_CHECK;
/* Give up the channels of a node that are not on air, or have its gateway give them up:
   the node that is asked for one takes it. */
enum err node_release(struct db *, const char *id) MUST_CHECK;
struct node_channel {
	const char *id;
	bool handed; /* it has been told to leave this node */
};
/* List the channels of a node that are on air, as struct node_channel. */
enum err node_channels(
    struct db *, struct arena *, const char *id, struct list *) MUST_CHECK;
/* Delete a node that is dead. ERR_CONFLICT: it is alive. ERR_NOT_FOUND. */
enum err node_remove(struct db *, struct arena *, const char *id) MUST_CHECK;
/* Delete nodes without a heartbeat since before_us, and their workers. */
enum err node_forget(struct db *, int64_t before_us) MUST_CHECK;

/* A session or channel, and the node in its row, or NULL. */
struct node_task {
	enum { NODE_SESSION, NODE_CHANNEL } kind;
	const char *id, *node;
	bool anywhere; /* a node that another one has may be joined from here */
};

/* Move a session or channel from its node to another. ERR_STALE: it is at a third node,
   or deleted. */
enum err node_move(struct db *, const struct node_task *, const char *to) MUST_CHECK;

/* fingerprints: what nodes must have in common */

struct fingerprint {
	const char *name;  /* secret.key, store, bucket */
	const char *value; /* 16 hex digits */
	const char *node;  /* the node that set it */
	int64_t set_us;
};

/* List all fingerprints, as struct fingerprint. */
enum err fingerprint_list(struct db *, struct arena *, struct list *) MUST_CHECK;
/* Set a fingerprint unless it is set. */
enum err fingerprint_add(struct db *, const struct fingerprint *) MUST_CHECK;
/* Set a fingerprint; replaces a stored one. */
enum err fingerprint_put(struct db *, const struct fingerprint *) MUST_CHECK;

#endif
