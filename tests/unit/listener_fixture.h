/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_LISTENER_FIXTURE_H
#define TESTS_UNIT_LISTENER_FIXTURE_H

/*
 * The program of listeners in a fixture, with an event that has a stage and a channel
 * to German and French.  Requests have no credential.  A test defines UNIT_TEST first.
 */
#include "tests/unit/event_rows.h"

#include <signal.h>
#include <sys/wait.h>

#include "cgi-bin/listeners.c"

#define MADE_US (INT64_C(1795169924) * S_US) /* 2026-11-20T10:18:44Z */

static const char *event, *stage, *channel;

static const struct sql *const listener_prepared[] = { account_sql,
	public_view_cache_sql, event_sql, stage_sql, channel_sql, listener_join_sql,
	node_sql, request_sql, queue_sql, served_sql, NULL };

static inline void
listener_fixture(void)
{
	fixture_open("listeners", listener_routes, listener_prepared);
	fixture.bearer = NULL;
	event = put_event(fixture.account, "Health Forum", MADE_US);
	stage = put_stage(event, "Main stage");
	channel = put_channel(
	    fixture.account, stage, "Main hall", "[\"de\",\"fr\"]", MADE_US + 1);
}

/* Sends a request for a path of the event, such as "GET", "/qr.svg". */
static inline struct response
at_event(const char *method, const char *more, const char *body)
{
	return ask(arena_printf(fixture.mem, "%s /saas/v2/event/public/%s%s", method,
		       event, more),
	    body);
}

/* {"data":{...}} with ids in place of $1, $2, ... */
static inline const char *
data_of(const char *members, const char *const *ids)
{
	struct buf b = { .mem = fixture.mem };

	buf_str(&b, "{\"data\":{");
	for (const char *s = members; *s != '\0'; s++)
		if (*s == '$')
			buf_str(&b, ids[*++s - '1']);
		else
			buf_put(&b, s, 1);
	buf_str(&b, "}}");
	return buf_text(&b);
}

/* ---- another writer ---- */

/*
 * Starts a process that holds the write lock for three seconds, or until it is ended.
 */
static inline pid_t
writer_begin(void)
{
	int held[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe(held), 0);
	if ((pid = fork()) == 0) {
		sqlite3 *h;

		if (sqlite3_open(fixture.db_path, &h) != SQLITE_OK ||
		    sqlite3_exec(h, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
			_exit(1);
		if (write(held[1], "x", 1) == 1)
			sleep(3);
		_exit(0);
	}
	close(held[1]);
	ck_assert_int_eq(read(held[0], &c, 1), 1);
	close(held[0]);
	return pid;
}

/* Checks that the lock was held all the time. */
static inline void
writer_end(pid_t pid)
{
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* ---- while a request is under way ---- */

static const char *meanwhile; /* called after the event was found, before the answer */

static struct reply
view_late(struct request *rq)
{
	sql(meanwhile);
	return get_view(rq);
}

static struct reply
ask_late(struct request *rq)
{
	sql(meanwhile);
	return add_request(rq);
}

static const struct route late_routes[] = {
	{ "GET", EVENT, view_late, NULL, PUBLIC, find_view, admit, CODE },
	{ "POST", EVENT "/requests", ask_late, NULL, PUBLIC | JSON_BODY, find_event,
	    admit, BODY(request_in_fields, struct request_in), CODE,
	    .named = knows_channel },
	ROUTES_END,
};

/* ---- when the database fails ---- */

/* The rows that calls add, without ids and times. */
static inline const char *
left_behind(void)
{
	return sql("SELECT count(*) FROM joins;"
		   "SELECT count(*), sum(participants) FROM heard;"
		   "SELECT sum(participants), count(active_us), count(changed_us)"
		   " FROM event_stats;"
		   "SELECT count(*), sum(asked), count(decided_us) FROM requests;"
		   "SELECT count(*) FROM askers;"
		   "SELECT kind, state, count(*) FROM jobs GROUP BY 1, 2 ORDER BY 1");
}

/*
 * Fail the n-th statement of a call for every n: the call reports it and does nothing,
 * or does everything. reset: undoes the call between tries.
 */
static inline void
fail_each(struct response (*call)(void), const char *reset, enum err with, int status)
{
	const char *good;
	int failed = 0, n;

	sql(reset);
	ck_assert_int_lt(call().status, 300);
	good = left_behind();
	for (n = 1; n < 20; n++) {
		const char *before;
		struct response a;

		sql(reset);
		before = everything();
		db_fault(fixture.app.db, n, with);
		a = call();
		db_fault(fixture.app.db, 0, OK);
		if (a.status < 300) {
			ck_assert_str_eq(left_behind(), good);
			continue;
		}
		ck_assert_int_eq(a.status, status);
		ck_assert_str_eq(everything(), before);
		failed++;
	}
	ck_assert_int_gt(failed, 0);
	ck_assert_int_lt(failed, n - 1);
}

static inline struct response
view(void)
{
	return at_event("GET", "", NULL);
}

static inline struct response
view_unless(const char *tag)
{
	return ask_with(
	    arena_printf(fixture.mem, "GET /saas/v2/event/public/%s", event), NULL,
	    HEADS(arena_printf(fixture.mem, "If-None-Match: %s", tag)));
}

static inline const char *
tag_of_view(void)
{
	struct response a = view();
	const char *tag = head_of(&a, "ETag");

	answered(a, 200);
	ck_assert_ptr_nonnull(tag);
	return tag;
}

#endif
