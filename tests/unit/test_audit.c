/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit: a row for each change, in the transaction of the change. */
#define UNIT_TEST
#include "tests/unit/keys_fixture.h"

#include "store/audit.h"

#define MEMBERS "POST /saas/member"
#define ADA "{\"data\":{\"name\":\"Ada\",\"role\":\"desk\"}}"
#define ROWS number("SELECT count(*) FROM audit")

static const char *
text_of(const char *statement)
{
	const char *s = sql(statement);

	return arena_dup(fixture.mem, s, strcspn(s, "\n"));
}

static const char *
invited(void)
{
	struct response a = ask(MEMBERS, ADA);

	answered(a, 201);
	return kept(&a, "/data/member_id");
}

static struct response
listed(void)
{
	struct response a = ask("GET /saas/audit", NULL);

	answered(a, 200);
	return a;
}

static void
setup(void)
{
	struct member m = { .name = "Olga", .role = ROLE_OWNER, .status = "active" };

	keys_setup();
	m.account = fixture.account;
	ck_assert_int_eq(member_add(fixture.app.db, fixture.mem, &m), OK);
}

/* Signs the owner in; every request from now on comes from that browser. */
static void
owner_signs_in(void)
{
	struct response a;

	fixture.bearer = NULL;
	a = ask(TOKEN, FORMAT("{\"data\":{\"link\":\"%s\"}}", link_new("*")));
	answered(a, 201);
	fixture.bearer = FORMAT("Bearer %s", kept(&a, "/data/token"));
}

START_TEST(a_change_is_listed_with_the_key_that_made_it)
{
	const char *id = invited();
	struct response a = listed();

	is(a, "/data/items/0/action", "create");
	is(a, "/data/items/0/kind", "member");
	is(a, "/data/items/0/id", id);
	is(a, "/data/items/0/summary", "Ada");
	is(a, "/data/items/0/key/name", "of a test");
	is(a, "/data/items/0/key/key_id",
	    text_of("SELECT id FROM credentials"
		    " WHERE kind = 'key'"));
	is(a, "/data/items/0/member", "(none)");
	is(a, "/data/items/1", "(none)");
}
END_TEST

START_TEST(a_change_in_a_browser_is_its_members)
{
	struct response a;

	owner_signs_in();
	ask("POST /saas/key", "{\"data\":{\"name\":\"App\",\"scopes\":[\"tts\"]}}");
	a = listed();
	is(a, "/data/items/0/kind", "key");
	is(a, "/data/items/0/summary", "App");
	is(a, "/data/items/0/member/name", "Olga");
	is(a, "/data/items/0/member/member_id", text_of("SELECT id FROM members"));
	is(a, "/data/items/0/key", "(none)");
	is(a, "/data/items/1/kind", "sign_in"); /* itself a change */
	is(a, "/data/items/1/member/name", "Olga");
	is(a, "/data/items/1/id",
	    text_of("SELECT id FROM credentials WHERE kind = 'browser'"));
	is(a, "/data/items/2", "(none)");
}
END_TEST

START_TEST(an_update_names_the_members_that_were_sent)
{
	const char *id = invited();
	struct response a = ask(FORMAT("PATCH /saas/member/%s", id),
	    "{\"data\":{\"role\":\"viewer\",\"color\":\"red\"}}");

	answered(a, 200);
	a = listed();
	is(a, "/data/items/0/action", "update");
	is(a, "/data/items/0/id", id);
	is(a, "/data/items/0/summary", "Ada: role");
}
END_TEST

START_TEST(a_deletion_keeps_the_name)
{
	const char *id = invited();
	struct response a = ask(FORMAT("POST /saas/member/%s/link", id), NULL);

	answered(a, 200);
	a = ask(FORMAT("DELETE /saas/member/%s", id), NULL);
	answered(a, 200);
	a = listed();
	is(a, "/data/items/0/action", "delete");
	is(a, "/data/items/0/id", id);
	is(a, "/data/items/0/summary", "Ada");
	is(a, "/data/items/1/action", "link");
	is(a, "/data/items/1/id", id);
}
END_TEST

START_TEST(what_changes_nothing_is_not_listed)
{
	const char *id = invited(), *path = FORMAT("PATCH /saas/member/%s", id);
	struct response a = ask(path, "{\"data\":{\"name\":\"Ada\"}}");

	answered(a, 200);
	a = ask(path, "{\"data\":{\"role\":\"king\"}}");
	refused(a, 422, "validation-error");
	a = ask(FORMAT("DELETE /saas/member/%s", fixture.account), NULL);
	refused(a, 404, "resource-not-found");
	a = ask("GET /saas/members", NULL);
	answered(a, 200);
	for (int i = 0; i < 2; i++) /* the first voids the invitation */
		answered(ask("DELETE /auth/sign-ins", NULL), 200);
	ck_assert_int_eq(ROWS, 2);
}
END_TEST

START_TEST(a_repeated_request_is_listed_once)
{
	for (int i = 0; i < 3; i++)
		answered(ask_with(MEMBERS, ADA, HEADS("Idempotency-Key: k")), 201);
	ck_assert_int_eq(ROWS, 1);
}
END_TEST

/* Whichever statement fails, there is a row exactly if there is a member. */
START_TEST(a_change_that_fails_is_not_listed)
{
	struct response a = { .status = 0 };
	int n;

	for (n = 1; n < 30 && a.status != 201; n++) {
		db_fault(fixture.app.db, n, ERR_FAILED);
		a = ask(MEMBERS, ADA);
		ck_assert_int_eq(ROWS, number("SELECT count(*) - 1 FROM members"));
	}
	ck_assert_int_gt(n, 6);
	ck_assert_int_eq(ROWS, 1);
}
END_TEST

/* A handler that commits by itself, before its answer. */
START_TEST(a_key_revoked_is_listed_with_its_revocation)
{
	struct response a =
	    ask("POST /saas/key", "{\"data\":{\"name\":\"App\",\"scopes\":[\"tts\"]}}");
	const char *path = FORMAT("DELETE /saas/key/%s", kept(&a, "/data/key_id"));
	int n;

	a.status = 0;
	for (n = 1; n < 30 && a.status != 200; n++) {
		db_fault(fixture.app.db, n, ERR_FAILED);
		a = ask(path, NULL);
		ck_assert_int_eq(ROWS - 1, number("SELECT count(*) FROM credentials"
						  " WHERE revoked_us IS NOT NULL"));
	}
	ck_assert_int_gt(n, 4);
	db_fault(fixture.app.db, 0, OK);
	a = listed();
	is(a, "/data/items/0/action", "delete");
	is(a, "/data/items/0/summary", "App");
}
END_TEST

START_TEST(a_long_name_is_cut_between_characters)
{
	struct buf b = { .mem = fixture.mem };
	struct response a;

	for (int i = 0; i < 64; i++)
		buf_str(&b, "\U0001F600");
	a = ask(MEMBERS,
	    FORMAT("{\"data\":{\"name\":\"%s\",\"role\":\"desk\"}}", buf_text(&b)));
	answered(a, 201);
	a = listed();
	ck_assert_int_eq((int)strlen(said(&a, "/data/items/0/summary")), 200);
}
END_TEST

START_TEST(only_owners_of_the_account_read_it)
{
	struct response a;

	invited();
	fixture.bearer = fixture_bearer(fixture.account, "events:write keys:write");
	a = ask("GET /saas/audit", NULL);
	refused(a, 403, "insufficient-scope");
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = listed();
	is(a, "/data/items/0", "(none)");
}
END_TEST

START_TEST(it_has_pages_and_an_end)
{
	struct response a;
	int64_t n;

	for (int i = 0; i < 12; i++)
		invited();
	a = listed();
	is(a, "/data/count", "10");
	a = ask(FORMAT("GET /saas/audit?token=%s", kept(&a, "/data/next")), NULL);
	is(a, "/data/count", "2");
	is(a, "/data/next", "null");
	sql(FORMAT("UPDATE audit SET at_us = at_us - %lld"
		   " WHERE at_us < (SELECT max(at_us) FROM audit)",
	    (long long)AUDIT_DAYS * 86400 * S_US));
	ck_assert_int_eq(
	    audit_expire(fixture.app.db, now_us() - AUDIT_DAYS * 86400 * S_US, 500, &n),
	    OK);
	ck_assert_int_eq((int)n, 11);
	ck_assert_int_eq(ROWS, 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("audit");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_change_is_listed_with_the_key_that_made_it);
	tcase_add_test(t, a_change_in_a_browser_is_its_members);
	tcase_add_test(t, an_update_names_the_members_that_were_sent);
	tcase_add_test(t, a_deletion_keeps_the_name);
	tcase_add_test(t, what_changes_nothing_is_not_listed);
	tcase_add_test(t, a_repeated_request_is_listed_once);
	tcase_add_test(t, a_change_that_fails_is_not_listed);
	tcase_add_test(t, a_key_revoked_is_listed_with_its_revocation);
	tcase_add_test(t, a_long_name_is_cut_between_characters);
	tcase_add_test(t, only_owners_of_the_account_read_it);
	tcase_add_test(t, it_has_pages_and_an_end);
	suite_add_tcase(s, t);
	return unit_run(s);
}
