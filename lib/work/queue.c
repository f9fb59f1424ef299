/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jobs.  The states of a job:
 *
 *	ready --lease--> leased --done--> (removed)
 *	  ^                 |
 *	  +--retry, later---+--too many tries--> dead
 *
 * When a lease expires, or its holder is known to be dead, the job becomes due again.
 * So a job may run more than once and must be safe to repeat.  The key of the lease
 * prevents a worker whose lease has expired from ending the job.
 */
#include "work/queue.h"

#include "base/clock.h"
#include "base/id.h"

/* A leased job is due again when its lease expires. */
#define DUE "kind = $1 AND state <> 'dead' AND due_us <= $2"
#define TAKE(lock)                                                                     \
	"UPDATE jobs SET state = 'leased', due_us = $3, lease_key = $4, holder = $5,"  \
	" tries = tries + 1 WHERE id = (SELECT id FROM jobs WHERE " DUE                \
	" ORDER BY due_us LIMIT 1" lock ") AND " DUE " RETURNING {*}"

/* The least of the kinds' first times, each of which the index finds at once. */
#define FIRST_DUE(kind, kinds)                                                         \
	"SELECT min(first_us) FROM (SELECT (SELECT min(due_us) FROM jobs WHERE kind "  \
	"= " kind " AND state <> 'dead') AS first_us FROM " kinds ") AS firsts"

#define OURS " WHERE id = $1 AND state = 'leased' AND lease_key = $2"

/* clang-format off */
enum {
	ADD, LEASE, DONE, RETRY, DEAD, RECLAIM, SEEN, GONE, WORKERS, COUNTS, DEADS, BURY,
	CHORE_DONE, CHORE_LAST, CHORE_LIST, AGAIN, CLAIM, DROP, WAKE, CHORE_FORGET, HASTEN,
	PUT_OFF, COUNT, NEXT,
	SQL_END
};

#define AT(m) offsetof(struct job, m)
static const struct field	 job_fields[] = {
	{ "id",      F_TEXT, AT(id) },
	{ "kind",    F_TEXT, AT(kind) },
	{ "account", F_TEXT, AT(account) },
	{ "ref",     F_TEXT, AT(ref) },
	{ "tries",   F_INT,  AT(tries) },
	{ "lease_key", F_TEXT, AT(key) },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct worker_row, m)
const struct field	 worker_fields[] = {
	{ "name",        F_TEXT, AT(name),        .flags = F_OUT },
	{ "last_run_at", F_TIME, AT(last_run_us), .flags = F_OUT, .column = "max(last_run_us) AS last_run_us" },
	{ "failures",    F_INT,  AT(failures),    .flags = 0, .column = "CAST(sum(failures) AS INTEGER) AS failures" },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct queue_row, m)
const struct field	 queue_fields[] = {
	{ "queue", F_TEXT, AT(kind),  .flags = F_OUT, .column = "kind" },
	{ "state", F_TEXT, AT(state), .flags = F_OUT },
	{ "jobs",  F_INT,  AT(n),     .flags = F_OUT, .column = "count(*) AS jobs" },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct chore_row, m)
static const struct field	 chore_fields[] = {
	{ "name",        F_TEXT, AT(name) },
	{ "last_run_us", F_INT,  AT(last_run_us) },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct dead_row, m)
const struct field	 dead_fields[] = {
	{ "id",         F_TEXT, AT(id),         .flags = F_OUT },
	{ "queue",      F_TEXT, AT(kind),       .flags = F_OUT, .column = "kind" },
	{ "about",      F_TEXT, AT(ref),        .flags = F_OUT, .column = "ref" },
	{ "error",      F_TEXT, AT(error),      .flags = F_OUT },
	{ "tries",      F_INT,  AT(tries),      .flags = F_OUT },
	{ "created_at", F_TIME, AT(created_us), .flags = F_OUT, .column = "created_us" },
	FIELDS_END,
};

const struct sql	 queue_sql[] = {
	[ADD] = { "job.add",
	    "INSERT INTO jobs (id, kind, account, ref, state, due_us, created_us)"
	    " VALUES ($1, $2, $3, $4, 'ready', $5, $6) ON CONFLICT DO NOTHING", NULL },
	[LEASE] = { "job.lease", TAKE(""),
	    TAKE(" FOR UPDATE SKIP LOCKED"), ROWS_OF(job_fields, struct job) },
	[DONE] = { "job.done", "DELETE FROM jobs" OURS, NULL },
	[RETRY] = { "job.retry",
	    "UPDATE jobs SET state = 'ready', due_us = $3, error = $4, holder = NULL" OURS, NULL },
	[DEAD] = { "job.dead",
	    "UPDATE jobs SET state = 'dead', error = $3, holder = NULL" OURS, NULL },
	[RECLAIM] = { "job.reclaim",
	    "UPDATE jobs SET state = 'ready', due_us = $2, holder = NULL"
	    " WHERE state = 'leased' AND holder = $1", NULL },
	[SEEN] = { "worker.seen",
	    "INSERT INTO workers (node, name, last_run_us, failures) VALUES ($1, $2, $3, $4)"
	    " ON CONFLICT (node, name) DO UPDATE SET last_run_us = excluded.last_run_us,"
	    " failures = workers.failures + excluded.failures", .quiet = true },
	[GONE] = { "worker.gone", "DELETE FROM workers WHERE node = $1 AND name = $2", NULL },
	[WORKERS] = { "worker.list",
	    "SELECT {*} FROM workers WHERE node IN ($1, '') GROUP BY name ORDER BY name",
	    ROWS_OF(worker_fields, struct worker_row) },
	[COUNTS] = { "job.counts",
	    "SELECT {*} FROM jobs GROUP BY kind, state ORDER BY kind, state",
	    ROWS_OF(queue_fields, struct queue_row) },
	[DEADS] = { "job.deads",
	    "SELECT {*} FROM jobs WHERE state = 'dead' ORDER BY created_us DESC LIMIT 50",
	    ROWS_OF(dead_fields, struct dead_row) },
	[BURY] = { "job.bury",
	    "DELETE FROM jobs WHERE state = 'dead' AND created_us < $1", NULL },
	[CHORE_DONE] = { "chore.done",
	    "INSERT INTO chores (name, last_run_us) VALUES ($1, $2)"
	    " ON CONFLICT (name) DO UPDATE SET last_run_us = excluded.last_run_us", .quiet = true },
	[CHORE_LAST] = { "chore.last", "SELECT last_run_us FROM chores WHERE name = $1", NULL },
	[CHORE_LIST] = { "chore.list", "SELECT {*} FROM chores",
	    ROWS_OF(chore_fields, struct chore_row) },
	[AGAIN] = { "job.again",
	    "UPDATE jobs SET state = 'ready', due_us = $3, tries = tries - 1, error = $4,"
	    " holder = NULL" OURS, NULL },
	[CLAIM] = { "job.claim",
	    "INSERT INTO jobs (id, kind, account, ref, state, due_us, lease_key, holder, tries,"
	    " created_us) VALUES ($1, $2, $3, $4, 'leased', $5, $6, $7, 1, $8)"
	    " ON CONFLICT (kind, ref) WHERE state <> 'dead' DO UPDATE SET state = 'leased',"
	    " due_us = excluded.due_us, lease_key = excluded.lease_key,"
	    " holder = excluded.holder, tries = 1"
	    " WHERE jobs.state = 'ready' OR jobs.due_us <= $8 RETURNING id", NULL },
	[DROP] = { "job.drop",
	    "DELETE FROM jobs WHERE kind = $1 AND ref = $2 AND state <> 'dead'"
	    " RETURNING CASE WHEN state = 'leased' AND due_us > $3 THEN due_us ELSE 0 END", NULL },
	/* PostgreSQL cannot infer the type of "$2 + $3". */
	[WAKE] = { "job.wake",
	    "UPDATE jobs SET due_us = $2 + due_us % $3, tries = 1 WHERE kind = $1 AND state <> 'dead'"
	    " AND state = 'ready' AND tries > 0 AND due_us > $2 + CAST($3 AS INTEGER)", NULL },
	[CHORE_FORGET] = { "chore.forget", "DELETE FROM chores WHERE name = $1", NULL },
	[HASTEN] = { "job.hasten",
	    "UPDATE jobs SET due_us = $3 WHERE kind = $1 AND ref = $2 AND state <> 'dead'"
	    " AND state = 'ready' AND due_us > $3", NULL },
	[PUT_OFF] = { "job.put_off",
	    "UPDATE jobs SET due_us = $3 WHERE kind = $1 AND ref = $2 AND state <> 'dead'"
	    " AND state = 'ready'", NULL },
	[COUNT] = { "job.count", "SELECT count(*) FROM jobs WHERE kind = $1 AND state <> 'dead'", NULL },
	[NEXT] = { "job.next", FIRST_DUE("value", "json_each($1)"),
	    FIRST_DUE("k.value", "json_array_elements_text(CAST($1 AS JSON)) AS k (value)") },
	[SQL_END] = { NULL, NULL, NULL },
};
/* clang-format on */

enum err
queue_add_at(struct db *db, struct arena *mem, const char *kind, const char *account,
    const char *ref, int64_t due_us)
{
	return db_exec(db, &queue_sql[ADD],
	    ARGS(TEXT(id_new(mem)), TEXT(kind), TEXT(account), TEXT(ref), INT(due_us),
		INT(now_us())),
	    NULL);
}

enum err
queue_add(struct db *db, struct arena *mem, const char *kind, const char *account,
    const char *ref)
{
	return queue_add_at(db, mem, kind, account, ref, now_us());
}

enum err
queue_claim(
    struct db *db, struct arena *mem, const char *holder, int lease_s, struct job *jb)
{
	int64_t now = now_us();
	struct rows rs;
	enum err e;

	jb->id = NULL;
	jb->key = id_new(mem);
	jb->tries = 1;
	rs = db_query(db, &queue_sql[CLAIM],
	    ARGS(TEXT(id_new(mem)), TEXT(jb->kind), TEXT(jb->account), TEXT(jb->ref),
		INT(now + lease_s * S_US), TEXT(jb->key), TEXT(holder), INT(now)));
	while (db_next(&rs))
		jb->id = row_text(&rs, 0, mem);
	e = db_done_one(&rs);
	return e == ERR_NOT_FOUND ? ERR_CONFLICT : e;
}

enum err
queue_drop(struct db *db, const char *kind, const char *ref, int64_t *until_us)
{
	struct rows rs =
	    db_query(db, &queue_sql[DROP], ARGS(TEXT(kind), TEXT(ref), INT(now_us())));

	*until_us = 0;
	while (db_next(&rs))
		*until_us = row_int(&rs, 0);
	return db_done(&rs);
}

enum err
queue_hasten(struct db *db, const char *kind, const char *ref)
{
	return db_exec(
	    db, &queue_sql[HASTEN], ARGS(TEXT(kind), TEXT(ref), INT(now_us())), NULL);
}

enum err
queue_put_off(struct db *db, const char *kind, const char *ref, int64_t due_us)
{
	return db_exec(
	    db, &queue_sql[PUT_OFF], ARGS(TEXT(kind), TEXT(ref), INT(due_us)), NULL);
}

enum err
queue_next(struct db *db, const char *kinds, int64_t *due_us)
{
	struct rows rs = db_query(db, &queue_sql[NEXT], ARGS(TEXT(kinds)));

	*due_us = db_next(&rs) ? row_int(&rs, 0) : NULL_INT;
	return db_done(&rs);
}

enum err
queue_count(struct db *db, const char *kind, int64_t *n)
{
	struct rows rs = db_query(db, &queue_sql[COUNT], ARGS(TEXT(kind)));

	while (db_next(&rs))
		*n = row_int(&rs, 0);
	return db_done(&rs);
}

enum err
queue_wake(struct db *db, const char *kind, int64_t within_us)
{
	return db_exec(db, &queue_sql[WAKE],
	    ARGS(TEXT(kind), INT(now_us()), INT(within_us)), NULL);
}

enum err
queue_lease(struct db *db, struct arena *mem, const char *kind, const char *holder,
    int lease_s, struct job *jb)
{
	int64_t now = now_us();
	struct rows rs;

	rs = db_query(db, &queue_sql[LEASE],
	    ARGS(TEXT(kind), INT(now), INT(now + lease_s * S_US), TEXT(id_new(mem)),
		TEXT(holder)));
	while (db_next(&rs))
		row_fill(&rs, mem, jb);
	return db_done_one(&rs);
}

enum err
queue_done(struct db *db, const struct job *jb)
{
	return db_change(
	    db, &queue_sql[DONE], ARGS(TEXT(jb->id), TEXT(jb->key)), ERR_STALE);
}

enum err
queue_retry(struct db *db, const struct job *jb, int64_t in_us, const char *why)
{
	return db_change(db, &queue_sql[RETRY],
	    ARGS(TEXT(jb->id), TEXT(jb->key), INT(now_us() + in_us), TEXT(why)),
	    ERR_STALE);
}

enum err
queue_wait(struct db *db, const struct job *jb, int64_t in_us, const char *why)
{
	return db_change(db, &queue_sql[AGAIN],
	    ARGS(TEXT(jb->id), TEXT(jb->key), INT(now_us() + in_us), TEXT(why)),
	    ERR_STALE);
}

enum err
queue_dead(struct db *db, const struct job *jb, const char *why)
{
	return db_change(db, &queue_sql[DEAD],
	    ARGS(TEXT(jb->id), TEXT(jb->key), TEXT(why)), ERR_STALE);
}

enum err
queue_reclaim(struct db *db, const char *holder, int64_t *n)
{
	return db_exec(db, &queue_sql[RECLAIM], ARGS(TEXT(holder), INT(now_us())), n);
}

enum err
queue_bury(struct db *db, int64_t before_us)
{
	return db_exec(db, &queue_sql[BURY], ARGS(INT(before_us)), NULL);
}

enum err
chore_done(struct db *db, const char *name)
{
	return db_exec(
	    db, &queue_sql[CHORE_DONE], ARGS(TEXT(name), INT(now_us())), NULL);
}

enum err
chore_last(struct db *db, const char *name, int64_t *us)
{
	struct rows rs = db_query(db, &queue_sql[CHORE_LAST], ARGS(TEXT(name)));

	*us = db_next(&rs) ? row_int(&rs, 0) : NULL_INT;
	return db_done(&rs);
}

enum err
chore_list(struct db *db, struct arena *mem, struct list *to)
{
	return db_list(db, &queue_sql[CHORE_LIST], ARGS(), mem, to);
}

enum err
chore_forget(struct db *db, const char *name)
{
	return db_exec(db, &queue_sql[CHORE_FORGET], ARGS(TEXT(name)), NULL);
}

enum err
worker_seen(struct db *db, const char *node, const char *name, int64_t failures)
{
	return db_exec(db, &queue_sql[SEEN],
	    ARGS(TEXT(node), TEXT(name), INT(now_us()), INT(failures)), NULL);
}

enum err
worker_gone(struct db *db, const char *node, const char *name)
{
	return db_exec(db, &queue_sql[GONE], ARGS(TEXT(node), TEXT(name)), NULL);
}

enum err
worker_list(struct db *db, struct arena *mem, const char *node, struct list *to)
{
	return db_list(db, &queue_sql[WORKERS], ARGS(TEXT(node)), mem, to);
}

enum err
queue_counts(struct db *db, struct arena *mem, struct list *to)
{
	return db_list(db, &queue_sql[COUNTS], ARGS(), mem, to);
}

enum err
queue_deads(struct db *db, struct arena *mem, struct list *to)
{
	return db_list(db, &queue_sql[DEADS], ARGS(), mem, to);
}
