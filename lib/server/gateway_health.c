/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/gateway_health.h"

#include "base/clock.h"
#include "cluster/cluster.h"
#include "pipeline/pipeline.h"

struct health {
	int64_t connections, tasks, uptime_s;
	const char *vad, *nats;
};

/* clang-format off */
#define AT(m) offsetof(struct health, m)
static const struct field	 fields[] = {
	{ "connections", F_INT, AT(connections), .flags = F_OUT },
	{ "tasks",       F_INT, AT(tasks),       .flags = F_OUT },
	{ "uptime_s",    F_INT, AT(uptime_s),    .flags = F_OUT },
	{ "vad",         F_TEXT, AT(vad),        .flags = F_OUT },
	{ "nats",        F_TEXT, AT(nats),       .flags = F_OUT },
	FIELDS_END,
};
#undef AT
/* clang-format on */

/* ok, off, or the reason why there is no connection. */
static const char *
nats_of(const struct gateway *g, struct arena *mem)
{
	struct cluster_state s;

	if (g->cluster == NULL)
		return "off";
	s = cluster_state(g->cluster, mem);
	return s.connected ? "ok" : s.fault;
}

struct reply
gateway_health(struct request *rq, const struct gateway *g)
{
	struct health h = { .connections = g->connections,
		.tasks = g->tasks,
		.uptime_s = (monotonic_us() - g->begun_us) / S_US,
		.vad = pipeline_vad(g->conf),
		.nats = nats_of(g, rq->mem) };

	return reply_one(rq, 200, fields, &h, 0);
}
