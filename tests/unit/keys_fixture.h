/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_KEYS_FIXTURE_H
#define TESTS_UNIT_KEYS_FIXTURE_H

/* The programs of keys and of sign-ins, and links as the operator creates them. */
#ifndef UNIT_TEST
#define UNIT_TEST /* two programs, and no main() of theirs */
#endif

#include "cgi-bin/keys.c"
#include "cgi-bin/sign_ins.c"

#include "tests/unit/unit.h"
#include "web/credential_cache.h"

#define TOKEN "POST /auth/token"
#define ME "GET /auth/me"
#define FORMAT(...) arena_printf(fixture.mem, __VA_ARGS__)

static inline void
keys_setup(void)
{
	static const struct sql *const prepared[] = { account_sql, credential_sql,
		idempotent_response_sql, member_sql, passkey_sql, NULL };
	static struct route both[sizeof(key_routes) / sizeof(key_routes[0]) +
				 sizeof(sign_in_routes) / sizeof(sign_in_routes[0])];

	memcpy(both, sign_in_routes, sizeof(sign_in_routes));
	memcpy(both + sizeof(sign_in_routes) / sizeof(sign_in_routes[0]) - 1,
	    key_routes, sizeof(key_routes));
	fixture_open("keys", both, prepared);
	fixture.app.conf.token_secrets = "k1:first-secret-of-32-characters-at-least";
}

/* Returns a member of the answer, which stays valid after the next request. */
static inline const char *
kept(const struct response *a, const char *pointer)
{
	return arena_str(fixture.mem, said(a, pointer));
}

static inline const char *
link_new(const char *scopes)
{
	const char *secret;

	ck_assert_int_eq(db_begin(fixture.app.db, DB_ALL), OK);
	ck_assert_int_eq(credential_issue_link(fixture.app.db, fixture.mem,
			     fixture.account, scopes, &secret),
	    OK);
	ck_assert_int_eq(db_commit(fixture.app.db), OK);
	return secret;
}

#endif
