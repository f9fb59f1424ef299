/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/handover.h"
#include "serve/cgi_child.h"
#include "serve/http_process_internal.h"

#define CHILDREN_OF_ONE 8 /* most children for one network */
#define PASS_S 10         /* for the gateway to take a connection */

bool
http_pass(struct http_process *p, struct http_connection *k)
{
	switch (handover_send(p->gateway, k->fd)) {
	case HANDOVER_SENT:
		http_drop(p, k);
		return true;
	case HANDOVER_GONE:
		http_refuse(p, k, NULL, 503);
		return true;
	case HANDOVER_FULL:
		break;
	}
	if (k->state == PASSING)
		return false;
	http_watch(p, k, EPOLL_CTL_MOD, 0);
	k->state = PASSING;
	k->until_us = monotonic_us() + PASS_S * S_US;
	p->passing++;
	return false;
}

static int
children_of(const struct http_process *p, const char *network)
{
	int n = 0;

	for (int i = 0; i < p->n_children; i++)
		n += strcmp(p->children[i].network, network) == 0;
	return n;
}

void
http_pass_to_child(
    struct http_process *p, struct http_connection *k, const struct http_head *h)
{
	struct asked asked = { .head = h, .path = k->path, .peer = k->peer };
	const struct conf *c = programs_conf(p->programs);
	struct child is = { 0 };

	snprintf(is.network, sizeof(is.network), "%s",
	    network_of(p->mem, http_head_peer(p->mem, h, k->peer, c->serve_proxies)));
	if (p->n_children == CHILDREN_MOST ||
	    children_of(p, is.network) >= CHILDREN_OF_ONE) {
		http_refuse(p, k, h, 503);
		return;
	}
	if (!http_read_head(p, k, p->head))
		return;
	http_continue(k, h);
	if ((is.pid = cgi_child_start(p->mem, c, &asked, k->fd)) < 0) {
		http_refuse(p, k, h, 503);
		return;
	}
	p->children[p->n_children++] = is;
	http_drop(p, k);
}

void
http_reap_children(struct http_process *p)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (int i = 0; i < p->n_children; i++)
			if (p->children[i].pid == pid)
				p->children[i] = p->children[--p->n_children];
}
