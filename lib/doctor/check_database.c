/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the database, and of the workers by their heartbeats in it. */
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "db/db.h"
#include "doctor/check.h"
#include "service/workers.h"
#include "store/nodes.h"
#include "store/schema.h"
#include "work/queue.h"

#define LARGE_WAL (256 * INT64_C(1000000)) /* bytes */

static const char looked_at[] = "db.url";

static const char no_database[] =
    "Run dragoman migrate if there is no database yet. If it is malformed, restore the "
    "newest copy. Otherwise check that db.url is right and that its server runs.";

/* Returns NULL, and reports it, if the database cannot be opened. */
static struct db *
open_database(struct check *k)
{
	struct db *db;

	if (db_open(&db, k->conf->db_url, (int)k->conf->db_busy_ms, false) == OK)
		return db;
	if (strcmp(k->name, "database") != 0)
		check_because(k, "database");
	check_fail(k, looked_at, no_database, "the database cannot be opened");
	return NULL;
}

static void
judge_version(struct check *k, struct db *db)
{
	static const char looked[] = "the version of the schema";
	int64_t is;
	int how;

	if (schema_judge(db, &is, &how) != OK)
		check_fail(k, looked, no_database, "cannot be read");
	else if (how < 0)
		check_fail(k, looked, "Run dragoman migrate.", "%lld, not %d",
		    (long long)is, SCHEMA_VERSION);
	else if (how > 0)
		check_fail(k, looked, "Install the newer version of Dragoman.",
		    "%lld, but this program needs %d", (long long)is, SCHEMA_VERSION);
	else if (is > SCHEMA_VERSION)
		check_ok(
		    k, looked, "%lld, which serves this program, too", (long long)is);
	else
		check_ok(k, looked, "%d, as it should be", SCHEMA_VERSION);
}

/* Compare the server's max_connections with those that all live nodes may open. */
static void
judge_connections(struct check *k, struct db *db)
{
	static const char looked[] = "max_connections of the server";
	int64_t nodes, wanted, has;

	if (schema_connections(db, &has) != OK || has == 0 ||
	    node_alive(db, &nodes) != OK)
		return;
	nodes = nodes > 0 ? nodes : 1;
	wanted = nodes * k->conf->db_connections;
	if (wanted > has)
		check_warn(k, looked,
		    "Raise it, lower db.connections, or put a pooler between: "
		    "docs/install.md.",
		    "%lld for programs, but %lld hosts may open %lld", (long long)has,
		    (long long)nodes, (long long)wanted);
	else
		check_ok(k, looked, "%lld for programs, %lld hosts may open %lld",
		    (long long)has, (long long)nodes, (long long)wanted);
}

/* The write-ahead log of an SQLite file; it is written back when no reader needs it. */
static void
judge_wal(struct check *k)
{
	const char *path = k->conf->db_url + strlen("sqlite:"), *looked;
	struct stat st;

	if (strncmp(k->conf->db_url, "sqlite:", 7) != 0)
		return;
	looked = arena_printf(k->mem, "%s-wal", path);
	if (stat(looked, &st) == 0 && st.st_size > LARGE_WAL)
		check_warn(k, looked,
		    "Stop the program that keeps a transaction open, such as a shell "
		    "of sqlite3.",
		    "%lld MB: it cannot be written back",
		    (long long)(st.st_size / 1000000));
	else
		check_ok(k, looked, "is written back in time");
}

void
check_database(struct check *k)
{
	struct db *db = open_database(k);

	if (db == NULL)
		return;
	judge_version(k, db);
	judge_connections(k, db);
	judge_wal(k);
	db_close(db);
}

void
check_integrity(struct check *k)
{
	struct db *db = open_database(k);
	struct db_file f;

	if (db == NULL)
		return;
	if (db_check_file(db, k->mem, &f) != OK || (f.is_file && f.fault != NULL))
		check_fail(k, "the database's file",
		    "Stop the web server and the workers, keep the broken files, and "
		    "restore the newest copy.",
		    "%s", f.fault != NULL ? f.fault : "cannot be read");
	else if (f.is_file && !f.wal)
		check_warn(k, "the database's file", "Run dragoman migrate.",
		    "is sound, but not in WAL mode: readers wait for writers");
	else
		check_ok(k, "the database's file",
		    f.is_file ? "is sound" : "is checked by its server");
	db_close(db);
}

/* ---- workers ---- */

static const struct worker_row *
row_of(const struct list *seen, const char *name)
{
	const struct worker_row *row = seen->items;

	for (size_t i = 0; i < seen->n; i++)
		if (strcmp(row[i].name, name) == 0)
			return &row[i];
	return NULL;
}

/* The remedy for a silent worker. */
static const char *
silent_remedy(struct check *k, const struct worker_program *p)
{
	if (!check_is_systemd(k))
		return arena_printf(k->mem,
		    "Check that cron runs and that this user's crontab has the lines "
		    "that dragoman crontab prints, and read %s/var/log/%s.log. Until "
		    "then %s.",
		    k->conf->prefix, p->name, p->silent);
	return arena_printf(k->mem,
	    "Run systemctl enable --now dragoman.target, and read journalctl -u "
	    "dragoman-%s%s. Until then %s.",
	    p->mode == WORKER_STAYS ? "" : "worker@", p->name, p->silent);
}

static void
judge_worker(
    struct check *k, const struct worker_program *p, const struct worker_row *row)
{
	const char *remedy = silent_remedy(k, p);
	long long ago_s;

	if (row == NULL) {
		check_fail(k, p->name, remedy, "never ran on this host");
		return;
	}
	ago_s = (now_us() - row->last_run_us) / S_US;
	if (ago_s > k->conf->worker_stale_s)
		check_fail(k, p->name, remedy,
		    "last ran %lld s ago; it should start every minute", ago_s);
	else
		check_ok(k, p->name, "ran %lld s ago", ago_s);
}

static void
judge_jobs(struct check *k, struct db *db)
{
	static const char looked[] = "jobs that were given up";
	struct list dead;

	if (queue_deads(db, k->mem, &dead) != OK)
		return;
	if (dead.n > 0)
		check_warn(k, looked, "dragoman status shows the reasons.", "%zu jobs",
		    dead.n);
	else
		check_ok(k, looked, "none");
}

void
check_workers(struct check *k)
{
	struct db *db = open_database(k);
	struct list seen;

	if (db == NULL)
		return;
	if (worker_list(db, k->mem, k->conf->node, &seen) != OK) {
		check_because(k, "database");
		check_fail(k, looked_at, no_database,
		    "the workers' heartbeats cannot be read");
		db_close(db);
		return;
	}
	for (const struct worker_program *p = worker_programs; p->name != NULL; p++)
		judge_worker(k, p, row_of(&seen, p->name));
	judge_jobs(k, db);
	db_close(db);
}
