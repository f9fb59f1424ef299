/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/node_claim.h"

#include <string.h>

#include "base/log.h"
#include "service/node.h"

enum err
node_claim(struct db *db, struct arena *mem, const struct conf *c,
    const struct node_task *t, struct node *other)
{
	enum err e;

	if (t->node != NULL && strcmp(t->node, c->node) == 0)
		return OK;
	if (t->node != NULL) {
		e = node_get(db, mem, t->node, other);
		if (e != ERR_NOT_FOUND && (e != OK || node_is_alive(other)))
			return e == OK ? ERR_CONFLICT : e;
		log_warn("%s was served by node %s, which is dead", t->id, t->node);
	}
	e = node_move(db, t, c->node);
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
	const char *url = stream_url(at, rq->mem, rq->target);
	struct reply no = problem(rq, P_OTHER_NODE,
	    "Another node serves this: connect to %.*s.", (int)strcspn(url, "?"), url);

	header(rq, "Location", "%s", url);
	return no;
}

bool
node_is_ours(struct request *rq, const struct node_task *t, struct reply *no)
{
	struct node other;
	enum err e = node_claim(rq->db, rq->mem, rq->conf, t, &other);

	if (e == OK)
		return true;
	*no = e == ERR_CONFLICT ? send_there(rq, &other) : problem_err(rq, e);
	return false;
}
