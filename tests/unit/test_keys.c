/* SPDX-License-Identifier: GPL-3.0-or-later */
/* API keys over REST: created, listed, revoked, marked as used, and deleted. */
#define UNIT_TEST
#include "tests/unit/keys_fixture.h"

START_TEST(a_key_is_made_shown_once_and_works)
{
	const char *body =
	    "{\"data\":{\"name\":\"Stage app\",\"scopes\":[\"keys:read\","
	    "\"tts\"],\"expires_at\":\"2036-01-01T00:00:00Z\"}}";
	const char *key;
	struct response a = ask("POST /saas/key", body);

	answered(a, 201);
	key = kept(&a, "/data/api_key");
	is(a, "/data/name", "Stage app");
	is(a, "/data/kind", "key");
	is(a, "/data/scopes", "[\"keys:read\",\"tts\"]");
	is(a, "/data/expires_at", "2036-01-01T00:00:00Z");
	is(a, "/data/last_used_at", "null");
	fixture.bearer = FORMAT("Bearer %s", key);
	a = ask("GET /saas/keys?sort=asc", NULL);
	answered(a, 200);
	is(a, "/data/count", "2");
	is(a, "/data/items/1/name", "Stage app");
	is(a, "/data/items/1/api_key", "(none)");
	ck_assert_str_ne(said(&a, "/data/items/1/last_used_at"), "null");
	ck_assert_ptr_null(strstr(everything(), key));
}
END_TEST

static const struct {
	const char *data;
	const char *faults; /* faults or slug */
} wrong_keys[] = {
	{ "", "/data/name: name is required.\n/data/scopes: scopes is required." },
	{ "\"name\":\"\",\"scopes\":[\"tts\"]",
	    "/data/name: name must have 1 to 64 characters." },
	{ "\"name\":\"x\",\"scopes\":[]",
	    "/data/scopes: scopes must have 1 to 32 items." },
	{ "\"name\":\"x\",\"scopes\":[\"tts\",\"any\"]",
	    "/data/scopes/1: item 1 is no scope." },
	{ "\"name\":\"x\",\"scopes\":[\"tts stt\"]",
	    "/data/scopes/0: item 0 is no scope." },
	{ "\"name\":\"x\",\"scopes\":[\"tts\"],\"expires_at\":\"2020-01-01T00:00:00Z\"",
	    "/data/expires_at: expires_at must be in the future." },
	{ "\"name\":\"x\",\"scopes\":[\"stt\"]", "insufficient-scope" },
	{ "\"name\":\"x\",\"scopes\":[\"tts\",\"*\"]", "insufficient-scope" },
};

START_TEST(a_wrong_key_is_not_made)
{
	const char *before, *body = FORMAT("{\"data\":{%s}}", wrong_keys[_i].data);
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "keys:write tts");
	before = everything();
	a = ask("POST /saas/key", body);
	if (strchr(wrong_keys[_i].faults, ':') == NULL)
		refused(a, 403, "insufficient-scope");
	else
		ck_assert_str_eq(faults_of(&a), wrong_keys[_i].faults);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_repeated_request_tells_the_key_again_and_keeps_it_sealed)
{
	const char *body = "{\"data\":{\"name\":\"x\",\"scopes\":[\"tts\"]}}";
	const char *const once[] = { "Idempotency-Key: once", NULL };
	struct response a = ask_with("POST /saas/key", body, once), b;

	answered(a, 201);
	b = ask_with("POST /saas/key", body, once);
	answered(b, 201);
	ck_assert_pstr_eq(head_of(&b, "Idempotency-Replayed"), "true");
	ck_assert_str_eq(a.body, b.body);
	ck_assert_ptr_null(strstr(everything(), said(&a, "/data/api_key")));
	sql("UPDATE answers SET body = 'A' || body");
	b = ask_with("POST /saas/key", body, once);
	refused(b, 500, "internal-server-error");
}
END_TEST

START_TEST(keys_come_in_pages_and_of_one_account)
{
	const char *next, *other = fixture_account();
	struct response a;

	fixture_key(other, "*");
	for (int i = 0; i < 4; i++)
		fixture_key(fixture.account, "tts");
	a = ask("GET /saas/keys?page_size=3", NULL);
	is(a, "/data/count", "3");
	next = kept(&a, "/data/next");
	a = ask(FORMAT("GET /saas/keys?token=%s", next), NULL);
	answered(a, 200);
	is(a, "/data/count", "2");
	is(a, "/data/next", "null");
	a = ask("GET /saas/keys?page_size=0", NULL);
	refused(a, 422, "validation-error");
}
END_TEST

/* A token of the administrator's key with fewer scopes is weaker, too. */
START_TEST(a_weaker_credential_is_not_sent_the_answer_of_another)
{
	const char *body = "{\"data\":{\"name\":\"x\",\"scopes\":[\"keys:write\"]}}";
	const char *const once[] = { "Idempotency-Key: once", NULL };
	struct response a = ask_with("POST /saas/key", body, once), b;
	struct response token =
	    ask("POST /auth/token", "{\"data\":{\"scope\":\"keys:write\"}}");
	const char *weaker[] = { fixture_bearer(fixture.account, "keys:write"),
		FORMAT("Bearer %s", said(&token, "/data/token")) };

	answered(a, 201);
	answered(token, 201);
	for (int i = 0; i < COUNT(weaker); i++) {
		fixture.bearer = weaker[i];
		b = ask_with("POST /saas/key", body, once);
		answered(b, 201);
		ck_assert_ptr_null(head_of(&b, "Idempotency-Replayed"));
		ck_assert_str_ne(said(&b, "/data/api_key"), said(&a, "/data/api_key"));
	}
}
END_TEST

static struct response
revoked(const char *id)
{
	return ask(FORMAT("DELETE /saas/key/%s", id), NULL);
}

START_TEST(a_revoked_key_is_gone_at_once_here)
{
	const char *id, *key, *mine = fixture.bearer;
	struct response a;

	a = ask("POST /saas/key", "{\"data\":{\"name\":\"x\",\"scopes\":[\"tts\"]}}");
	id = kept(&a, "/data/key_id");
	fixture.app.credentials = credential_cache_new(fixture.mem);
	fixture.bearer = key = FORMAT("Bearer %s", kept(&a, "/data/api_key"));
	a = ask(ME, NULL);
	answered(a, 200);
	fixture.bearer = mine;
	a = revoked(id);
	answered(a, 200);
	a = revoked(id);
	refused(a, 404, "resource-not-found");
	fixture.bearer = key;
	a = ask(ME, NULL);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(the_key_of_another_account_is_not_found)
{
	const char *id = fixture_credential(fixture_account(), "key", "*", "theirs");
	struct response a = revoked(id);

	refused(a, 404, "resource-not-found");
	a = revoked("no-uuid");
	refused(a, 404, "resource-not-found");
	link_new("*");
	id = sql("SELECT id FROM credentials WHERE kind = 'link'");
	a = revoked(arena_dup(fixture.mem, id, 36));
	refused(a, 404, "resource-not-found");
}
END_TEST

static const struct {
	/* kind, scopes and change of the other credential */
	const char *kind, *scopes, *change;
	int status;
} others[] = {
	{ "key", "*", NULL, 200 },
	{ "pair", "tts *", NULL, 200 },
	{ "key", "keys:write", NULL, 409 },
	{ "link", "*", NULL, 409 },
	{ "browser", "*", NULL, 409 },
	{ "key", "*", "revoked_us = 1", 409 },
	{ "key", "*", "expires_us = 1", 409 },
	{ "key", "*", "expires_us = 9000000000000000", 200 },
};

START_TEST(the_last_key_that_holds_everything_stays)
{
	const char *id = sql("SELECT id FROM credentials");
	const char *other;
	struct response a;

	id = arena_dup(fixture.mem, id, 36);
	other = fixture_credential(
	    fixture.account, others[_i].kind, others[_i].scopes, "other");
	fixture_key(fixture_account(), "*");
	if (others[_i].change != NULL)
		sql(FORMAT("UPDATE credentials SET %s WHERE id = '%s'",
		    others[_i].change, other));
	a = revoked(id);
	answered(a, others[_i].status);
	if (others[_i].status == 409)
		refused(a, 409, "last-key");
	a = ask(ME, NULL);
	answered(a, others[_i].status == 409 ? 200 : 401);
}
END_TEST

START_TEST(an_account_has_so_many_keys_at_most)
{
	struct response a;

	sql(FORMAT("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
		   " WHERE i < 999) INSERT INTO credentials (id, account, kind, hash,"
		   " scopes, label, created_us, revoked_us) SELECT 'k' || i, '%s',"
		   " 'key', 'h' || i, 'tts', 'x', i, 1 FROM n",
	    fixture.account));
	a = ask("POST /saas/key", "{\"data\":{\"name\":\"x\",\"scopes\":[\"tts\"]}}");
	refused(a, 403, "key-limit-reached");
	sql("DELETE FROM credentials WHERE id = 'k1'");
	a = ask("POST /saas/key", "{\"data\":{\"name\":\"x\",\"scopes\":[\"tts\"]}}");
	answered(a, 201);
}
END_TEST

/* ---- what is noted and forgotten ---- */

#define USED "SELECT used_us FROM credentials WHERE kind = 'key'"

START_TEST(the_hour_of_the_last_use_is_noted_once)
{
	int64_t hour = now_us() - now_us() % (3600 * S_US);
	const char *at = FORMAT("%lld\n", (long long)hour);
	sqlite3 *h;

	sql("UPDATE credentials SET used_us = NULL");
	h = unit_database();
	unit_query(h, "BEGIN IMMEDIATE"); /* the request does not wait for the lock */
	ask(ME, NULL);
	unit_query(h, "ROLLBACK");
	sqlite3_close(h);
	ck_assert_str_eq(sql(USED), "NULL\n");
	ask(ME, NULL); /* no second try in the same minute */
	ck_assert_str_eq(sql(USED), "NULL\n");
	fixture.app.limits = NULL;
	ask(ME, NULL);
	ck_assert_str_eq(sql(USED), at);
	sql("CREATE TRIGGER once BEFORE UPDATE OF used_us ON credentials"
	    " BEGIN SELECT RAISE(ABORT, 'again'); END");
	ask(ME, NULL);
	ck_assert_str_eq(sql(USED), at);
	sql("DROP TRIGGER once");
	sql(FORMAT(
	    "UPDATE credentials SET used_us = %lld", (long long)(hour - 3600 * S_US)));
	ask(ME, NULL);
	ck_assert_str_eq(sql(USED), at);
}
END_TEST

START_TEST(what_is_no_credential_any_more_is_forgotten_in_time)
{
	int64_t n;

	fixture_credential(fixture.account, "key", "tts", "1");
	fixture_credential(fixture.account, "key", "tts", "2");
	fixture_credential(fixture.account, "link", "tts", "3");
	fixture_credential(fixture.account, "browser", "tts", "4");
	sql("UPDATE credentials SET revoked_us = 1 WHERE scopes = 'tts' AND id = "
	    "(SELECT"
	    " min(id) FROM credentials WHERE scopes = 'tts' AND kind = 'key')");
	sql("UPDATE credentials SET expires_us = 5 WHERE scopes = 'tts'");
	ck_assert_int_eq(credential_forget(fixture.app.db, 4, 10, &n), OK);
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(credential_forget(fixture.app.db, 5, 1, &n), OK);
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(credential_forget(fixture.app.db, 5, 10, &n), OK);
	ck_assert_int_eq(number("SELECT count(*) FROM credentials"), 2);
}
END_TEST

static const struct {
	const char *has, *revokes;
	int status;
} revokers[] = {
	{ "keys:write", "*", 403 },
	{ "keys:write", "events:read", 403 },
	{ "keys:write events:read", "events:write", 403 },
	{ "keys:write events:write", "events:read keys:read", 200 },
	{ "keys:write", "keys:write", 200 },
	{ "*", "events:write tts", 200 },
};

START_TEST(a_key_is_revoked_by_what_holds_its_scopes)
{
	const char *id = fixture_credential(
	    fixture.account, "key", revokers[_i].revokes, "of-this-test");
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, revokers[_i].has);
	a = revoked(id);
	if (revokers[_i].status == 403)
		refused(a, 403, "insufficient-scope");
	else
		answered(a, 200);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("keys");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, keys_setup, fixture_close);
	tcase_add_test(t, a_key_is_made_shown_once_and_works);
	tcase_add_loop_test(t, a_wrong_key_is_not_made, 0, COUNT(wrong_keys));
	tcase_add_test(t, a_repeated_request_tells_the_key_again_and_keeps_it_sealed);
	tcase_add_test(t, a_weaker_credential_is_not_sent_the_answer_of_another);
	tcase_add_loop_test(
	    t, a_key_is_revoked_by_what_holds_its_scopes, 0, COUNT(revokers));
	tcase_add_test(t, keys_come_in_pages_and_of_one_account);
	tcase_add_test(t, a_revoked_key_is_gone_at_once_here);
	tcase_add_test(t, the_key_of_another_account_is_not_found);
	tcase_add_loop_test(
	    t, the_last_key_that_holds_everything_stays, 0, COUNT(others));
	tcase_add_test(t, an_account_has_so_many_keys_at_most);
	tcase_add_test(t, the_hour_of_the_last_use_is_noted_once);
	tcase_add_test(t, what_is_no_credential_any_more_is_forgotten_in_time);
	suite_add_tcase(s, t);
	return unit_run(s);
}
