/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/node_claim.h"

#include <string.h>

#include "base/log.h"
#include "cluster/cluster.h"
#include "gateway/leases.h"
#include "service/node.h"

/* The other node may have given it up meanwhile. If this node may take nothing, another
   one will. */
static enum err
find_other(struct gateway *g, struct arena *mem, const char *id, struct node *other)
{
	enum err e =
	    id == NULL || strcmp(id, g->conf->node) == 0
		? node_choose_other(g->app.db, mem, g->conf->node, g->isolated, other)
		: node_get(g->app.db, mem, id, other);

	return e == OK ? ERR_CONFLICT : e == ERR_NOT_FOUND ? ERR_BUSY : e;
}

static enum err
claim_lease(struct gateway *g, struct arena *mem, const struct node_task *t,
    struct lease *lease, struct node *other)
{
	enum err e = leases_take(g, t->id, t->anywhere && g->cluster != NULL, lease);

	if (e != ERR_CONFLICT)
		return e;
	*lease = (struct lease){ 0 };
	return t->anywhere && cluster_is_connected(g->cluster)
		   ? OK
		   : find_other(g, mem, t->node, other);
}

enum err
node_claim(struct gateway *g, struct arena *mem, const struct node_task *t,
    struct lease *lease, struct node *other)
{
	enum err e;

	if (t->kind == NODE_CHANNEL && g->leases != NULL)
		return claim_lease(g, mem, t, lease, other);
	if (t->node != NULL && strcmp(t->node, g->conf->node) == 0)
		return OK;
	if (t->node != NULL) {
		e = node_get(g->app.db, mem, t->node, other);
		if (e == OK && g->cluster != NULL && other->draining_us != NULL_INT)
			e = ERR_NOT_FOUND; /* its sockets come here */
		if (e != ERR_NOT_FOUND && (e != OK || node_is_alive(other)))
			return e == OK ? ERR_CONFLICT : e;
		log_info("%s was served by node %s", t->id, t->node);
	}
	e = node_move(g->app.db, t, g->conf->node);
	return e == ERR_STALE ? ERR_BUSY : e; /* another node claimed it first */
}

/*
 * Clients that follow redirects connect to the URL with their token in the query.
 * Other clients get a readable error.
 */
static struct reply
send_there(struct request *rq, const struct node *n)
{
	const struct conf *at = node_conf(rq->conf, rq->mem, n);
	bool socket = rq->param(rq, "HTTP_UPGRADE") != NULL;
	const char *url = socket ? stream_url(at, rq->mem, rq->target)
				 : stream_http_url(at, rq->mem, rq->target);
	struct reply no = problem(rq, P_OTHER_NODE,
	    "Another node serves this: connect to %.*s.", (int)strcspn(url, "?"), url);

	header(rq, "Location", "%s", url);
	return no;
}

bool
node_is_ours(struct gateway *g, struct request *rq, const struct node_task *t,
    struct lease *lease, struct reply *no)
{
	struct node other;
	enum err e = node_claim(g, rq->mem, t, lease, &other);

	if (e == OK)
		return true;
	*no = e == ERR_CONFLICT ? send_there(rq, &other) : problem_err(rq, e);
	return false;
}
