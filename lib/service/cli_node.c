/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/cli_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/channels.h"
#include "store/leases.h"
#include "store/nodes.h"

#define WITHIN_S 600 /* a drain takes this time unless --within says another */
#define PAUSE_S 15   /* in which a channel that was told to leave finds a pause */

int
cli_node_list(struct cli *c)
{
	struct list l;
	enum err e;

	if ((e = node_summaries(c->db, c->mem, &l)) != OK)
		return cli_fail("node list", e);
	cli_show_list(c, node_summary_fields, &l, sizeof(struct node_summary));
	return EXIT_SUCCESS;
}

static int
failed(struct cli *c, enum err e)
{
	if (e == ERR_NOT_FOUND)
		return cli_error("there is no node %s", c->arg);
	if (e == ERR_CONFLICT)
		return cli_error("node %s is alive: stop its gateway first", c->arg);
	return cli_fail(c->arg, e);
}

/* ---- moving channels ---- */

static enum err
move(struct cli *c, const char *channel, const char *from, const char *to)
{
	const struct node_task t = { NODE_CHANNEL, channel, from };
	enum err e = lease_hand(c->db, channel, from, to);

	return e == ERR_NOT_FOUND ? node_move(c->db, &t, to) : e;
}

/* Its gateway notices this within 3 s, and lets go between two phrases. */
int
cli_channel_move(struct cli *c)
{
	struct channel is;
	struct node n;
	enum err e;

	if (c->to == NULL)
		return cli_usage("channel move needs the channel_id and the node");
	if ((e = channel_on_air(c->db, c->mem, c->arg, &is)) == ERR_NOT_FOUND)
		return cli_error("no channel %s can be on air", c->arg);
	if (e == OK && (e = node_get(c->db, c->mem, c->to, &n)) == ERR_NOT_FOUND)
		return cli_error("there is no node %s", c->to);
	if (e == OK && !node_is_alive(&n))
		return cli_error("node %s is dead", c->to);
	if (e == OK)
		e = move(c, is.id, is.node, n.id);
	return e == OK ? EXIT_SUCCESS : cli_fail(c->arg, e);
}

/*
 * Move so many channels that the rest follow in equal steps, and the last of them has
 * the time to wait for a pause.
 */
static enum err
move_some(struct cli *c, const struct list *all, int64_t left_s)
{
	const struct node_channel *of = all->items;
	size_t n = all->n / (size_t)(left_s > PAUSE_S ? left_s - PAUSE_S : 1) + 1;
	struct node to;
	enum err e = OK;

	for (size_t i = 0; e == OK && i < all->n && n > 0; i++) {
		if (of[i].handed)
			continue;
		n--;
		if ((e = node_choose_other(c->db, c->mem, c->arg, false, &to)) == OK)
			e = move(c, of[i].id, c->arg, to.id);
	}
	if (e == ERR_NOT_FOUND) /* no other node is there */
		e = OK;
	return e == ERR_STALE ? OK : e;
}

/* ---- draining ---- */

/* *left: sockets and tasks of the node that are still there. */
static enum err
drain_step(struct cli *c, int64_t left_s, int64_t *left)
{
	struct list all;
	struct node n;
	enum err e;

	if ((e = node_release(c->db, c->arg)) != OK ||
	    (e = node_channels(c->db, c->mem, c->arg, &all)) != OK ||
	    (e = move_some(c, &all, left_s)) != OK ||
	    (e = node_get(c->db, c->mem, c->arg, &n)) != OK)
		return e;
	*left = (int64_t)all.n;
	if (node_is_alive(&n))
		*left += n.connections + n.tasks;
	return OK;
}

int
cli_node_drain(struct cli *c)
{
	const char *within = cli_option(c, "within");
	int64_t end = monotonic_us(), left = 1;
	enum err e;

	if (c->arg == NULL)
		return cli_usage("node drain needs the id of the node");
	end += (within != NULL ? atoll(within) : WITHIN_S) * S_US;
	if ((e = node_drain(c->db, c->arg, true)) != OK)
		return failed(c, e);
	while ((e = drain_step(c, (end - monotonic_us()) / S_US, &left)) == OK &&
	       left > 0 && monotonic_us() < end)
		usleep(S_US);
	if (e != OK)
		return failed(c, e);
	if (left > 0)
		return cli_error(
		    "node %s still has %lld sockets, tasks and channels; it "
		    "takes no new ones",
		    c->arg, (long long)left);
	return EXIT_SUCCESS;
}

int
cli_node_resume(struct cli *c)
{
	enum err e;

	if (c->arg == NULL)
		return cli_usage("node resume needs the id of the node");
	e = node_drain(c->db, c->arg, false);
	return e == OK ? EXIT_SUCCESS : failed(c, e);
}

int
cli_node_remove(struct cli *c)
{
	enum err e;

	if (c->arg == NULL)
		return cli_usage("node remove needs the id of the node");
	e = node_remove(c->db, c->mem, c->arg);
	return e == OK ? EXIT_SUCCESS : failed(c, e);
}
