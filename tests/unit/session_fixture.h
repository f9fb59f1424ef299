/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_SESSION_FIXTURE_H
#define TESTS_UNIT_SESSION_FIXTURE_H

/* The program of sessions in a fixture.  A test defines UNIT_TEST first. */
#include "tests/unit/unit.h"

#include "cgi-bin/sessions.c"

#define NEW "POST /session-storage/session"
#define OLD "POST /session-storage/sessions"
#define LIST "GET /session-storage/sessions"
#define DATA(members) "{\"data\":{" members "}}"
#define KEYS "first:0123456789abcdef0123456789abcdef second:no"

static inline void
set_balance(const char *account, int64_t micro)
{
	sql(arena_printf(fixture.mem,
	    "UPDATE accounts SET balance_micro = %lld WHERE id = '%s'",
	    (long long)micro, account));
}

static inline void
set_plan(const char *account, int most)
{
	sql(arena_printf(fixture.mem,
	    "UPDATE accounts SET plan_parallel_sessions = %d WHERE id = '%s'", most,
	    account));
}

static inline void
session_fixture(void)
{
	static const struct sql *const prepared[] = { account_sql,
		idempotent_response_sql, ledger_sql, node_sql, session_sql, NULL };

	fixture_open("sessions", session_routes, prepared);
	fixture.app.conf.session_jwt_keys = KEYS;
	set_balance(fixture.account, 1);
}

static inline int
sessions(void)
{
	return number("SELECT count(*) FROM sessions");
}

/*
 * Adds a session that was created this many seconds ago and expires in so many seconds.
 */
static inline const char *
put_session(const char *account, int64_t age_s, int64_t left_s)
{
	const char *id = id_new(fixture.mem);
	int64_t now = now_us(), made = now - age_s * S_US;

	sql(arena_printf(fixture.mem,
	    "INSERT INTO sessions (id, account, created_us, updated_us, expires_us,"
	    " counted_us, tokens_us, ttl_us, intent, room) VALUES ('%s', '%s', %lld,"
	    " %lld, %lld, %lld, %lld, 3600000000, 'api', '%.8s')",
	    id, account, (long long)made, (long long)made,
	    (long long)(now + left_s * S_US), (long long)(made + 600 * S_US),
	    (long long)(made + 90 * 86400 * S_US), id));
	return id;
}

static inline void
set_session(const char *id, const char *to)
{
	sql(arena_printf(
	    fixture.mem, "UPDATE sessions SET %s WHERE id = '%s'", to, id));
}

static inline struct response
on(const char *method, const char *id, const char *more, const char *body)
{
	return ask(arena_printf(fixture.mem, "%s /session-storage/sessions/%s%s",
		       method, id, more),
	    body);
}

/* ---- tokens ---- */

/* Returns a JSON part of the token: 0 the header, 1 the claims. */
static inline const struct json *
part_of(const char *token, int i)
{
	const char *why;
	unsigned char *text;
	size_t n;

	token = i > 0 ? strchr(token, '.') + 1 : token;
	text = base64_read(fixture.mem, token, strcspn(token, "."), &n);
	return json_read(fixture.mem, (const char *)text, n, &why);
}

/* Returns the value of a claim, as said() does. */
static inline const char *
claim(const char *token, const char *pointer)
{
	const struct response a = { .json = part_of(token, 1) };

	return said(&a, pointer);
}

static inline bool
is_signed_with(const char *token, const char *secret)
{
	const char *dot = strrchr(token, '.');
	unsigned char sum[SHA256_BYTES];

	hmac(secret, strlen(secret), token, (size_t)(dot - token), sum);
	return strcmp(base64url(fixture.mem, sum, sizeof(sum)), dot + 1) == 0;
}

#endif
