/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NATS: a message by each server of cluster.nats, and the gateway's own connection. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "cluster/cluster.h"
#include "doctor/check.h"
#include "store/nodes.h"

#define CONNECT_US (3 * S_US)
#define ANSWER_US (3 * S_US)
#define TURN_US 1000

/* ---- the servers ---- */

static void
never_wake(void *arg)
{
	(void)arg;
}

/* The mailbox is only looked into. */
static void
never_run(struct gateway *g, struct thread_call *call)
{
	(void)g;
	(void)call;
}

/* Wait for a message of the mailbox; false: none came in time. */
static bool
await_message(struct mailbox *box)
{
	int64_t end_us = monotonic_us() + ANSWER_US;
	struct actor_message *m = NULL;

	while (m == NULL && monotonic_us() < end_us) {
		usleep(TURN_US);
		m = mailbox_drain(box);
	}
	return m != NULL; /* it ends with the process */
}

/* Send a message to ourselves. */
static void
try_message(struct check *k, const char *server, struct cluster *c, struct mailbox *box)
{
	const char *subject = arena_printf(k->mem, "doctor.%s", id_new(k->mem));
	int64_t begun_us = monotonic_us();

	cluster_subscribe(c, subject, never_run, NULL);
	cluster_publish(c, subject, "?", 1);
	if (await_message(box))
		check_ok(k, server, "a message came back after %lld ms",
		    (long long)(monotonic_us() - begun_us) / 1000);
	else
		check_fail(k, server,
		    arena_printf(k->mem,
			"Permit cluster.user to publish and subscribe %s.>.",
			k->conf->cluster_prefix),
		    "it accepts the connection, but a message did not come back");
}

static void
check_server(struct check *k, const char *server)
{
	struct mailbox *box = mailbox_new(k->mem, never_wake, NULL);
	int64_t end_us = monotonic_us() + CONNECT_US;
	struct conf conf = *k->conf;
	struct cluster *c;

	conf.cluster_nats = server;
	if ((c = cluster_open(&conf, box, NULL)) == NULL)
		return;
	while (!cluster_is_connected(c) && monotonic_us() < end_us)
		usleep(TURN_US);
	if (cluster_is_connected(c))
		try_message(k, server, c, box);
	else
		check_fail(k, server,
		    "Start nats-server there, or correct the settings of [cluster].",
		    "%s", cluster_state(c, k->mem).fault);
	cluster_close(c);
}

/* ---- the hosts ---- */

static void
check_gateway_of(struct check *k, const struct node *n)
{
	const char *why, *fault;
	const struct json *report;

	if (n->nats == NULL) {
		check_fail(k, "gateway", "Restart the gateway.",
		    "it was started before cluster.nats was set");
		return;
	}
	report = json_read(k->mem, n->nats, strlen(n->nats), &why);
	if ((fault = json_get_text(report, "fault")) != NULL)
		check_fail(k, "gateway",
		    "Read its log, and restart it if the settings have changed.",
		    "it is not connected: %s", fault);
	else
		check_ok(k, "gateway", "is connected to %s",
		    json_get_text(report, "server"));
}

/* Without NATS several hosts work, but not together. */
static void
check_hosts(struct check *k, struct db *db)
{
	int64_t n;

	if (node_alive(db, &n) != OK)
		return;
	if (n > 1)
		check_warn(k, "cluster.nats",
		    "Run nats-server on one host, or on three, and name it in "
		    "cluster.nats of each.",
		    "is not set, and %lld hosts are alive: the addresses of a channel "
		    "work at one host only, are dead when it dies, and all listeners "
		    "of a channel must find room at that host",
		    (long long)n);
	else
		check_ok(k, "cluster.nats", "is not needed by one host");
}

void
check_nats(struct check *k)
{
	bool off = k->conf->cluster_nats[0] == '\0';
	char *list = arena_str(k->mem, k->conf->cluster_nats), *save;
	struct node n;
	struct db *db;

	for (char *s = strtok_r(list, ", ", &save); s != NULL;
	     s = strtok_r(NULL, ", ", &save))
		check_server(k, s);
	if (db_open(&db, k->conf->db_url, (int)k->conf->db_busy_ms, false) != OK)
		return;
	if (off)
		check_hosts(k, db);
	else if (node_get(db, k->mem, k->conf->node, &n) == OK && node_is_alive(&n))
		check_gateway_of(k, &n);
	db_close(db);
}
