/*
 * The waist over PostgreSQL, by libpq.  A writing transaction begins by taking
 * one advisory lock: writers are in single file, as they are with SQLite, so
 * what a transaction counted stays true until it commits.
 */
#include <libpq-fe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "db/driver.h"

#define NSTMTS 256 /* a power of two; a program uses far fewer */
#define WRITE_LOCK "SELECT pg_advisory_xact_lock(7239147110)"
#define PULSE_US (S_US / 2) /* there is nothing to watch: look this often */

struct slot {
	const struct sql *def; /* prepared under the number of its slot */
	int next_row;          /* of the result, while it runs */
	PGresult *result;
};

struct pg {
	PGconn *c;
	int busy_ms;
	struct slot slots[NSTMTS];
};

static enum err
verdict(struct pg *p, const PGresult *r, const char *what)
{
	const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);

	switch (PQresultStatus(r)) {
	case PGRES_COMMAND_OK:
	case PGRES_TUPLES_OK:
		return OK;
	default:
		break;
	}
	if (state != NULL && strncmp(state, "23", 2) == 0)
		return ERR_CONFLICT;
	if (state != NULL && (!strcmp(state, "55P03") || !strcmp(state, "40001") ||
				 !strcmp(state, "40P01")))
		return ERR_BUSY; /* lock timeout, serialization, deadlock */
	log_error("postgresql: %s: %s", what, PQerrorMessage(p->c));
	if (state != NULL && strncmp(state, "53", 2) == 0)
		return ERR_FULL; /* insufficient resources */
	return PQstatus(p->c) == CONNECTION_OK ? ERR_FAILED : ERR_BUSY;
}

static enum err
run(struct pg *p, const char *text)
{
	PGresult *r = PQexec(p->c, text);
	enum err e = verdict(p, r, text);

	PQclear(r);
	return e;
}

/* The types of one dialect in the other's words. */
static const char *
translate(struct arena *mem, const char *text)
{
	static const char *const words[][2] = { { "INTEGER", "BIGINT" },
		{ "REAL", "DOUBLE PRECISION" }, { ") STRICT", ")" } };
	struct buf b = { .mem = mem };

	while (*text != '\0') {
		size_t w = 0, n = sizeof(words) / sizeof(words[0]);

		while (w < n && strncmp(text, words[w][0], strlen(words[w][0])) != 0)
			w++;
		if (w < n) {
			buf_str(&b, words[w][1]);
			text += strlen(words[w][0]);
		} else
			buf_put(&b, text++, 1);
	}
	return buf_text(&b);
}

static struct slot *
find(struct pg *p, const struct sql *def)
{
	size_t i = ((uintptr_t)def / sizeof(*def)) % NSTMTS;

	while (p->slots[i].def != NULL && p->slots[i].def != def)
		i = (i + 1) % NSTMTS;
	return &p->slots[i];
}

static const char *
slot_name(const struct pg *p, const struct slot *sl, char to[16])
{
	snprintf(to, 16, "s%d", (int)(sl - p->slots));
	return to;
}

static enum err
pg_prepare(void *h, const struct sql *def)
{
	struct pg *p = h;
	struct slot *sl = find(p, def);
	struct arena *mem;
	char name[16];
	PGresult *r;
	enum err e;

	if (sl->def != NULL)
		return OK;
	mem = arena_new();
	r = PQprepare(p->c, slot_name(p, sl, name),
	    def->pg != NULL ? def->pg : translate(mem, def->text), 0, NULL);
	e = verdict(p, r, def->name);
	if (e == OK)
		sl->def = def;
	PQclear(r);
	arena_free(mem);
	return e;
}

/* After the server was away: a new connection knows no statement. */
static enum err
reconnect(struct pg *p)
{
	char text[64];

	if (PQstatus(p->c) == CONNECTION_OK)
		return OK;
	PQreset(p->c);
	for (int i = 0; i < NSTMTS; i++)
		p->slots[i].def = NULL;
	if (PQstatus(p->c) != CONNECTION_OK) {
		log_error("postgresql: %s", PQerrorMessage(p->c));
		return ERR_BUSY;
	}
	snprintf(text, sizeof(text), "SET lock_timeout = %d", p->busy_ms);
	return run(p, text);
}

/* Numbers as text, in room that lasts until the call. */
struct texts {
	char room[ARGS_MAX + 1][32];
	const char *v[ARGS_MAX + 1];
};

static void
write_args(struct texts *t, const struct val *a, size_t n)
{
	for (size_t i = 1; i <= n; i++) {
		char *room = t->room[i];

		t->v[i] = room;
		switch (a[i].type) {
		case VAL_NULL:
			t->v[i] = NULL;
			break;
		case VAL_INT:
			snprintf(room, 32, "%lld", (long long)a[i].u.i);
			break;
		case VAL_REAL:
			snprintf(room, 32, "%.17g", a[i].u.r);
			break;
		case VAL_TEXT:
			t->v[i] = a[i].u.s;
			break;
		}
	}
}

static void *
pg_start(void *h, const struct sql *def, const struct val *a, size_t n, enum err *e)
{
	struct pg *p = h;
	struct texts t;
	struct slot *sl;
	char name[16];

	if ((*e = reconnect(p)) != OK || (*e = pg_prepare(h, def)) != OK)
		return NULL;
	sl = find(p, def);
	write_args(&t, a, n);
	sl->result = PQexecPrepared(p->c, slot_name(p, sl, name), (int)n,
	    n > 0 ? &t.v[1] : NULL, NULL, NULL, 0);
	sl->next_row = 0;
	if ((*e = verdict(p, sl->result, def->name)) == OK &&
	    strcmp(def->name, "tx.begin") == 0)
		*e = run(p, WRITE_LOCK);
	return sl;
}

static bool
pg_step(void *h, void *st, enum err *e)
{
	struct slot *sl = st;

	(void)h, (void)e;
	return sl->next_row++ < PQntuples(sl->result);
}

static void
pg_reset(void *h, void *st)
{
	struct slot *sl = st;

	(void)h;
	PQclear(sl->result);
	sl->result = NULL;
}

static int64_t
pg_changed(void *h, void *st)
{
	(void)h;
	return strtoll(PQcmdTuples(((struct slot *)st)->result), NULL, 10);
}

static const char *
cell(void *st, int i)
{
	struct slot *sl = st;

	return PQgetvalue(sl->result, sl->next_row - 1, i);
}

static int64_t
pg_int(void *st, int i)
{
	return strtoll(cell(st, i), NULL, 10);
}

static double
pg_real(void *st, int i)
{
	return strtod(cell(st, i), NULL);
}

static bool
pg_is_null(void *st, int i)
{
	struct slot *sl = st;

	return PQgetisnull(sl->result, sl->next_row - 1, i) != 0;
}

static const char *
pg_text(void *st, int i, size_t *n)
{
	struct slot *sl = st;

	if (pg_is_null(st, i))
		return NULL;
	*n = (size_t)PQgetlength(sl->result, sl->next_row - 1, i);
	return cell(st, i);
}

static enum err
pg_script(void *h, const char *text)
{
	struct arena *mem = arena_new();
	enum err e = run(h, translate(mem, text));

	arena_free(mem);
	return e;
}

static bool
pg_writing(void *h)
{
	PGTransactionStatusType s = PQtransactionStatus(((struct pg *)h)->c);

	return s == PQTRANS_INTRANS || s == PQTRANS_INERROR;
}

static bool
pg_idle(void *h)
{
	struct pg *p = h;

	for (int i = 0; i < NSTMTS; i++)
		if (p->slots[i].result != NULL)
			return false;
	return !pg_writing(h);
}

static int64_t
pg_pulse(void *h)
{
	(void)h;
	return monotonic_us() / PULSE_US;
}

static void
pg_close(void *h)
{
	struct pg *p = h;

	PQfinish(p->c);
	free(p);
}

static enum err
pg_open(void **out, const char *url, int busy_ms, bool make)
{
	struct pg *p = calloc(1, sizeof(*p));
	char text[64];
	enum err e = OK;

	(void)make; /* the operator makes the database, on the server */
	if (p == NULL)
		abort();
	p->busy_ms = busy_ms;
	p->c = PQconnectdb(url);
	if (PQstatus(p->c) != CONNECTION_OK) {
		log_error("postgresql: %s", PQerrorMessage(p->c));
		e = ERR_BUSY;
	}
	snprintf(text, sizeof(text), "SET lock_timeout = %d", busy_ms);
	if (e == OK)
		e = run(p, text);
	if (e == OK) {
		*out = p;
		return OK;
	}
	pg_close(p);
	return e;
}

static enum err
pg_copy(void *h, const char *path)
{
	(void)h, (void)path;
	log_error("a PostgreSQL database is copied by pg_dump and pg_restore");
	return ERR_UNSUPPORTED;
}

const struct db_driver db_pg = {
	.scheme = "postgresql:",
	.open = pg_open,
	.close = pg_close,
	.prepare = pg_prepare,
	.start = pg_start,
	.step = pg_step,
	.reset = pg_reset,
	.changed = pg_changed,
	.get_int = pg_int,
	.get_real = pg_real,
	.is_null = pg_is_null,
	.get_text = pg_text,
	.script = pg_script,
	.writing = pg_writing,
	.idle = pg_idle,
	.pulse = pg_pulse,
	.backup = pg_copy,
	.restore = pg_copy,
};
