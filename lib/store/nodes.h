#ifndef STORE_NODES_H
#define STORE_NODES_H

#include "db/db.h"

/*
 * The hosts over one database.  The gateway of each leaves a heartbeat; a session
 * or channel is served by the gateway of the node that its row names.  Times of
 * several hosts are compared here: their clocks must agree within a few seconds.
 */
#define NODE_BEAT_US (INT64_C(5) * 1000000)    /* between two heartbeats */
#define NODE_SILENT_US (INT64_C(15) * 1000000) /* without one: the node is dead */

struct node {
	const char *id;
	const char *public_url;  /* http or https, no slash at its end */
	const char *ingest_host; /* where SRT is sent to; "" or NULL: that of the URL */
	int64_t connections, tasks;
	int64_t load; /* thousandths of what its gateway takes */
	int64_t seen_us;
	const char *webrtc;      /* JSON of participants_report(); NULL: it is off */
	const char *store_fault; /* fault of its store of files, or NULL */
};

extern const struct field node_fields[]; /* of struct node */
extern const struct sql node_sql[];

/* Its gateway is alive, now; the rest is as the node says. */
enum err node_beat(struct db *, const struct node *) MUST_CHECK;
/* What its workers found; nothing is kept before its first heartbeat. */
enum err node_fault(struct db *, const char *id, const char *store_fault) MUST_CHECK;
/* ERR_NOT_FOUND: no gateway of that node was ever alive. */
enum err node_get(
    struct db *, struct arena *, const char *id, struct node *) MUST_CHECK;
bool node_is_alive(const struct node *);
enum err node_alive(struct db *, int64_t *n) MUST_CHECK;
/* All of them, a list of struct node. */
enum err node_list(struct db *, struct arena *, struct list *) MUST_CHECK;
/*
 * The node alive that has the least load: id and public_url.  What it is chosen for
 * counts as load of it until its next heartbeat.  ERR_NOT_FOUND: none is alive.
 */
enum err node_choose(struct db *, struct arena *, struct node *) MUST_CHECK;
/* Forget nodes that were silent since then, and their workers. */
enum err node_forget(struct db *, int64_t before_us) MUST_CHECK;

/* A session or channel, and the node that its row names, or NULL. */
struct node_task {
	enum { NODE_SESSION, NODE_CHANNEL } kind;
	const char *id, *node;
};

/* Move it from its node to another.  ERR_STALE: it is at a third one, or gone. */
enum err node_take(struct db *, const struct node_task *, const char *to) MUST_CHECK;

/* ---- what nodes must have in common ---- */

struct fingerprint {
	const char *name;  /* secret.key, store, bucket */
	const char *value; /* 16 hex digits */
	const char *node;  /* that set it */
	int64_t set_us;
};

/* Those that are set, a list of struct fingerprint. */
enum err fingerprint_list(struct db *, struct arena *, struct list *) MUST_CHECK;
/* Set it unless there is one. */
enum err fingerprint_add(struct db *, const struct fingerprint *) MUST_CHECK;
/* Set it, whatever there is. */
enum err fingerprint_put(struct db *, const struct fingerprint *) MUST_CHECK;

#endif
