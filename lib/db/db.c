/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of db.h, on top of the driver that the address names. */
#include "db/db.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/seal.h"
#include "db/change_watch.h"
#include "db/local_pulse.h"
#include "db/places.h"
#include "db/statement.h"

#define NSTMTS 1024 /* a power of two; tests prepare all statements */

struct db {
	const struct db_driver *is;
	void *h;
	struct arena *mem;
	struct stmt *known[NSTMTS]; /* hashed by the address of their definition */
	int fault_in;               /* statements until the test's fault; 0: none */
	enum err fault;
	int64_t busy;
	int running;     /* statements between db_query() and db_done() */
	int64_t changed; /* rows changed in this transaction */
	bool news;       /* one of them by a statement that is not quiet */
	enum err (*on_commit)(void *); /* see db_on_commit(); or NULL */
	void *on_commit_arg;
	unsigned char key[SHA256_BYTES]; /* key of sealed columns */
	bool seals;                      /* the key is set */
	struct arena *sealed;            /* values of running statements */
	struct change_watch watch;       /* opened when it is needed */
};

enum err
db_open(struct db **out, const char *url, int busy_ms, bool make)
{
	static const struct db_driver *const drivers[] = { &db_sqlite, &db_pg };
	const struct db_driver *is = NULL;
	struct db *db;
	enum err e;
	void *h;

	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (strncmp(url, drivers[i]->scheme, strlen(drivers[i]->scheme)) == 0)
			is = drivers[i];
	if (is == NULL) {
		log_error("db.url: no driver supports this address");
		return ERR_REFUSED;
	}
	if ((e = is->open(&h, url, busy_ms, make)) != OK)
		return e;
	if ((db = calloc(1, sizeof(*db))) == NULL)
		abort();
	*db = (struct db){ .is = is,
		.h = h,
		.mem = arena_new(),
		.sealed = arena_new(),
		.watch.fd = -1 };
	*out = db;
	return OK;
}

void
db_announce(const struct conf *c)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/db.pulse", c->state_dir);
	local_pulse_set(path);
}

void
db_share(const struct conf *c)
{
	char path[4096];

	db_announce(c);
	if (strncmp(c->db_url, db_pg.scheme, strlen(db_pg.scheme)) != 0)
		return;
	snprintf(path, sizeof(path), "%s/db.places", c->state_dir);
	places_set(path, (int)c->db_connections);
}

void
db_close(struct db *db)
{
	if (db == NULL)
		return;
	for (size_t i = 0; i < NSTMTS; i++)
		if (db->known[i] != NULL && db->is->drop != NULL)
			db->is->drop(db->known[i]->st);
	change_watch_close(&db->watch);
	db->is->close(db->h);
	arena_free(db->sealed);
	arena_free(db->mem);
	free(db);
}

void
db_seal(struct db *db, const struct conf *c)
{
	conf_key(c, "sealed columns", db->key);
	db->seals = true;
}

/* ---- statements ---- */

static struct stmt **
find(struct db *db, const struct sql *def)
{
	size_t i = ((uintptr_t)def / sizeof(*def)) % NSTMTS;

	while (db->known[i] != NULL && db->known[i]->def != def)
		i = (i + 1) % NSTMTS;
	return &db->known[i];
}

static enum err
prepare(struct db *db, struct arena *scratch, struct stmt *s)
{
	struct list columns = { NULL, 0 };
	bool fits = s->def->row != NULL;
	enum err e;

	if ((e = statement_write(s, scratch, db->is)) != OK ||
	    (e = db->is->prepare(db->h, s, scratch, fits ? &columns : NULL)) != OK ||
	    !fits)
		return e;
	if ((e = statement_fit(s, scratch, &columns)) != OK && db->is->drop != NULL)
		db->is->drop(s->st);
	return e;
}

static struct binding *
copy_bindings(struct arena *mem, const struct binding *p, int n)
{
	size_t bytes = (size_t)n * sizeof(*p);

	return n == 0 ? NULL : memcpy(arena_alloc(mem, bytes), p, bytes);
}

/* Copy a prepared statement to where it stays. */
static struct stmt *
copy_statement(struct arena *mem, const struct stmt *s)
{
	struct stmt *to = arena_alloc(mem, sizeof(*to));

	*to = *s;
	to->text = arena_str(mem, s->text);
	to->from = copy_bindings(mem, s->from, s->nfrom);
	to->row = copy_bindings(mem, s->row, s->nrow);
	return to;
}

/* Return a prepared statement; prepare it at its first use. */
static enum err
find_or_prepare(struct db *db, const struct sql *def, struct stmt **to)
{
	struct stmt **at = find(db, def), s = { .mem = db->mem, .def = def };
	struct arena *scratch;
	enum err e;

	if ((*to = *at) != NULL)
		return OK;
	scratch = arena_new();
	if ((e = prepare(db, scratch, &s)) == OK)
		*to = *at = copy_statement(db->mem, &s);
	arena_free(scratch);
	return e;
}

enum err
db_prepare(struct db *db, const struct sql *defs)
{
	struct stmt *s;
	enum err e = OK;

	for (; defs->name != NULL && e == OK; defs++)
		if (defs->text != NULL || db_is_server(db))
			e = find_or_prepare(db, defs, &s);
	return e;
}

const char *
db_text(struct db *db, const struct sql *def)
{
	struct stmt *s;

	return find_or_prepare(db, def, &s) == OK ? s->text : NULL;
}

enum err
db_script(struct db *db, const char *text)
{
	return db->is->script(db->h, text);
}

/* True if the fault that a test has set is due. */
static bool
fault_is_due(struct db *db)
{
	return db->fault_in > 0 && --db->fault_in == 0;
}

static struct val
value(enum field_type type, const void *at)
{
	switch (type) {
	case F_INT:
	case F_TIME:
		return val_int(*(const int64_t *)at);
	case F_BOOL:
		return val_int(*(const bool *)at);
	case F_REAL:
		return val_real(*(const double *)at);
	default:
		return val_text(*(const char *const *)at);
	}
}

static struct val
sealed(struct db *db, struct val v)
{
	if (v.type != VAL_TEXT)
		return v;
	assert(db->seals);
	return val_text(seal_text(db->sealed, db->key, v.u.s));
}

static const char *
open_value(struct db *db, struct arena *mem, const char *text)
{
	static bool logged;
	const char *open = text != NULL ? seal_open(mem, db->key, text) : NULL;

	if (text != NULL && open == NULL && !logged) {
		logged = true;
		log_error("the database has secrets encrypted with another secret.key");
	}
	return open != NULL ? open : text;
}

/* The values of :names follow the n arguments. */
static enum err
bind_all(struct db *db, struct stmt *s, const struct val *a, size_t n, const void *from)
{
	struct val all[ARGS_MAX + 1];

	assert(!s->running); /* a statement cannot run inside itself */
	assert(s->nargs == (int)n && (from != NULL || s->nfrom == 0));
	if (from == NULL)
		return db->is->start(db->h, s, a, (int)n);
	memcpy(all, a, (n + 1) * sizeof(*a));
	for (const struct binding *p = s->from; p < s->from + s->nfrom; p++) {
		all[p->n] = value(p->type, (const char *)from + p->at);
		if (p->sealed)
			all[p->n] = sealed(db, all[p->n]);
	}
	return db->is->start(db->h, s, all, (int)n + s->nfrom);
}

/* A statement that cannot be prepared waits for the migration of the database. */
static enum err
find_for_use(struct db *db, const struct sql *def, struct stmt **to)
{
	enum err e = find_or_prepare(db, def, to);

	return e == ERR_FAILED ? ERR_BUSY : e;
}

static struct rows
open_rows(struct db *db, const struct sql *def, const void *from, const struct val *a,
    size_t n)
{
	struct rows rs = { .db = db };
	struct stmt *s;

	if (fault_is_due(db))
		rs.err = db->fault;
	else if ((rs.err = find_for_use(db, def, &s)) == OK &&
		 (rs.err = bind_all(db, s, a, n, from)) == OK) {
		rs.st = s;
		s->running = true;
		db->running++;
	}
	if (rs.err == ERR_FAILED)
		log_error("%s failed", def->name);
	return rs;
}

struct rows
db_query(struct db *db, const struct sql *def, const struct val *a, size_t n)
{
	return open_rows(db, def, NULL, a, n);
}

bool
db_next(struct rows *rs)
{
	if (rs->err != OK || !rs->db->is->step(rs->db->h, rs->st->st, &rs->err))
		return false;
	rs->n++;
	return true;
}

static void
report_change(struct db *db)
{
	if (db->news)
		local_pulse_raise();
	db->news = false;
}

static void
note_change(struct rows *rs, int64_t n)
{
	rs->db->changed += n;
	if (rs->err != OK || n == 0 || rs->st->def->quiet)
		return;
	rs->db->news = true;
	if (!rs->db->is->writing(rs->db->h))
		report_change(rs->db);
}

enum err
db_done(struct rows *rs)
{
	if (rs->st != NULL) {
		if (rs->st->def->writes)
			note_change(rs, rs->n);
		rs->db->is->reset(rs->db->h, rs->st->st);
		rs->st->running = false;
		rs->st = NULL;
		if (--rs->db->running == 0)
			arena_reset(rs->db->sealed);
	}
	rs->db->busy += rs->err == ERR_BUSY;
	return rs->err;
}

enum err
db_done_one(struct rows *rs)
{
	enum err e = db_done(rs);

	return e == OK && rs->n == 0 ? ERR_NOT_FOUND : e;
}

static enum err
finish(struct rows *rs, int64_t *changed)
{
	int64_t n = 0;

	while (db_next(rs))
		;
	if (rs->err == OK)
		n = rs->db->is->changed(rs->db->h, rs->st->st);
	if (changed != NULL)
		*changed = n;
	note_change(rs, n);
	return db_done(rs);
}

enum err
db_exec(struct db *db, const struct sql *def, const struct val *a, size_t n,
    int64_t *changed)
{
	struct rows rs = db_query(db, def, a, n);

	return finish(&rs, changed);
}

enum err
db_save(struct db *db, const struct sql *def, const void *from, const struct val *a,
    size_t n, enum err if_none)
{
	struct rows rs = open_rows(db, def, from, a, n);
	int64_t changed;
	enum err e = finish(&rs, &changed);

	return e == OK && changed == 0 ? if_none : e;
}

enum err
db_change(struct db *db, const struct sql *def, const struct val *a, size_t n,
    enum err if_none)
{
	return db_save(db, def, NULL, a, n, if_none);
}

enum err
db_number(
    struct db *db, const struct sql *def, const struct val *a, size_t n, int64_t *to)
{
	struct rows rs = db_query(db, def, a, n);

	*to = db_next(&rs) ? row_int(&rs, 0) : 0;
	if (*to == NULL_INT)
		*to = 0;
	return db_done(&rs);
}

enum err
db_there(struct db *db, const struct sql *def, const struct val *a, size_t n)
{
	struct rows rs = db_query(db, def, a, n);

	db_next(&rs);
	return db_done_one(&rs);
}

static enum err
report(struct db *db, const char *name, enum err e)
{
	if (e == ERR_FAILED)
		log_error("%s failed", name);
	db->busy += e == ERR_BUSY;
	return e;
}

/* A BEGIN counts as a statement for db_fault(). */
static enum err
enter(struct db *db, const char *scope, bool wait)
{
	db->changed = 0;
	db->news = false;
	return report(db, "tx.begin",
	    fault_is_due(db) ? db->fault : db->is->begin(db->h, scope, wait));
}

enum err
db_begin(struct db *db, const char *scope)
{
	return enter(db, scope, true);
}

enum err
db_try_begin(struct db *db, const char *scope)
{
	return enter(db, scope, false);
}

void
db_on_commit(struct db *db, enum err (*call)(void *), void *arg)
{
	db->on_commit = call;
	db->on_commit_arg = arg;
}

enum err
db_commit(struct db *db)
{
	bool call = db->on_commit != NULL && db->changed > 0;
	enum err e = call ? db->on_commit(db->on_commit_arg) : OK;

	if (e != OK)
		return e;
	e = report(
	    db, "tx.commit", fault_is_due(db) ? db->fault : db->is->commit(db->h));
	if (call && e == OK)
		db->on_commit = NULL;
	if (e == OK)
		report_change(db);
	return e;
}

void
db_rollback(struct db *db)
{
	if (!db->is->writing(db->h))
		return;
	db->fault_in = 0;
	if (db->is->rollback(db->h) != OK && db->is->writing(db->h))
		abort(); /* the transaction cannot be ended: restart */
}

bool
db_writing(struct db *db)
{
	return db->is->writing(db->h);
}

int64_t
row_int(const struct rows *rs, int i)
{
	return rs->db->is->get_int(rs->st->st, i);
}

double
row_real(const struct rows *rs, int i)
{
	return rs->db->is->get_real(rs->st->st, i);
}

bool
row_bool(const struct rows *rs, int i)
{
	return rs->db->is->get_int(rs->st->st, i) > 0; /* false for NULL */
}

static inline const char *
text_of(const struct db_driver *is, void *st, int i, struct arena *mem)
{
	size_t n = 0;
	const char *s = is->get_text(st, i, &n);

	return s == NULL ? NULL : arena_dup(mem, s, n);
}

const char *
row_text(const struct rows *rs, int i, struct arena *mem)
{
	return text_of(rs->db->is, rs->st->st, i, mem);
}

void
row_fill(const struct rows *rs, struct arena *mem, void *of)
{
	const struct db_driver *is = rs->db->is;
	const struct stmt *s = rs->st;

	for (const struct binding *p = s->row; p < s->row + s->nrow; p++) {
		void *to = (char *)of + p->at;

		switch (p->type) {
		case F_INT:
		case F_TIME:
			*(int64_t *)to = is->get_int(s->st, p->n);
			break;
		case F_REAL:
			*(double *)to = is->get_real(s->st, p->n);
			break;
		case F_BOOL:
			*(bool *)to = row_bool(rs, p->n);
			break;
		default:
			*(const char **)to = text_of(is, s->st, p->n, mem);
			if (p->sealed)
				*(const char **)to =
				    open_value(rs->db, mem, *(const char **)to);
			break;
		}
	}
}

enum err
db_one(struct db *db, const struct sql *def, const struct val *a, size_t n,
    struct arena *mem, void *to)
{
	struct rows rs = db_query(db, def, a, n);

	if (db_next(&rs))
		row_fill(&rs, mem, memset(to, 0, def->size));
	return db_done_one(&rs);
}

enum err
db_list(struct db *db, const struct sql *def, const struct val *a, size_t n,
    struct arena *mem, struct list *to)
{
	struct rows rs = db_query(db, def, a, n);
	struct buf items = { .mem = mem };

	*to = (struct list){ 0 };
	for (; db_next(&rs); to->n++) {
		row_fill(&rs, mem, memset(buf_room(&items, def->size), 0, def->size));
		items.len += def->size;
	}
	to->items = items.p;
	return db_done(&rs);
}

bool
db_is_server(const struct db *db)
{
	return db->is->rest != NULL;
}

void
db_rest(struct db *db, bool idle)
{
	if (db->is->rest != NULL)
		db->is->rest(db->h, idle);
}

int64_t
db_pulse(struct db *db, int64_t every_us)
{
	return db->is->pulse(db->h, every_us);
}

#define AWAITED 4           /* most descriptors beside that of the watch */
#define POLL_US (S_US / 10) /* interval of checks without a watch */

int
db_change_fd(struct db *db)
{
	if (db->watch.fd < 0)
		change_watch_open(&db->watch);
	change_watch_drain(&db->watch);
	return change_watch_arm(&db->watch, local_pulse_path()) ? db->watch.fd : -1;
}

/* True if none became readable until then. */
static bool
await_fds(const int *fds, int n, int64_t until_us)
{
	struct pollfd p[AWAITED + 1];
	int64_t left_us = until_us - monotonic_us();

	for (int i = 0; i < n; i++)
		p[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	return poll(p, (nfds_t)n, left_us > 0 ? (int)(left_us / 1000) + 1 : 0) <= 0;
}

bool
db_await(struct db *db, int64_t pulse, const int *fds, int n, int64_t until_us)
{
	int all[AWAITED + 1];

	assert(n <= AWAITED);
	if (n > 0)
		memcpy(all + 1, fds, (size_t)n * sizeof(*fds));
	while (monotonic_us() < until_us) {
		int64_t end_us = until_us;

		all[0] = db_change_fd(db);
		if (db_pulse(db, INT64_MAX) != pulse)
			return true;
		if (all[0] < 0 && end_us > monotonic_us() + POLL_US)
			end_us = monotonic_us() + POLL_US;
		if (!await_fds(all, n + 1, end_us) && !await_fds(fds, n, 0))
			return false;
	}
	return false;
}

enum err
db_flush(struct db *db)
{
	return db->is->flush != NULL ? db->is->flush(db->h) : OK;
}

bool
db_is_file(const struct db *db)
{
	return db->is->check != NULL;
}

enum err
db_backup(struct db *db, const char *path)
{
	return db->is->backup(db->h, path);
}

enum err
db_restore(struct db *db, const char *path)
{
	return db->is->restore(db->h, path);
}

enum err
db_objects(struct db *db, struct arena *mem, const char **to)
{
	return db->is->objects != NULL ? db->is->objects(db->h, mem, to)
				       : ERR_UNSUPPORTED;
}

enum err
db_check_file(struct db *db, struct arena *mem, struct db_file *to)
{
	*to = (struct db_file){ .is_file = db_is_file(db) };
	return to->is_file ? db->is->check(db->h, mem, to) : OK;
}

void
db_fault(struct db *db, int n, enum err e)
{
	db->fault_in = n;
	db->fault = e;
}

bool
db_idle(struct db *db)
{
	return db->running == 0 && !db->is->writing(db->h);
}

int64_t
db_busy_count(const struct db *db)
{
	return db->busy;
}
