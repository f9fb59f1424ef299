/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/health.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/version.h"
#include "blob/blob.h"
#include "service/node.h"
#include "service/workers.h"
#include "store/schema.h"
#include "work/queue.h"

#define MOST_WRONG 4 /* checks that fail at once */

/* Data shared by the checks. */
struct look {
	struct db *db;
	struct arena *mem;
	const struct conf *conf;
	struct node node;
	enum err node_found;
	struct health h;
	const char **wrong;
	size_t n;
};

struct worker_health {
	const char *name;
	int64_t last_run_us; /* NULL_INT: never */
	const char *status;  /* ok, silent */
};

/* clang-format off */
static const struct field	 worker_health_fields[] = FIELDS(
	{ "name",        F_TEXT, MEMBER(worker_health, name),        .flags = F_OUT },
	{ "last_run_at", F_TIME, MEMBER(worker_health, last_run_us), .flags = F_OUT | F_NULLABLE },
	{ "status",      F_TEXT, MEMBER(worker_health, status),      .flags = F_OUT }
);
static const struct field	 sandbox_fields[] = FIELDS(
	{ "landlock", F_BOOL, MEMBER(child_sandbox_parts, landlock), .flags = F_OUT },
	{ "seccomp",  F_BOOL, MEMBER(child_sandbox_parts, seccomp),  .flags = F_OUT }
);
const struct field	 health_fields[] = FIELDS(
	{ "status",         F_TEXT, MEMBER(health, status),         .flags = F_OUT },
	{ "version",        F_TEXT, MEMBER(health, version),        .flags = F_OUT },
	{ "database",       F_TEXT, MEMBER(health, database),       .flags = F_OUT },
	{ "schema_version", F_INT,  MEMBER(health, schema_version), .flags = F_OUT | F_NULLABLE },
	{ "workers",        F_LIST, MEMBER(health, workers),        .flags = F_OUT,
	                    .of = worker_health_fields, .size = sizeof(struct worker_health) },
	{ "node",           F_TEXT, MEMBER(health, node),           .flags = F_OUT },
	{ "store",          F_TEXT, MEMBER(health, store),          .flags = F_OUT },
	{ "webrtc",         F_TEXT, MEMBER(health, webrtc),         .flags = F_OUT },
	{ "nats",           F_TEXT, MEMBER(health, nats),           .flags = F_OUT },
	{ "sandbox",        F_OBJ,  MEMBER(health, sandbox),        .flags = F_OUT, .of = sandbox_fields }
);
/* clang-format on */

static void
fail(struct look *l, const char *what)
{
	if (l->n < MOST_WRONG)
		l->wrong[l->n++] = what;
}

/* ---- workers ---- */

/*
 * True if a worker is silent. The gateway sends heartbeats often, so its failure is
 * noticed sooner than a worker's.
 */
static bool
is_silent(const struct look *l, const struct worker_health *w)
{
	int64_t stale_us = now_us() - l->conf->worker_stale_s * S_US;

	return w->last_run_us == NULL_INT || w->last_run_us < stale_us ||
	       (strcmp(w->name, "gateway") == 0 && l->node_found == OK &&
		   !node_is_alive(&l->node));
}

static void
check_workers(struct look *l)
{
	struct buf all = { .mem = l->mem };
	const struct worker_row *row;
	struct list seen;

	if (worker_list(l->db, l->mem, l->conf->node, &seen) != OK) {
		fail(l, "The workers' heartbeats cannot be read.");
		return;
	}
	row = seen.items;
	for (const struct worker_program *p = worker_programs; p->name != NULL; p++) {
		struct worker_health w = { p->name, NULL_INT, "ok" };

		for (size_t i = 0; i < seen.n; i++)
			if (strcmp(row[i].name, p->name) == 0)
				w.last_run_us = row[i].last_run_us;
		if (is_silent(l, &w)) {
			w.status = "silent";
			l->h.status = "degraded";
		}
		buf_put(&all, &w, sizeof(w));
		l->h.workers.n++;
	}
	l->h.workers.items = all.p;
}

/* ---- the database ---- */

static bool
check_database(struct look *l)
{
	struct health *h = &l->h;
	int how;

	if (l->db == NULL)
		fail(l, "The database cannot be opened.");
	else if (schema_judge(l->db, &h->schema_version, &how) != OK) {
		h->schema_version = NULL_INT;
		fail(l, "The database cannot be read.");
	} else {
		h->database = "ok";
		if (how > 0)
			fail(l,
			    arena_printf(l->mem,
				"The schema is at version %lld, this program knows %d; "
				"install a newer one.",
				(long long)h->schema_version, SCHEMA_VERSION));
		else if (how < 0)
			fail(l,
			    arena_printf(l->mem,
				"The schema is at version %lld, not %d; run dragoman "
				"migrate.",
				(long long)h->schema_version, SCHEMA_VERSION));
	}
	return l->n == 0;
}

/* ---- the node's row ---- */

/* Read a report of the gateway, NULL if that part of it is off. */
static const char *
read_report(struct look *l, const char *report)
{
	const char *why, *fault;

	if (report == NULL)
		return "off";
	fault = json_get_text(json_read(l->mem, report, strlen(report), &why), "fault");
	if (fault != NULL)
		l->h.status = "degraded";
	return fault != NULL ? fault : "ok";
}

static void
find_node(struct look *l)
{
	enum err e = node_get(l->db, l->mem, l->conf->node, &l->node);

	if (e != OK && e != ERR_NOT_FOUND)
		fail(l, "The row of this node cannot be read.");
	if (e == OK) {
		l->h.webrtc = read_report(l, l->node.webrtc);
		l->h.nats = read_report(l, l->node.nats);
	}
	l->node_found = e;
}

/* ---- files and shared settings ---- */

/*
 * Report the last result of blob_check, at most some minutes old, because a call to the
 * bucket may take long.
 */
static void
check_store(struct look *l)
{
	if (l->node_found == OK && l->node.store_fault != NULL) {
		l->h.store = l->node.store_fault;
		l->h.status = "degraded";
	}
	if (blob_disk_full(l->conf))
		l->h.status = "degraded";
}

/* The settings in which this node differs from the cluster. */
static const struct {
	const char *name, *what;
} differences[] = {
	{ "secret.key",
	    "The key file of this node (secret.key in state.dir) is not that of "
	    "the others: copy theirs." },
	{ "store",
	    "The files of this node (blob.dir, or blob.endpoint) are not those of the "
	    "others: mount or name their store." },
	{ "bucket",
	    "The bucket of this node (blob.bucket) is not that of the others: name "
	    "theirs." },
};

static void
check_node(struct look *l)
{
	struct list names;

	if (node_differs(l->db, l->mem, l->conf, false, &names) != OK) {
		fail(l, "This node cannot be compared with the others.");
		return;
	}
	for (size_t i = 0; i < names.n; i++)
		for (size_t k = 0; k < sizeof(differences) / sizeof(*differences); k++)
			if (strcmp(((const char *const *)names.items)[i],
				differences[k].name) == 0)
				fail(l, differences[k].what);
}

static void
check_draining(struct look *l)
{
	if (l->node_found == OK && l->node.draining_us != NULL_INT)
		fail(l, "This node is being emptied.");
	if (l->node_found == OK && l->node.nats != NULL &&
	    strstr(l->node.nats, "\"connected\":0,") != NULL &&
	    node_any_joined(l->db, l->conf->node) == OK)
		fail(l, "NATS joins other nodes, but not this one.");
}

static struct look
new_look(struct db *db, struct arena *mem, const struct conf *conf)
{
	return (struct look){ .db = db,
		.mem = mem,
		.conf = conf,
		.h = { .status = "ok",
		    .version = VERSION,
		    .node = conf->node,
		    .database = "failed",
		    .schema_version = NULL_INT,
		    .store = "ok",
		    .webrtc = "off",
		    .nats = "off",
		    .sandbox = child_sandbox_parts() },
		.wrong = arena_alloc(mem, MOST_WRONG * sizeof(const char *)) };
}

bool
health_ready(
    struct db *db, struct arena *mem, const struct conf *conf, struct list *wrong)
{
	struct look l = new_look(db, mem, conf);

	if (check_database(&l)) {
		find_node(&l);
		check_node(&l);
		check_draining(&l);
	}
	*wrong = (struct list){ l.wrong, (size_t)l.n };
	return l.n == 0;
}

struct health
health_check(
    struct db *db, struct arena *mem, const struct conf *conf, struct list *wrong)
{
	struct look l = new_look(db, mem, conf);

	if (check_database(&l)) {
		find_node(&l);
		check_workers(&l);
		check_store(&l);
		check_node(&l);
	}
	if (l.n > 0)
		l.h.status = "down";
	*wrong = (struct list){ l.wrong, l.n };
	return l.h;
}
