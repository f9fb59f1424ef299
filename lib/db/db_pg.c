/*
 * The waist over PostgreSQL, by libpq.  A transaction begins by taking one
 * advisory lock and sees what was committed before it got it, so transactions are
 * in single file, as with SQLite, and what one counted stays true until it commits,
 * unless a statement outside of any changes it: that takes no lock, and is atomic.
 *
 * Everything ends: the server is told how long a lock, a statement and an idle
 * transaction may take, and where it falls silent we hang up.  A lost connection
 * is made anew by the next statement, but not within a transaction: what was done
 * in it is gone, so each statement fails until the caller rolls back.
 */
#include <libpq-fe.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "db/driver.h"

#define BEGIN(lock)                                                                    \
	"BEGIN ISOLATION LEVEL READ COMMITTED;SELECT pg_" lock                         \
	"advisory_xact_lock(7239147110)"
#define PULSE_US (S_US / 2) /* there is nothing to watch: look this often */

#define STATEMENT_MS 30000 /* besides busy_ms, then the server gives it up */
#define SCRIPT_MS 3600000  /* the same: it may build an index */
#define IDLE_MS 60000      /* a writer that vanished keeps the others waiting */
#define SILENCE_MS 5000    /* past its own limit, then the server is lost */

struct slot {
	char name[16];      /* the server's name for it */
	int64_t connection; /* that it was prepared on; it goes with it */
	int next_row;       /* of the result, while it runs */
	PGresult *result;
};

struct pg {
	PGconn *c;
	int busy_ms;
	int answer_ms; /* how long to wait for the server's answer */
	bool silent;   /* the last one did not come */
	bool again;    /* a connection that seemed sound turned out to be lost */
	bool writing;  /* from begin to commit or rollback, lost or not */
	int64_t connection, nstmts; /* how many there have been */
};

/* ---- the other dialect ---- */

/* Lines "--pg ..." are for PostgreSQL, lines "... -- sqlite" are not. */
static const char *
own_lines(struct arena *mem, const char *text)
{
	static const char only[] = "-- sqlite";
	struct buf b = { .mem = mem };
	size_t n;

	for (; *text != '\0'; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (n >= strlen(only) &&
		    memcmp(text + n - strlen(only), only, strlen(only)) == 0)
			continue;
		if (strncmp(text, "--pg ", 5) == 0)
			buf_put(&b, text + 5, n - 5);
		else
			buf_put(&b, text, n);
		buf_str(&b, "\n");
	}
	return buf_text(&b);
}

static const char *
translate(struct arena *mem, const char *text)
{
	static const char *const words[][2] = { { "INTEGER", "BIGINT" },
		{ "REAL", "DOUBLE PRECISION" }, { ") STRICT, WITHOUT ROWID", ")" },
		{ ") STRICT", ")" } };
	struct buf b = { .mem = mem };

	text = own_lines(mem, text);
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

struct texts {
	char room[ARGS_MAX + 1][32];
	const char *v[ARGS_MAX + 1]; /* v[1] is $1; NULL is SQL NULL */
};

/* Parameters as texts; such as were texts are borrowed. */
static void
texts_of(struct texts *t, const struct val *a, size_t n)
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

/* What an SQLSTATE, or NULL, comes to; *usual: not worth a log line. */
static enum err
error_of(const char *state, bool *usual)
{
	static const struct {
		const char *state; /* as far as it matters */
		enum err is;
		bool usual;
	} all[] = {
		{ "23", ERR_CONFLICT, true },
		{ "55P03", ERR_BUSY, true },  /* lock timeout */
		{ "40001", ERR_BUSY, true },  /* serialization */
		{ "40P01", ERR_BUSY, true },  /* deadlock */
		{ "53", ERR_FULL, false },    /* insufficient resources */
		{ "57014", ERR_BUSY, false }, /* statement timeout */
	};

	*usual = false;
	for (size_t i = 0; state != NULL && i < sizeof(all) / sizeof(all[0]); i++)
		if (strncmp(state, all[i].state, strlen(all[i].state)) == 0) {
			*usual = all[i].usual;
			return all[i].is;
		}
	return ERR_FAILED;
}

/* ---- answers ---- */

static bool
is_lost(const struct pg *p)
{
	return PQstatus(p->c) != CONNECTION_OK;
}

static enum err
verdict(struct pg *p, const PGresult *r, const char *what)
{
	ExecStatusType s = PQresultStatus(r);
	bool usual;
	enum err e = error_of(PQresultErrorField(r, PG_DIAG_SQLSTATE), &usual);

	if (s == PGRES_COMMAND_OK || s == PGRES_TUPLES_OK)
		return OK;
	if (!usual)
		log_error("postgresql: %s: %s", what,
		    p->silent ? "there was no answer in time" : PQerrorMessage(p->c));
	return e == ERR_FAILED && is_lost(p) ? ERR_BUSY : e;
}

/* Wait until libpq has something to tell. false: it will not come. */
static bool
hear(struct pg *p, int64_t until_us)
{
	int unsent;

	while ((unsent = PQflush(p->c)) > 0 || PQisBusy(p->c)) {
		short events = unsent > 0 ? POLLIN | POLLOUT : POLLIN;
		struct pollfd f = { PQsocket(p->c), events, 0 };
		int64_t left_us = until_us - monotonic_us();

		if ((p->silent = left_us <= 0) || f.fd < 0)
			return false;
		poll(&f, 1, (int)(left_us / 1000) + 1);
		if (PQconsumeInput(p->c) == 0)
			return false;
	}
	return true;
}

/* The result of what was just sent, the last if there are many. */
static PGresult *
answer(struct pg *p, int within_ms)
{
	int64_t until_us = monotonic_us() + within_ms * INT64_C(1000);
	PGresult *r = NULL, *next;

	p->silent = false;
	do {
		if (!hear(p, until_us)) /* then libpq need not wait for it either */
			shutdown(PQsocket(p->c), SHUT_RDWR);
		if ((next = PQgetResult(p->c)) != NULL) {
			PQclear(r);
			r = next;
		}
	} while (next != NULL);
	p->again = is_lost(p) && !p->silent && !p->writing;
	return r;
}

static PGresult *
query(struct pg *p, const char *text, int within_ms)
{
	PQsendQuery(p->c, text);
	return answer(p, within_ms);
}

static enum err
run(struct pg *p, const char *what, const char *text, int within_ms)
{
	PGresult *r = query(p, text, within_ms);
	enum err e = verdict(p, r, what);

	PQclear(r);
	return e;
}

/* ---- the connection ---- */

static enum err
set(struct pg *p, const char *name, int ms)
{
	char text[80];

	snprintf(text, sizeof(text), "SET %s = %d", name, ms);
	return run(p, name, text, p->answer_ms);
}

/* What every connection begins with. */
static enum err
greet(struct pg *p)
{
	enum err e;

	if (is_lost(p)) {
		log_error("postgresql: %s", PQerrorMessage(p->c));
		return ERR_BUSY;
	}
	PQsetnonblocking(p->c, 1);
	if ((e = set(p, "statement_timeout", p->busy_ms + STATEMENT_MS)) != OK ||
	    (e = set(p, "lock_timeout", p->busy_ms)) != OK)
		return e;
	return set(p, "idle_in_transaction_session_timeout", IDLE_MS);
}

/* After the server was away: a new connection knows no statement. */
static enum err
connected(struct pg *p)
{
	if (!is_lost(p))
		return OK;
	p->again = false;
	if (p->writing)
		return ERR_BUSY;
	p->connection++;
	PQreset(p->c);
	return greet(p);
}

/* Of two that say the same the last one holds: it is the operator's. */
static PGconn *
dial(const char *url)
{
	static const char *const names[] = { "connect_timeout", "tcp_user_timeout",
		"keepalives", "keepalives_idle", "keepalives_interval",
		"keepalives_count", "dbname", NULL };
	const char *const values[] = { "5", "10000", "1", "10", "5", "3", url, NULL };

	return PQconnectdbParams(names, values, 1);
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
	PQconninfoOption *parsed = PQconninfoParse(url, NULL);
	struct pg *p;
	enum err e;

	(void)make;           /* the operator makes the database, on the server */
	if (parsed == NULL) { /* libpq's own complaint would show the password */
		log_error("db.url: this is no address of a PostgreSQL database");
		return ERR_REFUSED;
	}
	PQconninfoFree(parsed);
	if ((p = calloc(1, sizeof(*p))) == NULL)
		abort();
	p->busy_ms = busy_ms > 0 ? busy_ms : 1; /* 0 would be for ever */
	p->answer_ms = p->busy_ms + STATEMENT_MS + SILENCE_MS;
	p->c = dial(url);
	if ((e = greet(p)) == OK)
		*out = p;
	else
		pg_close(p);
	return e;
}

/* ---- statements ---- */

/* On this connection, if it is not there yet. */
static enum err
prepare_slot(struct pg *p, const struct stmt *s)
{
	struct slot *sl = s->st;
	PGresult *r;
	enum err e;

	if ((e = connected(p)) != OK || sl->connection == p->connection)
		return e;
	PQsendPrepare(p->c, sl->name, s->text, 0, NULL);
	r = answer(p, p->answer_ms);
	if ((e = verdict(p, r, s->def->name)) == OK)
		sl->connection = p->connection;
	PQclear(r);
	return e;
}

static enum err
name_columns(struct pg *p, const struct stmt *s, struct arena *mem, struct list *to)
{
	const char **names;
	PGresult *r;
	enum err e;

	PQsendDescribePrepared(p->c, ((const struct slot *)s->st)->name);
	r = answer(p, p->answer_ms);
	if ((e = verdict(p, r, s->def->name)) == OK) {
		to->n = (size_t)PQnfields(r);
		to->items = names = arena_alloc(mem, to->n * sizeof(*names));
		for (size_t i = 0; i < to->n; i++)
			names[i] = arena_str(mem, PQfname(r, (int)i));
	}
	PQclear(r);
	return e;
}

static enum err
pg_prepare(void *h, struct stmt *s, struct arena *mem, struct list *columns)
{
	struct pg *p = h;
	struct slot *sl = s->st = arena_alloc(s->mem, sizeof(*sl));
	enum err e;

	sl->connection = -1;
	snprintf(sl->name, sizeof(sl->name), "s%lld", (long long)p->nstmts++);
	if ((e = prepare_slot(p, s)) != OK && p->again)
		e = prepare_slot(p, s);
	return e != OK || columns == NULL ? e : name_columns(p, s, mem, columns);
}

static enum err
execute(struct pg *p, const struct stmt *s, const struct texts *t, int n)
{
	struct slot *sl = s->st;
	enum err e;

	if ((e = prepare_slot(p, s)) != OK)
		return e;
	PQsendQueryPrepared(p->c, sl->name, n, n > 0 ? &t->v[1] : NULL, NULL, NULL, 0);
	sl->result = answer(p, p->answer_ms);
	sl->next_row = 0;
	if ((e = verdict(p, sl->result, s->def->name)) != OK) {
		PQclear(sl->result);
		sl->result = NULL;
	}
	return e;
}

/* After a restart of the server the first statement finds the connection lost. */
static enum err
pg_start(void *h, struct stmt *s, const struct val *a, int n)
{
	struct pg *p = h;
	struct texts t;
	enum err e;

	texts_of(&t, a, (size_t)n);
	if ((e = execute(p, s, &t, n)) != OK && p->again)
		e = execute(p, s, &t, n);
	return e;
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

/* Of NULL it is NULL. */
static const char *
cell(void *st, int i)
{
	const struct slot *sl = st;
	int row = sl->next_row - 1;

	return PQgetisnull(sl->result, row, i) ? NULL : PQgetvalue(sl->result, row, i);
}

static int64_t
pg_int(void *st, int i)
{
	return cell(st, i) == NULL ? NULL_INT : strtoll(cell(st, i), NULL, 10);
}

static double
pg_real(void *st, int i)
{
	return cell(st, i) == NULL ? NAN : strtod(cell(st, i), NULL);
}

static const char *
pg_text(void *st, int i, size_t *n)
{
	const struct slot *sl = st;

	*n = (size_t)PQgetlength(sl->result, sl->next_row - 1, i);
	return cell(st, i);
}

static enum err
pg_script(void *h, const char *text)
{
	struct pg *p = h;
	struct arena *mem;
	enum err e;

	if ((e = connected(p)) != OK ||
	    (e = set(p, "statement_timeout", SCRIPT_MS)) != OK)
		return e;
	mem = arena_new();
	e = run(p, "script", translate(mem, text), SCRIPT_MS + SILENCE_MS);
	arena_free(mem);
	return e != OK ? e : set(p, "statement_timeout", p->busy_ms + STATEMENT_MS);
}

/* ---- transactions ---- */

static bool
in_block(const struct pg *p)
{
	PGTransactionStatusType s = PQtransactionStatus(p->c);

	return s == PQTRANS_INTRANS || s == PQTRANS_INERROR;
}

static bool
pg_writing(void *h)
{
	return ((struct pg *)h)->writing;
}

static enum err
pg_rollback(void *h)
{
	struct pg *p = h;
	enum err e = is_lost(p) ? OK : run(p, "tx.rollback", "ROLLBACK", p->answer_ms);

	p->writing = in_block(p);
	return e;
}

static enum err
begin(struct pg *p, bool wait)
{
	enum err e = connected(p);
	PGresult *r;

	if (e == OK) {
		r = query(p, wait ? BEGIN("") : BEGIN("try_"), p->answer_ms);
		e = verdict(p, r, "tx.begin");
		if (e == OK && strcmp(PQgetvalue(r, 0, 0), "f") == 0)
			e = ERR_BUSY; /* the lock is another's */
		PQclear(r);
	}
	if (e != OK)
		pg_rollback(p);
	p->writing = in_block(p);
	return e;
}

static enum err
pg_begin(void *h, bool wait)
{
	struct pg *p = h;
	enum err e;

	if (p->writing) {
		log_error("postgresql: a transaction within a transaction");
		return ERR_FAILED;
	}
	e = begin(p, wait);
	return e != OK && p->again ? begin(p, wait) : e;
}

static enum err
pg_commit(void *h)
{
	struct pg *p = h;
	PGresult *r;
	enum err e;

	if (!p->writing || is_lost(p)) /* lost before: nothing was kept */
		return p->writing ? ERR_BUSY : ERR_FAILED;
	r = query(p, "COMMIT", p->answer_ms);
	e = verdict(p, r, "tx.commit");
	/* After a statement failed the server answers ROLLBACK, and means it. */
	if (is_lost(p) || (e == OK && strcmp(PQcmdStatus(r), "COMMIT") != 0))
		e = ERR_FAILED;
	PQclear(r);
	p->writing = in_block(p);
	return e;
}

static int64_t
pg_pulse(void *h)
{
	(void)h;
	return monotonic_us() / PULSE_US;
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
	.mark = '$',
	.translate = translate,
	.open = pg_open,
	.close = pg_close,
	.prepare = pg_prepare,
	.start = pg_start,
	.step = pg_step,
	.reset = pg_reset,
	.changed = pg_changed,
	.get_int = pg_int,
	.get_real = pg_real,
	.get_text = pg_text,
	.script = pg_script,
	.begin = pg_begin,
	.commit = pg_commit,
	.rollback = pg_rollback,
	.writing = pg_writing,
	.pulse = pg_pulse,
	.backup = pg_copy,
	.restore = pg_copy,
};
