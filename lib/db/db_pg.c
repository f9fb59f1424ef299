/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The driver for PostgreSQL, by libpq.  A transaction begins by taking the advisory
 * lock of its scope and sees everything committed before it got the lock.  So
 * transactions of one scope run one at a time, and a value read in one stays true until
 * it commits, unless a statement outside any transaction changes it: such a statement
 * takes no lock, and is atomic.  All share one more lock, which DB_ALL takes alone.
 *
 * Every wait has a limit: the server gets limits for a lock, a statement and an idle
 * transaction, and a connection whose server does not answer is closed.  A lost
 * connection is opened again by the next statement, but not within a transaction: its
 * changes are lost, so each statement fails until the caller rolls back.
 *
 * A pooler such as pgbouncer may run each transaction over another connection to the
 * server, where a prepared statement does not exist.  Then statements are not prepared.
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "db/driver.h"
#include "db/libpq.h"
#include "db/local_pulse.h"
#include "db/places.h"

#define EVERYTHING "7239147110" /* key of the lock that all transactions share */
#define SCOPES 1129270339       /* class of the locks of scopes */
/* a place is kept so long while others wait: connecting takes time, too */
#define SLICE_US (3 * S_US)

#define STATEMENT_MS 5000 /* added to busy_ms; then the server cancels it */
#define SCRIPT_MS 3600000 /* time limit of a script, which may build an index */
/* limit of an idle transaction: a writer that vanished blocks the others */
#define IDLE_MS 5000
/* added to the statement's limit; then the server counts as lost */
#define SILENCE_MS 5000

struct slot {
	char name[20];      /* name of the statement on the server */
	int64_t connection; /* number of the connection it was prepared on */
	int next_row;       /* row of the result that is read next */
	PGresult *result;
};

struct pg {
	PGconn *c; /* NULL: closed in a rest */
	char *url;
	int busy_ms;
	int answer_ms;      /* longest wait for an answer of the server */
	bool silent;        /* the last answer did not arrive */
	bool again;         /* the statement failed before it ran: run it once more */
	bool writing;       /* true between begin and commit or rollback */
	bool pooled;        /* statements may run over several connections */
	int place;          /* descriptor that places.h gave */
	int64_t opened_us;  /* monotonic_us() of the connection */
	int64_t connection; /* number of connections opened so far */
};

/* ---- translation from SQLite ---- */

/* Keep the text of lines "--pg ...", which are for PostgreSQL; drop lines "... --
   sqlite". */
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

/* Write parameters as texts; values of type TEXT are not copied. */
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

/* The error for an SQLSTATE or NULL; *usual: it is not worth a log line. */
static enum err
error_of(const char *state, bool *usual)
{
	static const struct {
		const char *state; /* first characters of the SQLSTATE */
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
		    p->silent ? "no answer in time" : PQerrorMessage(p->c));
	return e == ERR_FAILED && is_lost(p) ? ERR_BUSY : e;
}

/* Wait until libpq has a result.  False: none will arrive. */
static bool
await_result(struct pg *p, int64_t until_us)
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

/* Returns the result of the query just sent; if there are several, the last one. */
static PGresult *
read_result(struct pg *p, int within_ms)
{
	int64_t until_us = monotonic_us() + within_ms * INT64_C(1000);
	PGresult *r = NULL, *next;

	p->silent = false;
	do {
		/* after a shutdown PQgetResult() does not wait, either */
		if (!await_result(p, until_us))
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
	return read_result(p, within_ms);
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

/* SET commands for the three limits: they last until the connection ends or, with
   "LOCAL ", until the transaction does. */
static const char *
limits_text(const struct pg *p, const char *local, char *to, size_t n)
{
	snprintf(to, n,
	    "SET %sstatement_timeout = %d;SET %slock_timeout = %d;"
	    "SET %sidle_in_transaction_session_timeout = %d;",
	    local, p->busy_ms + STATEMENT_MS, local, p->busy_ms, local, IDLE_MS);
	return to;
}

/* Log warnings. By default libpq prints notices on stderr, such as of a table that is
   there. */
static void
receive_notice(void *arg, const PGresult *r)
{
	const char *severity = PQresultErrorField(r, PG_DIAG_SEVERITY_NONLOCALIZED);

	(void)arg;
	if (severity != NULL && strcmp(severity, "WARNING") == 0)
		log_warn(
		    "postgresql: %s", PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY));
}

/* Set up a new connection. A pooler names a process of its own, not the server's. */
static enum err
set_up(struct pg *p)
{
	char limits[320], text[400];
	PGresult *r;
	enum err e;

	if (is_lost(p)) {
		log_error("postgresql: %s", PQerrorMessage(p->c));
		return ERR_BUSY;
	}
	PQsetnonblocking(p->c, 1);
	PQsetNoticeReceiver(p->c, receive_notice, NULL);
	snprintf(text, sizeof(text), "%sSELECT pg_backend_pid()",
	    limits_text(p, "", limits, sizeof(limits)));
	r = query(p, text, p->answer_ms);
	if ((e = verdict(p, r, "limits")) == OK)
		p->pooled = atoi(PQgetvalue(r, 0, 0)) != PQbackendPID(p->c);
	PQclear(r);
	return e;
}

/* A repeated parameter overrides the earlier one: the operator's address comes last. */
static PGconn *
connect_to(const char *url)
{
	static const char *const names[] = { "connect_timeout", "tcp_user_timeout",
		"keepalives", "keepalives_idle", "keepalives_interval",
		"keepalives_count", "dbname", NULL };
	const char *const values[] = { "5", "10000", "1", "10", "5", "3", url, NULL };

	return PQconnectdbParams(names, values, 1);
}

static void
disconnect(struct pg *p)
{
	PQfinish(p->c);
	p->c = NULL;
	places_leave(&p->place);
}

static void
pg_rest(void *h, bool idle)
{
	struct pg *p = h;

	bool may = idle || monotonic_us() > p->opened_us + SLICE_US;

	if (p->c != NULL && !p->writing && may && (idle || places_wanted()))
		disconnect(p);
}

/*
 * Connect if the connection was closed or lost.  A new connection has no prepared
 * statements.
 */
static enum err
connected(struct pg *p)
{
	enum err e;

	if (!is_lost(p))
		return OK;
	p->again = false;
	if (p->writing)
		return ERR_BUSY;
	p->connection++;
	if (p->c != NULL)
		PQfinish(p->c);
	else if (!places_take(&p->place, p->busy_ms)) {
		log_warn("all db.connections of this node are in use");
		return ERR_BUSY;
	}
	p->c = connect_to(p->url);
	p->opened_us = monotonic_us();
	if ((e = set_up(p)) != OK)
		disconnect(p);
	return e;
}

static void
pg_close(void *h)
{
	struct pg *p = h;

	disconnect(p);
	free(p->url);
	free(p);
}

static enum err
pg_open(void **out, const char *url, int busy_ms, bool make)
{
	PQconninfoOption *parsed = PQconninfoParse(url, NULL);
	struct pg *p;
	enum err e;

	(void)make;           /* the operator creates the database on the server */
	if (parsed == NULL) { /* libpq's error message would contain the password */
		log_error("db.url: not a valid address of a PostgreSQL database");
		return ERR_REFUSED;
	}
	PQconninfoFree(parsed);
	if ((p = calloc(1, sizeof(*p))) == NULL || (p->url = strdup(url)) == NULL)
		abort();
	p->busy_ms = busy_ms > 0 ? busy_ms : 1; /* 0 would disable the limit */
	p->answer_ms = p->busy_ms + STATEMENT_MS + SILENCE_MS;
	if ((e = connected(p)) == OK)
		*out = p;
	else
		pg_close(p);
	return e;
}

/* ---- statements ---- */

/* Prepare the statement on this connection unless that was done. */
static enum err
prepare_slot(struct pg *p, const struct stmt *s)
{
	struct slot *sl = s->st;
	PGresult *r;
	enum err e;

	if ((e = connected(p)) != OK || p->pooled || sl->connection == p->connection)
		return e;
	PQsendPrepare(p->c, sl->name, s->text, 0, NULL);
	r = read_result(p, p->answer_ms);
	if ((e = verdict(p, r, s->def->name)) == OK)
		sl->connection = p->connection;
	PQclear(r);
	return e;
}

static void
copy_names(const PGresult *r, struct arena *mem, struct list *to)
{
	const char **names;

	to->n = (size_t)PQnfields(r);
	to->items = names = arena_alloc(mem, to->n * sizeof(*names));
	for (size_t i = 0; i < to->n; i++)
		names[i] = arena_str(mem, PQfname(r, (int)i));
}

/* Read the next result of a pipeline. False: it has ended. */
static bool
read_next(struct pg *p, int64_t until_us, PGresult **r)
{
	if (!await_result(p, until_us))
		shutdown(PQsocket(p->c), SHUT_RDWR);
	*r = PQgetResult(p->c);
	return !is_lost(p) && PQresultStatus(*r) != PGRES_PIPELINE_SYNC;
}

static enum err
read_pipeline(struct pg *p, const char *name, struct arena *mem, struct list *columns)
{
	int64_t until_us = monotonic_us() + p->answer_ms * INT64_C(1000);
	enum err e = OK;
	PGresult *r;

	p->silent = false;
	while (read_next(p, until_us, &r)) {
		if (r == NULL)
			continue; /* the results of one statement have ended */
		if (PQresultStatus(r) == PGRES_FATAL_ERROR)
			e = verdict(p, r, name);
		else if (columns != NULL && PQnfields(r) > 0)
			copy_names(r, mem, columns);
		PQclear(r);
	}
	PQclear(r);
	PQexitPipelineMode(p->c);
	p->again = is_lost(p) && !p->silent && !p->writing;
	return e == OK && is_lost(p) ? ERR_BUSY : e;
}

/*
 * Prepare and describe the statement, in one pipeline: a pooler sends both to one
 * connection of the server.
 */
static enum err
describe(struct pg *p, const struct stmt *s, struct arena *mem, struct list *columns)
{
	struct slot *sl = s->st;
	enum err e = connected(p);
	const char *name = p->pooled ? "" : sl->name;

	if (e != OK)
		return e;
	PQenterPipelineMode(p->c);
	PQsendPrepare(p->c, name, s->text, 0, NULL);
	PQsendDescribePrepared(p->c, name);
	PQpipelineSync(p->c);
	if ((e = read_pipeline(p, s->def->name, mem, columns)) == OK)
		sl->connection = p->connection;
	return e;
}

static enum err
pg_prepare(void *h, struct stmt *s, struct arena *mem, struct list *columns)
{
	static const unsigned char key[SIPHASH_KEY_BYTES];
	struct pg *p = h;
	struct slot *sl = s->st = arena_alloc(s->mem, sizeof(*sl));
	uint64_t hash = hash_keyed(key, s->text, strlen(s->text));
	enum err e;

	snprintf(sl->name, sizeof(sl->name), "d%016llx", (unsigned long long)hash);
	if ((e = describe(p, s, mem, columns)) != OK && p->again)
		e = describe(p, s, mem, columns);
	return e;
}

static void
send_statement(struct pg *p, const struct stmt *s, const struct texts *t, int n)
{
	const char *const *values = n > 0 ? &t->v[1] : NULL;
	const struct slot *sl = s->st;

	if (p->pooled)
		PQsendQueryParams(p->c, s->text, n, NULL, values, NULL, NULL, 0);
	else
		PQsendQueryPrepared(p->c, sl->name, n, values, NULL, NULL, 0);
}

static enum err
execute(struct pg *p, const struct stmt *s, const struct texts *t, int n)
{
	struct slot *sl = s->st;
	enum err e;

	if ((e = prepare_slot(p, s)) != OK)
		return e;
	send_statement(p, s, t, n);
	sl->result = read_result(p, p->answer_ms);
	sl->next_row = 0;
	if ((e = verdict(p, sl->result, s->def->name)) != OK) {
		PQclear(sl->result);
		sl->result = NULL;
	}
	return e;
}

/*
 * Run the statement, at most twice: after a restart of the server the first try finds
 * the connection lost.
 */
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

/* The text of a value; NULL for SQL NULL. */
static const char *
value_of(void *st, int i)
{
	const struct slot *sl = st;
	int row = sl->next_row - 1;

	return PQgetisnull(sl->result, row, i) ? NULL : PQgetvalue(sl->result, row, i);
}

static int64_t
pg_int(void *st, int i)
{
	return value_of(st, i) == NULL ? NULL_INT : strtoll(value_of(st, i), NULL, 10);
}

static double
pg_real(void *st, int i)
{
	return value_of(st, i) == NULL ? NAN : strtod(value_of(st, i), NULL);
}

static const char *
pg_text(void *st, int i, size_t *n)
{
	const struct slot *sl = st;

	*n = (size_t)PQgetlength(sl->result, sl->next_row - 1, i);
	return value_of(st, i);
}

/* In a transaction, the limit ends with it. */
static enum err
limit_statements(struct pg *p, int ms)
{
	char text[64];

	snprintf(text, sizeof(text), "SET %sstatement_timeout = %d",
	    p->writing ? "LOCAL " : "", ms);
	return run(p, "limit", text, p->answer_ms);
}

static enum err
pg_script(void *h, const char *text)
{
	struct pg *p = h;
	struct arena *mem;
	enum err e;

	if ((e = connected(p)) != OK || (e = limit_statements(p, SCRIPT_MS)) != OK)
		return e;
	mem = arena_new();
	e = run(p, "script", translate(mem, text), SCRIPT_MS + SILENCE_MS);
	arena_free(mem);
	return e != OK ? e : limit_statements(p, p->busy_ms + STATEMENT_MS);
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

/* Write the statements that begin a transaction and take its locks. */
static void
begin_text(const struct pg *p, const char *scope, bool wait, char *to, size_t n)
{
	static const unsigned char key[SIPHASH_KEY_BYTES];
	const char *try = wait ? "" : "try_";
	char limits[320] = "", own[80] = "";

	if (p->pooled)
		limits_text(p, "LOCAL ", limits, sizeof(limits));
	if (scope != NULL && *scope != '\0')
		snprintf(own, sizeof(own), "%spg_%sadvisory_xact_lock(%d, %d)",
		    wait ? ", " : " AND ", try, SCOPES,
		    (int32_t)(uint32_t)hash_keyed(key, scope, strlen(scope)));
	snprintf(to, n,
	    "BEGIN ISOLATION LEVEL READ COMMITTED;%s"
	    "SELECT pg_%sadvisory_xact_lock%s(" EVERYTHING ")%s",
	    limits, try, scope == DB_ALL ? "" : "_shared", own);
}

static enum err
begin(struct pg *p, const char *scope, bool wait)
{
	enum err e = connected(p);
	char text[640];
	PGresult *r;

	if (e == OK) {
		begin_text(p, scope, wait, text, sizeof(text));
		r = query(p, text, p->answer_ms);
		e = verdict(p, r, "tx.begin");
		if (e == OK && strcmp(PQgetvalue(r, 0, 0), "f") == 0)
			e = ERR_BUSY; /* another process has the lock */
		PQclear(r);
	}
	if (e != OK)
		pg_rollback(p);
	p->writing = in_block(p);
	return e;
}

static enum err
pg_begin(void *h, const char *scope, bool wait)
{
	struct pg *p = h;
	enum err e;

	if (p->writing) {
		log_error("postgresql: a transaction within a transaction");
		return ERR_FAILED;
	}
	e = begin(p, scope, wait);
	return e != OK && p->again ? begin(p, scope, wait) : e;
}

static enum err
pg_commit(void *h)
{
	struct pg *p = h;
	PGresult *r;
	enum err e;

	if (!p->writing || is_lost(p)) /* lost before: nothing was committed */
		return p->writing ? ERR_BUSY : ERR_FAILED;
	r = query(p, "COMMIT", p->answer_ms);
	e = verdict(p, r, "tx.commit");
	/* After a failed statement the server answers ROLLBACK and rolls back. */
	if (is_lost(p) || (e == OK && strcmp(PQcmdStatus(r), "COMMIT") != 0))
		e = ERR_FAILED;
	PQclear(r);
	p->writing = in_block(p);
	return e;
}

/* PostgreSQL has no change counter. */
static int64_t
pg_pulse(void *h, int64_t every_us)
{
	(void)h;
	return local_pulse() + monotonic_us() / every_us;
}

static enum err
pg_copy(void *h, const char *path)
{
	(void)h, (void)path;
	log_error("use pg_dump and pg_restore to copy a PostgreSQL database");
	return ERR_UNSUPPORTED;
}

const struct db_driver db_pg = {
	.scheme = "postgresql:",
	.mark = '$',
	.translate = translate,
	.open = pg_open,
	.close = pg_close,
	.rest = pg_rest,
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
