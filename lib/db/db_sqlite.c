/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The driver for SQLite: one connection per process. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grams.h"
#include "base/log.h"
#include "db/driver.h"
#include "db/writer_queue.h"

struct lite {
	sqlite3 *h;
	int busy_ms;
	bool impatient;   /* do not wait for the lock */
	int64_t since_us; /* start of the wait for the lock */
	struct arena *mem;
	struct writer_queue *queue;
	sqlite3_stmt *begin, *commit, *rollback, *pulse; /* NULL: not prepared yet */
};

static enum err
verdict(struct lite *l, int rc, const char *what)
{
	switch (rc & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return OK;
	case SQLITE_CONSTRAINT:
		return ERR_CONFLICT;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return ERR_BUSY;
	case SQLITE_FULL:
		log_error("sqlite: %s: %s", what, sqlite3_errmsg(l->h));
		return ERR_FULL;
	default:
		log_error("sqlite: %s: %s", what, sqlite3_errmsg(l->h));
		return ERR_FAILED;
	}
}

static enum err
lite_prepare(void *h, struct stmt *s, struct arena *mem, struct list *columns)
{
	struct lite *l = h;
	sqlite3_stmt *st;
	const char **names;
	enum err e = verdict(l,
	    sqlite3_prepare_v3(l->h, s->text, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL),
	    s->def->name);

	if (e != OK || (s->st = st, columns == NULL))
		return e;
	columns->n = (size_t)sqlite3_column_count(st);
	columns->items = names = arena_alloc(mem, columns->n * sizeof(*names));
	for (size_t i = 0; i < columns->n; i++)
		names[i] = arena_str(mem, sqlite3_column_name(st, (int)i));
	return OK;
}

static void
lite_drop(void *st)
{
	sqlite3_finalize(st);
}

static void
bind(sqlite3_stmt *st, int i, const struct val *v)
{
	switch (v->type) {
	case VAL_NULL:
		sqlite3_bind_null(st, i);
		break;
	case VAL_INT:
		sqlite3_bind_int64(st, i, v->u.i);
		break;
	case VAL_REAL:
		sqlite3_bind_double(st, i, v->u.r);
		break;
	case VAL_TEXT:
		sqlite3_bind_text(st, i, v->u.s, -1, SQLITE_STATIC);
		break;
	}
}

/* The last time of a wait in the queue that begins now. The rest of busy_ms remains to
   try without it, as a process in it may be stopped. */
static int64_t
queue_end(const struct lite *l)
{
	return monotonic_us() + l->busy_ms * INT64_C(1000) / 2;
}

/* Join the queue before a write if others are writing, too. */
static void
join_queue(struct lite *l)
{
	if (writer_queue_is_used(l->queue) && sqlite3_get_autocommit(l->h))
		writer_queue_join(l->queue, queue_end(l));
}

/* Leave the queue, unless a transaction is open. */
static void
leave_queue(struct lite *l)
{
	if (sqlite3_get_autocommit(l->h))
		writer_queue_leave(l->queue);
}

static enum err
lite_start(void *h, struct stmt *s, const struct val *a, int n)
{
	if (!sqlite3_stmt_readonly(s->st))
		join_queue(h);
	for (int i = 1; i <= n; i++)
		bind(s->st, i, &a[i]);
	return OK;
}

static bool
lite_step(void *h, void *st, enum err *e)
{
	int rc = sqlite3_step(st);

	if (rc == SQLITE_ROW)
		return true;
	*e = verdict(h, rc, sqlite3_sql(st));
	return false;
}

static void
lite_reset(void *h, void *st)
{
	sqlite3_reset(st);
	leave_queue(h);
}

static int64_t
lite_changed(void *h, void *st)
{
	(void)st;
	return sqlite3_changes64(((struct lite *)h)->h);
}

static int64_t
lite_int(void *st, int i)
{
	sqlite3_value *v = sqlite3_column_value(st, i);

	return sqlite3_value_type(v) == SQLITE_NULL ? NULL_INT : sqlite3_value_int64(v);
}

static double
lite_real(void *st, int i)
{
	sqlite3_value *v = sqlite3_column_value(st, i);

	return sqlite3_value_type(v) == SQLITE_NULL ? NAN : sqlite3_value_double(v);
}

static const char *
lite_text(void *st, int i, size_t *n)
{
	sqlite3_value *v = sqlite3_column_value(st, i);
	const char *s = (const char *)sqlite3_value_text(v);

	*n = (size_t)sqlite3_value_bytes(v);
	return s;
}

static enum err
lite_script(void *h, const char *text)
{
	struct lite *l = h;
	enum err e = verdict(l, sqlite3_exec(l->h, text, NULL, NULL, NULL), "script");

	leave_queue(l);
	return e;
}

/* Run an internal statement; *to (unless NULL) gets the number in its row. */
static enum err
run_own(struct lite *l, sqlite3_stmt **st, const char *text, int64_t *to)
{
	enum err e = OK;

	if (*st == NULL)
		e = verdict(l,
		    sqlite3_prepare_v3(
			l->h, text, -1, SQLITE_PREPARE_PERSISTENT, st, NULL),
		    text);
	if (e != OK)
		return e;
	if (lite_step(l, *st, &e) && to != NULL)
		*to = lite_int(*st, 0);
	lite_reset(l, *st);
	return e;
}

static enum err
lite_begin(void *h, const char *scope, bool wait)
{
	struct lite *l = h;
	enum err e;

	(void)scope; /* there is one lock */
	if (wait)
		join_queue(l);
	l->impatient = !wait;
	e = run_own(l, &l->begin, "BEGIN IMMEDIATE", NULL);
	l->impatient = false;
	return e;
}

static enum err
lite_commit(void *h)
{
	struct lite *l = h;

	return run_own(l, &l->commit, "COMMIT", NULL);
}

static enum err
lite_rollback(void *h)
{
	struct lite *l = h;

	return run_own(l, &l->rollback, "ROLLBACK", NULL);
}

static bool
lite_writing(void *h)
{
	return !sqlite3_get_autocommit(((struct lite *)h)->h);
}

static int64_t
lite_pulse(void *h, int64_t every_us)
{
	struct lite *l = h;
	int64_t n = -1;

	(void)every_us;

	return run_own(l, &l->pulse, "PRAGMA data_version", &n) == OK ? n : -1;
}

static void
lite_close(void *h)
{
	struct lite *l = h;

	sqlite3_finalize(l->begin);
	sqlite3_finalize(l->commit);
	sqlite3_finalize(l->rollback);
	sqlite3_finalize(l->pulse);
	sqlite3_close(l->h);
	writer_queue_close(l->queue);
	arena_free(l->mem);
	free(l);
}

/*
 * Called while another process holds the lock: waits in the queue of writers, and as
 * its first one a little between two tries, up to busy_ms in total.
 */
static int
wait_for_lock(void *h, int looks)
{
	struct lite *l = h;
	int64_t now = monotonic_us();

	if (looks == 0)
		l->since_us = now;
	if (l->impatient || now - l->since_us >= l->busy_ms * INT64_C(1000))
		return 0;
	if (looks == 0) {
		writer_queue_note_busy(l->queue);
		writer_queue_join(l->queue, queue_end(l));
		return 1;
	}
	usleep(looks < 20 ? 250 : looks < 200 ? 1000 : 5000);
	return 1;
}

/*
 * Memory statistics are unused, and each allocation would take a lock for them.  A
 * connection belongs to one thread, so values of its rows may be read without copying.
 */
static void
configure(void)
{
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
}

/* Set WAL; retries, as SQLite does not wait for another process that sets WAL at the
   same time. */
static enum err
set_wal(struct lite *l)
{
	int64_t end = monotonic_us() + l->busy_ms * INT64_C(1000);
	enum err e;

	while ((e = lite_script(l, "PRAGMA journal_mode=WAL;")) == ERR_BUSY &&
	       monotonic_us() < end)
		usleep(1000);
	return e;
}

/* The SQL function grams(owner, text, all), see base/grams.h; NULL for NULL. */
static void
grams(sqlite3_context *to, int n, sqlite3_value **args)
{
	const char *owner = (const char *)sqlite3_value_text(args[0]);
	const char *text = (const char *)sqlite3_value_text(args[1]);
	struct buf b = { .mem = arena_new() };

	(void)n;
	if (owner != NULL && text != NULL) {
		grams_put(&b, owner, text, sqlite3_value_int(args[2]) != 0);
		sqlite3_result_text(to, buf_text(&b), (int)b.len, SQLITE_TRANSIENT);
	}
	arena_free(b.mem);
}

/* SQLITE_INNOCUOUS lets triggers call it although the schema is not trusted. */
static int
add_functions(sqlite3 *h)
{
	return sqlite3_create_function(h, "grams", 3,
	    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, grams, NULL,
	    NULL);
}

/*
 * Make the files of a database readable by their owner only, whatever the umask is:
 * SQLite would create them with mode 0644, and gives the mode of the database to the
 * files beside it.  An existing file is not opened: closing it would drop SQLite's
 * locks.
 */
static void
make_private(const char *path)
{
	static const char *const suffixes[] = { "", "-wal", "-shm" };
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	char name[4096];
	struct stat st;

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		if (stat(name, &st) == 0 && (st.st_mode & 077) != 0 &&
		    chmod(name, 0600) != 0)
			log_warn(
			    "%s: other users may read it: %s", name, strerror(errno));
	}
}

/*
 * WAL is a property of the file and set once, by the program that may create it; the
 * other pragmas belong to the connection.  FULL: committed data survives a power cut.
 */
static enum err
lite_open(void **out, const char *url, int busy_ms, bool make)
{
	struct lite *l = calloc(1, sizeof(*l));
	const char *path = url + strlen(db_sqlite.scheme);
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	enum err e;

	if (l == NULL)
		abort();
	l->mem = arena_new();
	l->queue = writer_queue_new(l->mem, path);
	pthread_once(&once, configure);
	if (make && path[0] != ':')
		make_private(path);
	e = verdict(l,
	    sqlite3_open_v2(path, &l->h, flags | (make ? SQLITE_OPEN_CREATE : 0), NULL),
	    path);
	if (e == OK)
		e = verdict(l, add_functions(l->h), "functions");
	if (e == OK) {
		l->busy_ms = busy_ms;
		sqlite3_busy_handler(l->h, wait_for_lock, l);
		e = lite_script(l, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
				   "PRAGMA cell_size_check=ON;"
				   "PRAGMA trusted_schema=OFF;");
	}
	if (e == OK && make) /* a migration that encrypts secrets must leave no trace */
		e = lite_script(l, "PRAGMA secure_delete=ON;");
	if (e == OK && make)
		e = set_wal(l);
	if (e != OK) {
		lite_close(l);
		return e;
	}
	*out = l;
	return OK;
}

static enum err
lite_flush(void *h)
{
	return lite_script(h, "PRAGMA wal_checkpoint(TRUNCATE);");
}

static int
copy(sqlite3 *to, sqlite3 *from)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");
	int rc;

	if (b == NULL)
		return sqlite3_errcode(to);
	do
		rc = sqlite3_backup_step(b, -1);
	while ((rc == SQLITE_BUSY || rc == SQLITE_LOCKED) && sqlite3_sleep(20) > 0);
	sqlite3_backup_finish(b);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* EXTRA: after a power cut its journal cannot reappear and undo the copy. */
static enum err
lite_backup(void *h, const char *path)
{
	struct lite *l = h;
	sqlite3 *to;
	int rc;

	make_private(path);
	rc = sqlite3_open(path, &to);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(to, "PRAGMA synchronous=EXTRA", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = copy(to, l->h);
	if (rc != SQLITE_OK)
		log_error("backup: %s: %s", path, sqlite3_errstr(rc));
	sqlite3_close(to);
	return rc == SQLITE_OK ? OK : ERR_FAILED;
}

static bool
pragma_is(sqlite3 *h, const char *pragma, const char *answer)
{
	sqlite3_stmt *st;
	bool same = false;

	if (sqlite3_prepare_v2(h, pragma, -1, &st, NULL) != SQLITE_OK)
		return false;
	if (sqlite3_step(st) == SQLITE_ROW)
		same = strcmp((const char *)sqlite3_column_text(st, 0), answer) == 0;
	sqlite3_finalize(st);
	return same;
}

static enum err
lite_restore(void *h, const char *path)
{
	struct lite *l = h;
	sqlite3 *from;
	int rc = sqlite3_open_v2(path, &from, SQLITE_OPEN_READWRITE, NULL);

	/* An interrupted backup leaves a valid file without a schema. */
	if (rc == SQLITE_OK && (!pragma_is(from, "PRAGMA integrity_check", "ok") ||
				   pragma_is(from, "PRAGMA schema_version", "0")))
		rc = SQLITE_CORRUPT;
	if (rc == SQLITE_OK)
		rc = copy(l->h, from);
	leave_queue(l);
	if (rc != SQLITE_OK)
		log_error("restore: %s: %s", path, sqlite3_errstr(rc));
	sqlite3_close(from);
	return rc == SQLITE_OK ? OK : ERR_REFUSED;
}

/* Read the first text that a pragma returns. */
static enum err
read_pragma(struct lite *l, struct arena *mem, const char *pragma, const char **to)
{
	sqlite3_stmt *st;
	enum err e =
	    verdict(l, sqlite3_prepare_v2(l->h, pragma, -1, &st, NULL), pragma);

	*to = "";
	if (e == OK && lite_step(l, st, &e))
		*to = arena_str(mem, (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return e;
}

static enum err
lite_check(void *h, struct arena *mem, struct db_file *to)
{
	const char *mode, *found;
	enum err e;

	if ((e = read_pragma(h, mem, "PRAGMA journal_mode", &mode)) != OK ||
	    (e = read_pragma(h, mem, "PRAGMA quick_check(1)", &found)) != OK)
		return e;
	to->wal = strcmp(mode, "wal") == 0;
	to->fault = strcmp(found, "ok") == 0 ? NULL : found;
	return OK;
}

/* Returns the objects without the tables of statistics, which ANALYZE creates. */
static enum err
lite_objects(void *h, struct arena *mem, const char **to)
{
	return read_pragma(h, mem,
	    "SELECT group_concat(type || char(31) || name || char(31) || tbl_name ||"
	    " char(31) || coalesce(sql, ''), char(30)) FROM"
	    " (SELECT * FROM sqlite_master"
	    " WHERE type <> 'table' OR name NOT IN ('sqlite_stat1', 'sqlite_stat4')"
	    " ORDER BY type, name)",
	    to);
}

const struct db_driver db_sqlite = {
	.scheme = "sqlite:",
	.mark = '?',
	.open = lite_open,
	.close = lite_close,
	.prepare = lite_prepare,
	.drop = lite_drop,
	.start = lite_start,
	.step = lite_step,
	.reset = lite_reset,
	.changed = lite_changed,
	.get_int = lite_int,
	.get_real = lite_real,
	.get_text = lite_text,
	.script = lite_script,
	.begin = lite_begin,
	.commit = lite_commit,
	.rollback = lite_rollback,
	.writing = lite_writing,
	.pulse = lite_pulse,
	.flush = lite_flush,
	.backup = lite_backup,
	.restore = lite_restore,
	.check = lite_check,
	.objects = lite_objects,
};
