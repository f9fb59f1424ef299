/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/heartbeat.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/version.h"
#include "channel/channel_drain.h"
#include "cluster/cluster.h"
#include "gateway/listener_count.h"
#include "participant/participant.h"
#include "service/node.h"
#include "store/schema.h"

#define COMPARE_US (30 * S_US)
#define AGAIN_US S_US /* time to the next try of a heartbeat */
#define WHOLE 1000
#define UNFIT_LOAD (1000 * WHOLE) /* an unsuitable node is chosen last */
#define TASKS_EACH 4              /* tasks rated per processor */

static const char *
join_names(struct arena *mem, const struct list *names)
{
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < names->n; i++)
		buf_printf(&b, "%s%s", i > 0 ? ", " : "",
		    ((const char *const *)names->items)[i]);
	return buf_text(&b);
}

static void
compare(struct gateway *g, struct arena *mem, int64_t now)
{
	struct list names;
	enum err e;

	if (g->compared_us != 0 && now < g->compared_us + COMPARE_US)
		return;
	g->compared_us = now;
	if ((e = node_differs(g->app.db, mem, g->conf, true, &names)) != OK) {
		log_warn(
		    "this node cannot be compared with the others: %s", err_name(e));
		return;
	}
	g->unfit = names.n > 0;
	if (g->unfit)
		log_error("this node differs from the others over this database in %s; "
			  "it is given no sessions until that is mended, or accepted "
			  "by: dragoman node accept",
		    join_names(mem, &names));
}

static int64_t
larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Load in thousandths, of sockets or of recognized streams: the higher one. */
static int64_t
load_of(const struct gateway *g)
{
	int64_t most = g->conf->stream_max_asr;

	if (most == 0)
		most = TASKS_EACH * larger(sysconf(_SC_NPROCESSORS_ONLN), 1);
	return larger(WHOLE * g->connections / g->conf->stream_max_connections,
	    WHOLE * g->tasks / most);
}

/* Identifies this machine, without telling its id. */
static const char *
host_mark(struct arena *mem)
{
	struct buf b = { .mem = mem };
	char name[256] = "";

	gethostname(name, sizeof(name) - 1);
	if (!file_read("/etc/machine-id", &b))
		log_info("this host has no /etc/machine-id; its name stands for it");
	buf_str(&b, name);
	return hash_hex(mem, b.p, b.len);
}

/* Write the heartbeat, and the listener counts that have changed, in one transaction.
 */
static enum err
leave_beat(struct gateway *g, const struct node *n)
{
	struct db *db = g->app.db;
	int64_t now = now_us();
	enum err e;

	if (!listener_count_is_due(g, now))
		return node_beat(db, n);
	if ((e = db_begin(db, DB_ROWS)) != OK || (e = node_beat(db, n)) != OK ||
	    (e = listener_count_write(g, now)) != OK || (e = db_commit(db)) != OK)
		db_rollback(db);
	else
		listener_count_written(g, now);
	return e;
}

int64_t
heartbeat_due_us(const struct gateway *g)
{
	return g->beat_us + NODE_BEAT_US;
}

void
heartbeat(struct gateway *g, struct arena *mem)
{
	int64_t now = monotonic_us();
	struct node n = { .id = g->conf->node,
		.public_url = g->conf->stream_public_url,
		.ingest_host = g->conf->ingest_host,
		.connections = g->connections,
		.tasks = g->tasks,
		.version = VERSION,
		.schema_version = SCHEMA_VERSION };
	enum err e;

	if (g->app.db == NULL || g->stopping ||
	    (g->beat_us != 0 && now < heartbeat_due_us(g)))
		return;
	g->beat_us = now;
	compare(g, mem, now);
	n.webrtc = participants_report(g, mem);
	n.nats = cluster_report(g->cluster, mem);
	n.load = g->unfit || g->leaving ? UNFIT_LOAD : load_of(g);
	n.host = host_mark(mem);
	e = leave_beat(g, &n);
	g->namesake = e == ERR_CONFLICT;
	if (e == OK) {
		channel_drain_look(g, mem);
		return;
	}
	if (g->namesake)
		log_error("another host runs a gateway as node %s: it needs another "
			  "node.id; this one takes no channels",
		    n.id);
	else
		log_warn("cannot store this node's heartbeat");
	g->beat_us -= NODE_BEAT_US - AGAIN_US;
}
