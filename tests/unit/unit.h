/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

/*
 * Shared by the tests of the upper layers: an installation in a temporary folder with a
 * new database, and requests made of strings.
 */
#include <check.h>
#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/grams.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/json.h"
#include "base/seal.h"
#include "store/credentials.h"
#include "store/schema.h"
#include "tests/unit/json_compare.h"
#include "tests/unit/suite.h"
#include "tests/unit/unit_files.h"
#include "web/web.h"

#define HEADS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* ---- a fixture: settings, database, an account with a key ---- */

struct fixture {
	struct arena *mem;  /* freed with the test */
	struct arena *wire; /* freed with each request */
	const char *dir;
	const char *db_path;
	struct app app;      /* tests may change app.conf */
	const char *account; /* its limits are those of the settings */
	const char *bearer;  /* sent with every request; NULL: no credential */
	const char *base;    /* server.base_url */
	const char *peer;    /* the client's address */
};

static struct fixture fixture;

/* Adds an active account. */
static inline const char *
fixture_account(void)
{
	struct account a = { .id = id_new(fixture.mem),
		.name = "An account",
		.status = "active",
		.created_us = now_us() };

	ck_assert_int_eq(account_add(fixture.app.db, &a), OK);
	return a.id;
}

/* Adds a credential; returns the secret, which clients send. */
static inline const char *
fixture_credential(
    const char *account, const char *kind, const char *scopes, const char *secret)
{
	struct credential c = { .id = id_new(fixture.mem),
		.kind = kind,
		.scopes = scopes,
		.label = "of a test",
		.created_us = now_us(),
		.expires_us = NULL_INT };
	/*
	 * Marks the credential as used, so that a request without effect does not
	 * change the database.
	 */
	static const struct sql used = { "test.used",
		"UPDATE credentials SET used_us = 9000000000000000 WHERE id = $1" };

	ck_assert_int_eq(credential_add(fixture.app.db, account, &c,
			     hash_hex(fixture.mem, secret, strlen(secret))),
	    OK);
	ck_assert_int_eq(db_exec(fixture.app.db, &used, ARGS(TEXT(c.id)), NULL), OK);
	return c.id;
}

/* Adds a key; returns "dgm_...". */
static inline const char *
fixture_key(const char *account, const char *scopes)
{
	unsigned char secret[32];
	const char *key;

	random_bytes(secret, sizeof(secret));
	key = arena_printf(
	    fixture.mem, "dgm_%s", base64url(fixture.mem, secret, sizeof(secret)));
	key = arena_printf(fixture.mem, "%s_%08x", key, crc(key, strlen(key)));
	fixture_credential(account, "key", scopes, key);
	return key;
}

/* Adds a key; returns the value for an Authorization header. */
static inline const char *
fixture_bearer(const char *account, const char *scopes)
{
	return arena_printf(fixture.mem, "Bearer %s", fixture_key(account, scopes));
}

static inline void
fixture_folders(void)
{
	static const char *const dirs[] = { "etc", "var", "var/state", "var/blobs",
		"share", "bin" };
	const char *conf =
	    arena_printf(fixture.mem, "%s/etc/dragoman.conf", fixture.dir);

	for (int i = 0; i < COUNT(dirs); i++)
		ck_assert_int_eq(
		    mkdir(
			arena_printf(fixture.mem, "%s/%s", fixture.dir, dirs[i]), 0700),
		    0);
	unit_write(conf, "[server]\nbase_url = https://speech.example.org\n");
	setenv("DRAGOMAN_CONF", conf, 1);
}

/*
 * UNIT_DATABASE: path of the empty database, which is copied because all migrations
 * take longer.
 */
static inline void
fixture_database(void)
{
	const char *kept = getenv("UNIT_DATABASE"), *ours;
	struct db *db;
	int applied;

	fixture.db_path = arena_printf(fixture.mem, "%s/var/dragoman.db", fixture.dir);
	if (kept != NULL && unit_copy(kept, fixture.db_path))
		return;
	ck_assert_int_eq(
	    db_open(&db, arena_printf(fixture.mem, "sqlite:%s", fixture.db_path), 1000,
		true),
	    OK);
	ck_assert_int_eq(schema_migrate(db, fixture.mem, "schema", &applied), OK);
	ck_assert_int_gt(applied, 0);
	db_close(db);
	if (kept == NULL)
		return;
	ours = arena_printf(fixture.mem, "%s.%d", kept, (int)getpid());
	ck_assert(unit_copy(fixture.db_path, ours));
	ck_assert_int_eq(rename(ours, kept), 0);
}

/* Waits near the end of a minute, because rates are counted by the minute. */
static inline void
fixture_wait(void)
{
	while (now_us() % (60 * S_US) > 58 * S_US)
		usleep(100000);
}

static inline void
fixture_open(
    const char *program, const struct route *routes, const struct sql *const *prepared)
{
	fixture = (struct fixture){ .mem = arena_new(), .wire = arena_new() };
	fixture_wait();
	fixture.dir = unit_folder(fixture.mem);
	fixture.base = "https://speech.example.org";
	fixture.peer = "192.0.2.7";
	fixture_folders();
	fixture_database();
	ck_assert_int_eq(
	    app_open(&fixture.app, fixture.mem, program, routes, prepared), OK);
	fixture.app.credentials = NULL; /* tests change accounts by SQL */
	ck_assert_ptr_nonnull(fixture.app.db);
	fixture.account = fixture_account();
	fixture.bearer = fixture_bearer(fixture.account, "*");
}

static inline void
fixture_close(void)
{
	app_close(&fixture.app);
	unit_folder_drop(fixture.dir);
	arena_free(fixture.wire);
	arena_free(fixture.mem);
}

/* ---- a wire: a request from strings, an answer to look into ---- */

struct wire {
	const char *const *heads; /* "Name: value" */
	const char *body;
	size_t left;
};

struct response {
	int status;
	const char *head; /* header lines, each with CRLF */
	const char *body;
	size_t body_len;         /* bytes of a file, 0: of another body */
	const struct json *json; /* NULL: it is none */
};

/* Returns the line's value if the line is the header that CGI calls by that name. */
static inline const char *
wire_value(const char *line, const char *cgi)
{
	cgi += strncmp(cgi, "HTTP_", 5) == 0 ? 5 : 0;
	for (; *line != ':'; line++, cgi++)
		if (*cgi != (*line == '-' ? '_' : toupper((unsigned char)*line)))
			return NULL;
	return *cgi == '\0' ? line + 1 + strspn(line + 1, " ") : NULL;
}

static inline const char *
wire_param(const struct request *rq, const char *name)
{
	const struct wire *w = rq->wire;
	const char *value;

	for (const char *const *h = w->heads; h != NULL && *h != NULL; h++)
		if ((value = wire_value(*h, name)) != NULL)
			return value;
	return strcmp(name, "HTTP_AUTHORIZATION") == 0 ? fixture.bearer : NULL;
}

static inline size_t
wire_read(struct request *rq, void *to, size_t n)
{
	struct wire *w = rq->wire;

	n = n < w->left ? n : w->left;
	n = n < 1000 ? n : 1000; /* in pieces, as from a network */
	if (n == 0)
		return 0;
	memcpy(to, w->body, n);
	w->body += n;
	w->left -= n;
	return n;
}

/* Returns the header's value, or NULL. */
static inline const char *
head_of(const struct response *a, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = a->head; *s != '\0'; s = strstr(s, "\r\n") + 2)
		if (strncasecmp(s, name, n) == 0 && strncmp(s + n, ": ", 2) == 0)
			return arena_dup(
			    fixture.mem, s + n + 2, strcspn(s + n + 2, "\r"));
	return NULL;
}

/* Returns the value at a JSON Pointer of the answer: text unchanged, else JSON;
   "(none)". */
static inline const char *
said(const struct response *a, const char *pointer)
{
	const struct json *v = a->json;

	while (v != NULL && *pointer == '/') {
		size_t n = strcspn(++pointer, "/");
		const char *step = arena_dup(fixture.mem, pointer, n);

		pointer += n;
		if (v->type != JSON_LIST) {
			v = json_get(v, step);
			continue;
		}
		v = v->kids;
		for (int i = atoi(step); v != NULL && i > 0; i--)
			v = v->next;
	}
	if (v == NULL)
		return "(none)";
	return v->type == JSON_TEXT ? v->u.s : json_text(fixture.mem, v);
}

/* "pointer or parameter: detail" of every problem, a line each. */
static inline const char *
faults_of(const struct response *a)
{
	const struct json *list = json_get(a->json, "errors"), *p;
	struct buf b = { .mem = fixture.mem };

	for (p = list != NULL ? list->kids : NULL; p != NULL; p = p->next) {
		const char *at = json_get_text(p, "pointer");

		at = at != NULL ? at : json_get_text(p, "parameter");
		buf_printf(&b, "%s%s: %s", b.len > 0 ? "\n" : "", at != NULL ? at : "",
		    json_get_text(p, "detail"));
	}
	return buf_text(&b);
}

/* A browser gets a page where there is none. */
static inline bool
is_page(const struct response *a)
{
	const char *type = head_of(a, "Content-Type");

	return a->status == 404 && type != NULL && strncmp(type, "text/html", 9) == 0;
}

/* Checks that must hold for every answer of the service. */
static inline void
answer_check(const struct response *a, const char *call)
{
	ck_assert_msg(db_idle(fixture.app.db), "%s: the database is idle", call);
	ck_assert_msg(head_of(a, "X-Request-Id") != NULL, "%s: has an id", call);
	ck_assert_pstr_eq(head_of(a, "X-Content-Type-Options"), "nosniff");
	ck_assert_msg(head_of(a, "Cache-Control") != NULL, "%s: says no-store", call);
	ck_assert_msg(a->status >= 200 && a->status < 600, "%s: %d", call, a->status);
	if (a->status >= 400 && !is_page(a))
		ck_assert_msg(
		    a->json != NULL, "%s: a problem is JSON: %s", call, a->body);
	if (a->status == 204 || a->status == 304)
		ck_assert_str_eq(a->body, "");
}

/* The body of an answer, from its file if it has one. */
static inline const char *
body_sent(const struct request *rq)
{
	size_t n = (size_t)rq->file_bytes;
	char *s = arena_alloc(fixture.mem, n + 1);

	if (rq->file < 0 || rq->status == 304)
		return arena_dup(fixture.mem, rq->out.p, rq->out.len);
	ck_assert_int_eq(pread(rq->file, s, n, rq->file_at), (ssize_t)n);
	return s;
}

/* Sends "METHOD /target" with a body (NULL: none) of n bytes and headers (or NULL). */
static inline struct response
ask_bytes(const char *call, const char *body, size_t n, const char *const *heads)
{
	struct wire w = { heads, body, n };
	size_t method = strcspn(call, " ");
	struct request rq = { .mem = fixture.wire, .app = &fixture.app };
	struct response a;
	const char *why;

	rq.conf = &fixture.app.conf;
	rq.db = fixture.app.db;
	rq.method = arena_dup(fixture.wire, call, method);
	rq.target = call + method + 1;
	rq.peer = fixture.peer;
	rq.content_length = (int64_t)n;
	rq.param = wire_param;
	rq.read = wire_read;
	rq.wire = &w;
	rq.file = -1;
	rq.common.mem = rq.head.mem = rq.out.mem = fixture.wire;
	dispatch(&rq);
	buf_put(&rq.common, rq.head.p, rq.head.len);
	a.status = rq.status;
	a.head = arena_dup(fixture.mem, rq.common.p, rq.common.len);
	a.body = body_sent(&rq);
	a.body_len = rq.file >= 0 ? (size_t)rq.file_bytes : 0;
	a.json = json_read(fixture.mem, rq.out.p, rq.out.len, &why);
	arena_reset(fixture.wire);
	answer_check(&a, call);
	return a;
}

static inline struct response
ask_with(const char *call, const char *body, const char *const *heads)
{
	return ask_bytes(call, body, body != NULL ? strlen(body) : 0, heads);
}

static inline struct response
ask(const char *call, const char *body)
{
	return ask_with(call, body, NULL);
}

/* Assertions that report the line of the test. */
#define is(a, pointer, text) ck_assert_str_eq(said(&(a), pointer), text)
#define answered(a, code)                                                              \
	ck_assert_msg(                                                                 \
	    (a).status == (code), "%d, not %d: %s", (a).status, code, (a).body)
#define refused(a, code, slug)                                                         \
	do {                                                                           \
		answered(a, code);                                                     \
		is(a, "/errors/0/type", "https://speech.example.org/problems/" slug);  \
	} while (0)

/* ---- the database, behind the program's back ---- */

static inline int
unit_put_row(void *to, int n, char **value, char **name)
{
	(void)name;
	for (int i = 0; i < n; i++)
		buf_printf(to, "%s%s", i > 0 ? "|" : "", value[i] ? value[i] : "NULL");
	buf_str(to, "\n");
	return 0;
}

/* The SQL function of that name that lib/db adds to its own connections. */
static inline void
unit_grams(sqlite3_context *to, int n, sqlite3_value **args)
{
	struct buf b = { .mem = fixture.mem };

	(void)n;
	grams_put(&b, (const char *)sqlite3_value_text(args[0]),
	    (const char *)sqlite3_value_text(args[1]), sqlite3_value_int(args[2]) != 0);
	sqlite3_result_text(to, buf_text(&b), -1, SQLITE_TRANSIENT);
}

/* Returns opened(column) in SQL: the text of an encrypted (F_SEALED) column. */
static inline void
unit_opened(sqlite3_context *to, int n, sqlite3_value **args)
{
	const char *text = (const char *)sqlite3_value_text(args[0]);
	unsigned char key[SHA256_BYTES];

	(void)n;
	conf_key(&fixture.app.conf, "sealed columns", key);
	if (text != NULL)
		text = seal_open(fixture.mem, key, text);
	sqlite3_result_text(to, text, -1, SQLITE_TRANSIENT);
}

/* Returns a connection for the test, which must be closed. */
static inline sqlite3 *
unit_database(void)
{
	sqlite3 *h;

	ck_assert_int_eq(sqlite3_open(fixture.db_path, &h), SQLITE_OK);
	sqlite3_busy_timeout(h, 1000);
	sqlite3_create_function(
	    h, "grams", 3, SQLITE_UTF8, NULL, unit_grams, NULL, NULL);
	sqlite3_create_function(
	    h, "opened", 1, SQLITE_UTF8, NULL, unit_opened, NULL, NULL);
	return h;
}

static inline const char *
unit_query(sqlite3 *h, const char *statement)
{
	struct buf b = { .mem = fixture.mem };
	char *why = NULL;

	ck_assert_msg(sqlite3_exec(h, statement, unit_put_row, &b, &why) == SQLITE_OK,
	    "%s: %s", statement, why);
	return buf_text(&b);
}

/* Returns the result of a statement: columns separated by bars, a line for each row. */
static inline const char *
sql(const char *statement)
{
	sqlite3 *h = unit_database();
	const char *answer = unit_query(h, statement);

	sqlite3_close(h);
	return answer;
}

static inline int
number(const char *statement)
{
	return atoi(sql(statement));
}

/*
 * Returns every row of every table, to compare databases. FTS5 stores the contents of
 * event_terms in further tables.
 */
static inline const char *
everything(void)
{
	/* one connection for all, because opening one takes the most time */
	sqlite3 *h = unit_database();
	const char *tables =
	    unit_query(h, "SELECT name FROM sqlite_master WHERE type = 'table'"
			  " AND name <> 'event_terms' ORDER BY name");
	struct buf b = { .mem = fixture.mem };

	for (size_t n; *tables != '\0'; tables += n + 1) {
		n = strcspn(tables, "\n");
		buf_str(&b, unit_query(h,
				arena_printf(fixture.mem, "SELECT '%.*s', * FROM %.*s",
				    (int)n, tables, (int)n, tables)));
	}
	sqlite3_close(h);
	return buf_text(&b);
}

/*
 * Changes and deletes a record of version 1, each time only with the right version;
 * all() lists the database. Returns the answer to the deletion.
 */
static inline struct response
check_versions(const char *path, const char *(*all)(void))
{
	const char *change = "{\"data\":{\"name\":\"Berta\"}}", *before = all();
	struct response a;

	for (int i = 0; i < 2; i++) {
		a = ask_with(
		    arena_printf(fixture.mem, "%s %s", i ? "POST" : "DELETE", path),
		    change, HEADS("If-Match: \"v2\""));
		refused(a, 412, "stale-version");
		ck_assert_str_eq(all(), before);
	}
	a = ask_with(arena_printf(fixture.mem, "POST %s", path), change,
	    HEADS("If-Match: \"v1\""));
	answered(a, 200);
	a = ask_with(arena_printf(fixture.mem, "DELETE %s", path), NULL,
	    HEADS("If-Match: \"v2\""));
	answered(a, 200);
	return a;
}

#endif
