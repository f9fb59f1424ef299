#include "store/nodes.h"

#include "base/clock.h"

#define GIVEN 10 /* thousandths of a node that a new session may come to need */

/* clang-format off */
#define AT(m) offsetof(struct node, m)
const struct field	 node_fields[] = {
	{ "id",          F_TEXT, AT(id),          .flags = F_OUT },
	{ "public_url",  F_TEXT, AT(public_url),  .flags = F_OUT },
	{ "connections", F_INT,  AT(connections), .flags = F_OUT },
	{ "tasks",       F_INT,  AT(tasks),       .flags = F_OUT },
	{ "load",        F_INT,  AT(load),        .flags = F_OUT },
	{ "seen_at",     F_TIME, AT(seen_us),     .flags = F_OUT },
	{ "store_fault", F_TEXT, AT(store_fault), .flags = F_OUT | F_NULLABLE },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct fingerprint, m)
static const struct field	 fingerprint_fields[] = {
	{ "name",   F_TEXT, AT(name) },
	{ "value",  F_TEXT, AT(value) },
	{ "node",   F_TEXT, AT(node) },
	{ "set_at", F_TIME, AT(set_us) },
	FIELDS_END,
};
#undef AT

#define COLUMNS "id, public_url, connections, tasks, load, seen_us, store_fault"
#define SET     "INSERT INTO fingerprints (name, value, node, set_us) VALUES ($1, $2, $3, $4)" \
                " ON CONFLICT (name) DO "

enum {
	BEAT,
	FAULT,
	GET,
	LIST,
	ALIVE,
	CHOOSE,
	FORGET,
	FORGET_WORKERS,
	TAKE_SESSION,
	TAKE_CHANNEL,
	MARKS,
	MARK_ADD,
	MARK_PUT,
	SQL_END
};

const struct sql	 node_sql[] = {
	[BEAT] = { "node.beat",
	    "INSERT INTO nodes (id, public_url, connections, tasks, load, seen_us)"
	    " VALUES ($1, $2, $3, $4, $5, $6)"
	    " ON CONFLICT (id) DO UPDATE SET public_url = excluded.public_url,"
	    " connections = excluded.connections, tasks = excluded.tasks,"
	    " load = excluded.load, seen_us = excluded.seen_us", NULL },
	[FAULT] = { "node.fault", "UPDATE nodes SET store_fault = $2 WHERE id = $1", NULL },
	[GET] = { "node.get", "SELECT " COLUMNS " FROM nodes WHERE id = $1", NULL },
	[LIST] = { "node.list", "SELECT " COLUMNS " FROM nodes ORDER BY id", NULL },
	[ALIVE] = { "node.alive", "SELECT count(*) FROM nodes WHERE seen_us > $1", NULL },
	[CHOOSE] = { "node.choose",
	    "UPDATE nodes SET load = load + $2 WHERE id = (SELECT id FROM nodes"
	    " WHERE seen_us > $1 ORDER BY load, id LIMIT 1) RETURNING " COLUMNS, NULL },
	[FORGET] = { "node.forget", "DELETE FROM nodes WHERE seen_us < $1", NULL },
	[FORGET_WORKERS] = { "node.forget_workers",
	    "DELETE FROM workers WHERE last_run_us < $1", NULL },
	[TAKE_SESSION] = { "node.take_session",
	    "UPDATE sessions SET node = $3 WHERE id = $1"
	    " AND coalesce(node, '') = coalesce($2, '')", NULL },
	[TAKE_CHANNEL] = { "node.take_channel",
	    "UPDATE channels SET node = $3 WHERE id = $1"
	    " AND coalesce(node, '') = coalesce($2, '')", NULL },
	[MARKS] = { "fingerprint.list",
	    "SELECT name, value, node, set_us FROM fingerprints ORDER BY name", NULL },
	[MARK_ADD] = { "fingerprint.add", SET "NOTHING", NULL },
	[MARK_PUT] = { "fingerprint.put",
	    SET "UPDATE SET value = excluded.value, node = excluded.node,"
	    " set_us = excluded.set_us", NULL },
	[SQL_END] = { NULL, NULL, NULL },
};
/* clang-format on */

enum err
node_beat(struct db *db, const struct node *n)
{
	return db_exec(db, &node_sql[BEAT],
	    ARGS(TEXT(n->id), TEXT(n->public_url), INT(n->connections), INT(n->tasks),
		INT(n->load), INT(now_us())),
	    NULL);
}

enum err
node_fault(struct db *db, const char *id, const char *store_fault)
{
	return db_exec(db, &node_sql[FAULT], ARGS(TEXT(id), TEXT(store_fault)), NULL);
}

enum err
node_get(struct db *db, struct arena *mem, const char *id, struct node *n)
{
	struct rows rs = db_query(db, &node_sql[GET], ARGS(TEXT(id)));

	if (db_next(&rs))
		row_fill(&rs, 0, mem, node_fields, n);
	return db_done_one(&rs);
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
	struct rows rs = db_query(db, &node_sql[LIST], ARGS());

	return db_all(&rs, mem, node_fields, sizeof(struct node), to);
}

enum err
node_choose(struct db *db, struct arena *mem, struct node *n)
{
	struct rows rs = db_query(
	    db, &node_sql[CHOOSE], ARGS(INT(now_us() - NODE_SILENT_US), INT(GIVEN)));

	while (db_next(&rs))
		row_fill(&rs, 0, mem, node_fields, n);
	return db_done_one(&rs);
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
node_take(struct db *db, const struct node_task *t, const char *to)
{
	return db_change(db,
	    &node_sql[t->kind == NODE_SESSION ? TAKE_SESSION : TAKE_CHANNEL],
	    ARGS(TEXT(t->id), TEXT(t->node), TEXT(to)), ERR_STALE);
}

/* ---- what nodes must have in common ---- */

enum err
fingerprint_list(struct db *db, struct arena *mem, struct list *to)
{
	struct rows rs = db_query(db, &node_sql[MARKS], ARGS());

	return db_all(&rs, mem, fingerprint_fields, sizeof(struct fingerprint), to);
}

static enum err
set_mark(struct db *db, const struct sql *how, const struct fingerprint *f)
{
	return db_exec(db, how,
	    ARGS(TEXT(f->name), TEXT(f->value), TEXT(f->node), INT(now_us())), NULL);
}

enum err
fingerprint_add(struct db *db, const struct fingerprint *f)
{
	return set_mark(db, &node_sql[MARK_ADD], f);
}

enum err
fingerprint_put(struct db *db, const struct fingerprint *f)
{
	return set_mark(db, &node_sql[MARK_PUT], f);
}
