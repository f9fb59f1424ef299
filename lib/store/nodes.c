/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/nodes.h"

#include "base/clock.h"

#define GIVEN 10 /* load of a new session, in thousandths of a node */

/* clang-format off */
static const struct field	 node_fields[] = FIELDS(
	{ "id",          F_TEXT, MEMBER(node, id),          .flags = F_ADD },
	{ "public_url",  F_TEXT, MEMBER(node, public_url),  .flags = F_KEPT },
	{ "ingest_host", F_TEXT, MEMBER(node, ingest_host), .flags = F_KEPT },
	{ "connections", F_INT,  MEMBER(node, connections), .flags = F_KEPT },
	{ "tasks",       F_INT,  MEMBER(node, tasks),       .flags = F_KEPT },
	{ "load",        F_INT,  MEMBER(node, load),        .flags = F_KEPT },
	{ "webrtc",      F_JSON, MEMBER(node, webrtc),      .flags = F_KEPT | F_NULLABLE },
	{ "nats",        F_JSON, MEMBER(node, nats),        .flags = F_KEPT | F_NULLABLE },
	{ "seen_at",     F_TIME, MEMBER(node, seen_us),     .column = "seen_us" },
	{ "store_fault", F_TEXT, MEMBER(node, store_fault), .flags = F_NULLABLE },
	{ "version",     F_TEXT, MEMBER(node, version),     .flags = F_KEPT | F_NULLABLE },
	{ "schema_version", F_INT, MEMBER(node, schema_version), .flags = F_KEPT | F_NULLABLE },
	{ "host",        F_TEXT, MEMBER(node, host),        .flags = F_KEPT | F_NULLABLE },
	{ "draining_at", F_TIME, MEMBER(node, draining_us), .flags = F_NULLABLE, .column = "draining_us" }
);
static const struct field	 fingerprint_fields[] = FIELDS(
	{ "name",   F_TEXT, MEMBER(fingerprint, name),  .flags = F_ADD },
	{ "value",  F_TEXT, MEMBER(fingerprint, value), .flags = F_KEPT },
	{ "node",   F_TEXT, MEMBER(fingerprint, node),  .flags = F_KEPT },
	{ "set_us", F_TIME, MEMBER(fingerprint, set_us) }
);

static const struct field	 node_channel_fields[] = FIELDS(
	{ "id", F_TEXT, MEMBER(node_channel, id) },
	{ "handed", F_BOOL, MEMBER(node_channel, handed) }
);

const struct field	 node_summary_fields[] = FIELDS(
	{ "id",          F_TEXT, MEMBER(node_summary, node.id),          .flags = F_OUT },
	{ "state",       F_TEXT, MEMBER(node_summary, state),            .flags = F_OUT },
	{ "version",     F_TEXT, MEMBER(node_summary, node.version),     .flags = F_OUT | F_NULLABLE },
	{ "schema_version", F_INT, MEMBER(node_summary, node.schema_version), .flags = F_OUT | F_NULLABLE },
	{ "seen_at",     F_TIME, MEMBER(node_summary, node.seen_us),     .flags = F_OUT, .column = "seen_us" },
	{ "draining_at", F_TIME, MEMBER(node_summary, node.draining_us), .flags = F_OUT | F_NULLABLE, .column = "draining_us" },
	{ "channels",    F_INT,  MEMBER(node_summary, channels),         .flags = F_OUT },
	{ "lease_ends_at", F_TIME, MEMBER(node_summary, lease_until_us), .flags = F_OUT | F_NULLABLE, .column = "lease_until_us" },
	{ "connections", F_INT,  MEMBER(node_summary, node.connections), .flags = F_OUT },
	{ "tasks",       F_INT,  MEMBER(node_summary, node.tasks),       .flags = F_OUT },
	{ "load",        F_INT,  MEMBER(node_summary, node.load),        .flags = F_OUT },
	{ "public_url",  F_TEXT, MEMBER(node_summary, node.public_url),  .flags = F_OUT },
	{ "webrtc",      F_JSON, MEMBER(node_summary, node.webrtc),      .flags = F_OUT | F_NULLABLE },
	{ "nats",        F_JSON, MEMBER(node_summary, node.nats),        .flags = F_OUT | F_NULLABLE },
	{ "store_fault", F_TEXT, MEMBER(node_summary, node.store_fault), .flags = F_OUT | F_NULLABLE }
);

#define JOINED "nats LIKE '%\"connected\":1,%'" /* see cluster_report() */
#define NODE ROWS_OF(node_fields, struct node)
#define SET  "INSERT INTO fingerprints ({names}, set_us) VALUES ({values}, $1)" \
             " ON CONFLICT (name) DO "

enum {
	BEAT, FAULT, GET, LIST, SUMMARIES, ALIVE, ANY_JOINED, CHOOSE, DRAIN, RELEASE, CHANNELS, REMOVE, FORGET, FORGET_WORKERS, TAKE_SESSION,
	TAKE_CHANNEL, MARKS, MARK_ADD, MARK_PUT, SQL_END
};

const struct sql	 node_sql[SQL_END + 1] = {
	[BEAT] = { "node.beat",
	    "INSERT INTO nodes ({names}, seen_us) VALUES ({values}, $1)"
	    " ON CONFLICT (id) DO UPDATE SET {changes}, seen_us = $1"
	    " WHERE nodes.seen_us < $2 OR coalesce(nodes.host, excluded.host, '')"
	    " = coalesce(excluded.host, '')", .from = node_fields, .quiet = true },
	[FAULT] = { "node.fault", "UPDATE nodes SET store_fault = $2 WHERE id = $1" },
	[GET] = { "node.get", "SELECT {*} FROM nodes WHERE id = $1", NODE },
	[LIST] = { "node.list", "SELECT {*} FROM nodes ORDER BY id", NODE },
	[SUMMARIES] = { "node.summaries",
	    "SELECT {*} FROM (SELECT nodes.*, coalesce(n, 0) AS channels, lease_until_us,"
	    " CASE WHEN seen_us <= $1 THEN 'down' WHEN draining_us IS NULL THEN 'ready' ELSE 'draining' END AS state"
	    " FROM nodes LEFT JOIN (SELECT node, count(*) AS n, min(lease_until_us) AS lease_until_us"
	    " FROM channels WHERE lease_until_us > 0 GROUP BY node) AS owned ON owned.node = nodes.id) AS all_nodes ORDER BY id",
	    ROWS_OF(node_summary_fields, struct node_summary) },
	[ALIVE] = { "node.alive", "SELECT count(*) FROM nodes WHERE seen_us > $1" },
	[ANY_JOINED] = { "node.any_joined",
	    "SELECT 1 FROM nodes WHERE seen_us > $1 AND id <> $2 AND draining_us IS NULL AND " JOINED },
	[CHOOSE] = { "node.choose",
	    "UPDATE nodes SET load = load + $2 WHERE id = (SELECT id FROM nodes"
	    " WHERE seen_us > $1 AND id <> $3 AND ($4 = 0 OR " JOINED ") ORDER BY draining_us IS NOT NULL, load, id LIMIT 1)"
	    " RETURNING {*}", NODE },
	[DRAIN] = { "node.drain", "UPDATE nodes SET draining_us = $2 WHERE id = $1" },
	[RELEASE] = { "node.release",
	    "UPDATE channels SET node = CASE WHEN lease_until_us = 0 THEN NULL ELSE node END,"
	    " handed_to = CASE WHEN lease_until_us = 0 THEN NULL ELSE '' END"
	    " WHERE node = $1 AND coalesce(runtime, '') <> 'active' AND handed_to IS NULL" },
	[CHANNELS] = { "node.channels",
	    "SELECT id, CASE WHEN coalesce(handed_to, '-') = '-' THEN 0 ELSE 1 END AS handed"
	    " FROM channels WHERE node = $1 AND runtime = 'active' ORDER BY id",
	    ROWS_OF(node_channel_fields, struct node_channel) },
	[REMOVE] = { "node.remove", "DELETE FROM nodes WHERE id = $1 AND seen_us <= $2" },
	[FORGET] = { "node.forget", "DELETE FROM nodes WHERE seen_us < $1" },
	[FORGET_WORKERS] = { "node.forget_workers", "DELETE FROM workers WHERE last_run_us < $1" },
	[TAKE_SESSION] = { "node.take_session",
	    "UPDATE sessions SET node = $3 WHERE id = $1"
	    " AND coalesce(node, '') = coalesce($2, '')" },
	[TAKE_CHANNEL] = { "node.take_channel",
	    "UPDATE channels SET node = $3, lease_until_us = 0 WHERE id = $1"
	    " AND coalesce(node, '') = coalesce($2, '') AND lease_until_us <= $4" },
	[MARKS] = { "fingerprint.list", "SELECT {*} FROM fingerprints ORDER BY name",
	    ROWS_OF(fingerprint_fields, struct fingerprint) },
	[MARK_ADD] = { "fingerprint.add", SET "NOTHING", .from = fingerprint_fields },
	[MARK_PUT] = { "fingerprint.put", SET "UPDATE SET {changes}, set_us = $1",
	    .from = fingerprint_fields },
};
/* clang-format on */

enum err
node_beat(struct db *db, const struct node *n)
{
	int64_t now = now_us();

	return db_save(db, &node_sql[BEAT], n,
	    ARGS(INT(now), INT(now - NODE_SILENT_US)), ERR_CONFLICT);
}

enum err
node_fault(struct db *db, const char *id, const char *store_fault)
{
	return db_exec(db, &node_sql[FAULT], ARGS(TEXT(id), TEXT(store_fault)), NULL);
}

enum err
node_get(struct db *db, struct arena *mem, const char *id, struct node *n)
{
	return db_one(db, &node_sql[GET], ARGS(TEXT(id)), mem, n);
}

bool
node_is_alive(const struct node *n)
{
	return n->seen_us > now_us() - NODE_SILENT_US;
}

enum err
node_alive(struct db *db, int64_t *n)
{
	return db_number(db, &node_sql[ALIVE], ARGS(INT(now_us() - NODE_SILENT_US)), n);
}

enum err
node_list(struct db *db, struct arena *mem, struct list *to)
{
	return db_list(db, &node_sql[LIST], ARGS(), mem, to);
}

enum err
node_summaries(struct db *db, struct arena *mem, struct list *to)
{
	return db_list(
	    db, &node_sql[SUMMARIES], ARGS(INT(now_us() - NODE_SILENT_US)), mem, to);
}

enum err
node_choose_other(
    struct db *db, struct arena *mem, const char *but, bool joined, struct node *n)
{
	struct rows rs = db_query(db, &node_sql[CHOOSE],
	    ARGS(INT(now_us() - NODE_SILENT_US), INT(GIVEN), TEXT(but), INT(joined)));

	while (db_next(&rs))
		row_fill(&rs, mem, n);
	return db_done_one(&rs);
}

enum err
node_choose(struct db *db, struct arena *mem, struct node *n)
{
	return node_choose_other(db, mem, "", false, n);
}

enum err
node_any_joined(struct db *db, const char *but)
{
	return db_there(
	    db, &node_sql[ANY_JOINED], ARGS(INT(now_us() - NODE_SILENT_US), TEXT(but)));
}

enum err
node_drain(struct db *db, const char *id, bool drain)
{
	return db_change(db, &node_sql[DRAIN],
	    ARGS(TEXT(id), INT(drain ? now_us() : NULL_INT)), ERR_NOT_FOUND);
}

enum err
node_release(struct db *db, const char *id)
{
	return db_exec(db, &node_sql[RELEASE], ARGS(TEXT(id)), NULL);
}

enum err
node_channels(struct db *db, struct arena *mem, const char *id, struct list *to)
{
	return db_list(db, &node_sql[CHANNELS], ARGS(TEXT(id)), mem, to);
}

enum err
node_remove(struct db *db, struct arena *mem, const char *id)
{
	struct node n;
	enum err e = node_get(db, mem, id, &n);

	return e != OK
		   ? e
		   : db_change(db, &node_sql[REMOVE],
			 ARGS(TEXT(id), INT(now_us() - NODE_SILENT_US)), ERR_CONFLICT);
}

enum err
node_forget(struct db *db, int64_t before_us)
{
	enum err e = db_exec(db, &node_sql[FORGET], ARGS(INT(before_us)), NULL);

	return e != OK
		   ? e
		   : db_exec(db, &node_sql[FORGET_WORKERS], ARGS(INT(before_us)), NULL);
}

enum err
node_move(struct db *db, const struct node_task *t, const char *to)
{
	if (t->kind == NODE_SESSION)
		return db_change(db, &node_sql[TAKE_SESSION],
		    ARGS(TEXT(t->id), TEXT(t->node), TEXT(to)), ERR_STALE);
	return db_change(db, &node_sql[TAKE_CHANNEL],
	    ARGS(TEXT(t->id), TEXT(t->node), TEXT(to), INT(now_us())), ERR_STALE);
}

/* ---- fingerprints ---- */

enum err
fingerprint_list(struct db *db, struct arena *mem, struct list *to)
{
	return db_list(db, &node_sql[MARKS], ARGS(), mem, to);
}

enum err
fingerprint_add(struct db *db, const struct fingerprint *f)
{
	return db_save(db, &node_sql[MARK_ADD], f, ARGS(INT(now_us())), OK);
}

enum err
fingerprint_put(struct db *db, const struct fingerprint *f)
{
	return db_save(db, &node_sql[MARK_PUT], f, ARGS(INT(now_us())), OK);
}
