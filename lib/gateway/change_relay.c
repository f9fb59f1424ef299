/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/change_relay.h"

#include <string.h>

#include "base/clock.h"
#include "cluster/cluster.h"
#include "db/local_pulse.h"

#define SUBJECT "changed"   /* a message is the id of the node */
#define TELL_US (S_US / 10) /* least time between two hints */

/* On the database thread, as change_relay_note(), so hints are never sent back. */
static void
carry(struct gateway *g, struct thread_call *e)
{
	g->changes.carried++;
	local_pulse_carry();
	arena_free(e->message.mem);
}

static void
receive(struct gateway *g, struct thread_call *e)
{
	const struct cluster_message *m = (const struct cluster_message *)e;
	const char *own = g->conf->node;

	if (m->n == strlen(own) && memcmp(m->bytes, own, m->n) == 0) {
		arena_free(e->message.mem);
		return;
	}
	e->run = carry;
	mailbox_send(g->to_db_thread, &e->message);
}

void
change_relay_start(struct gateway *g)
{
	if (g->cluster != NULL)
		cluster_subscribe(g->cluster, SUBJECT, receive, NULL);
}

void
change_relay_note(struct gateway *g, int64_t pulse, int64_t now_us)
{
	int64_t own = pulse - g->changes.carried;

	if (g->cluster == NULL || own == g->changes.told ||
	    now_us < g->changes.told_us + TELL_US)
		return;
	g->changes.told = own;
	g->changes.told_us = now_us;
	cluster_publish(g->cluster, SUBJECT, g->conf->node, strlen(g->conf->node));
}
