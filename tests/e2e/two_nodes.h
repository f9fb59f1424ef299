/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_E2E_TWO_NODES_H
#define TESTS_E2E_TWO_NODES_H

/*
 * Two hosts over one database: $E2E_INSTANCE, where tokens are asked for unless a case
 * says otherwise, and $E2E_OTHER.
 */
#include "stream.h"

#define TRIES 200 /* enough tries for a choice to fall on each node */

extern struct two_nodes {
	struct account me;
	const char *bases[2], *other_dir;
} two_nodes;

/* Before each case: read the environment, make an account. */
void two_nodes_open(void);
/* Returns which of the two nodes a socket's address belongs to. */
int node_of(const char *url);
/* The same address at the other node. */
const char *elsewhere(const char *url);
/* True if the node with this base says that it is well. */
bool is_well(const void *base);
/* The node's id. */
const char *id_of(int node);

/* A channel of an event, in English and Spanish. */
struct broadcast {
	const char *event, *channel, *url, *token;
};

struct broadcast broadcast_new(const char *event);
struct broadcast broadcast_at(int node);
/* Joins at this node; returns the address of the socket, with its token. */
const char *join(const struct broadcast *, int asked);
struct ws *speaker_of(const char *url, const struct broadcast *);
/* The speaker speaks, and the listener gets text and sound. */
void is_heard(struct ws *speaker, struct ws *listener);

#endif
