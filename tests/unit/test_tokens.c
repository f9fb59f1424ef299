/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens made from API keys, and links that sign a browser in. */
#define UNIT_TEST
#include "tests/unit/keys_fixture.h"

static const char *
token_asked(const char *data)
{
	struct response a = ask(TOKEN, FORMAT("{\"data\":{%s}}", data));

	answered(a, 201);
	return FORMAT("Bearer %s", kept(&a, "/data/token"));
}

/* Returns the seconds from now to a time in an answer. */
static long long
seconds_to(const char *time)
{
	int64_t us;

	ck_assert(time_parse(time, &us));
	return (us - now_us()) / S_US;
}

/* ---- tokens ---- */

START_TEST(a_key_is_exchanged_for_a_token_of_its_scopes)
{
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "voices:write keys:read");
	a = ask(TOKEN, "{\"data\":{}}");
	answered(a, 201);
	is(a, "/data/scope", "voices:write keys:read");
	ck_assert_int_ge(seconds_to(said(&a, "/data/expires_at")), 28800 - 60);
	ck_assert_int_le(seconds_to(said(&a, "/data/expires_at")), 28800);
	fixture.bearer = FORMAT("Bearer %s", kept(&a, "/data/token"));
	a = ask(ME, NULL);
	answered(a, 200);
	is(a, "/data/user_id", fixture.account);
	is(a, "/data/name", "An account");
	is(a, "/data/scopes", "[\"voices:write\",\"keys:read\"]");
	is(a, "/data/credential/kind", "token");
	is(a, "/data/credential/name", "of a test");
	ck_assert_int_le(seconds_to(said(&a, "/data/credential/expires_at")), 28800);
	a = ask("GET /saas/keys", NULL);
	answered(a, 200);
	a = ask("POST /saas/key", "{\"data\":{\"name\":\"x\",\"scopes\":[\"tts\"]}}");
	refused(a, 403, "insufficient-scope");
}
END_TEST

static const struct {
	const char *data;
	int status;
	const char *what; /* scope, or slug of the problem */
} asked[] = {
	{ "\"scope\":\"voices:read\"", 201, "voices:read" },
	{ "\"scope\":\"voices:write  tts\"", 201, "voices:write  tts" },
	{ "\"scope\":\"\"", 201, "" },
	{ "\"ttl_s\":60", 201, "voices:write tts" },
	{ "\"ttl_s\":86400", 201, "voices:write tts" },
	{ "\"ttl_s\":59", 422, "validation-error" },
	{ "\"ttl_s\":86401", 422, "validation-error" },
	{ "\"scope\":\"*\"", 403, "insufficient-scope" },
	{ "\"scope\":\"voices:read stt\"", 403, "insufficient-scope" },
	{ "\"scope\":\"voices:raed\"", 422, "validation-error" },
	{ "\"scope\":5", 422, "validation-error" },
	{ "\"link\":\"\"", 422, "validation-error" },
};

START_TEST(a_token_opens_no_more_than_its_key)
{
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "voices:write tts");
	a = ask(TOKEN, FORMAT("{\"data\":{%s}}", asked[_i].data));
	if (asked[_i].status == 201) {
		answered(a, 201);
		is(a, "/data/scope", asked[_i].what);
	} else {
		answered(a, asked[_i].status);
		ck_assert_str_eq(
		    strrchr(said(&a, "/errors/0/type"), '/') + 1, asked[_i].what);
	}
}
END_TEST

START_TEST(only_a_key_or_a_pair_is_exchanged)
{
	const char *id = fixture_credential(fixture.account, "pair", "tts", "p");
	const char *const pair[] = { FORMAT("ClientID: %s", id), "ClientSecret: p",
		NULL };
	struct response a = ask_with(TOKEN, "{\"data\":{}}", pair);

	/* an API key next to it: which of the two is meant? */
	refused(a, 401, "unauthorized");
	fixture.bearer = NULL;
	a = ask_with(TOKEN, "{\"data\":{}}", pair);
	answered(a, 201);
	is(a, "/data/scope", "tts");
	a = ask(TOKEN, "{\"data\":{}}");
	refused(a, 401, "unauthorized");
	ck_assert_pstr_eq(head_of(&a, "WWW-Authenticate"), "Bearer realm=\"dragoman\"");
	a = ask(TOKEN, "{}");
	refused(a, 400, "bad-request");
	fixture.bearer = fixture_bearer(fixture.account, "*");
	fixture.bearer = token_asked("");
	a = ask(TOKEN, "{\"data\":{}}");
	refused(a, 401, "unauthorized");
	fixture.bearer = "Bearer nonsense";
	a = ask(TOKEN, "{\"data\":{}}");
	refused(a, 401, "unauthorized");
}
END_TEST

static const struct {
	int key_ms;       /* time for which the key is valid */
	const char *data; /* body of the request */
	int ttl_s;        /* ttl of the token; 0: no token */
} ends[] = {
	{ 100500, "", 100 },
	{ 100500, "\"ttl_s\":86400", 100 },
	{ 100500, "\"ttl_s\":60", 60 },
	{ 9900, "", 9 },
	{ 900, "", 0 },
};

START_TEST(a_token_ends_with_its_key)
{
	struct response a;
	char text[TIME_TEXT];
	int64_t before = now_us(), at;

	sql(FORMAT("UPDATE credentials SET expires_us = %lld",
	    (long long)(before + ends[_i].key_ms * INT64_C(1000))));
	a = ask(TOKEN, FORMAT("{\"data\":{%s}}", ends[_i].data));
	if (ends[_i].ttl_s == 0) {
		refused(a, 401, "unauthorized");
		return;
	}
	answered(a, 201);
	ck_assert(time_parse(said(&a, "/data/expires_at"), &at));
	ck_assert_int_le(at, before + ends[_i].key_ms * INT64_C(1000));
	ck_assert_int_ge(at, before + (ends[_i].ttl_s - 2) * S_US);
	ck_assert_int_le(at, now_us() + ends[_i].ttl_s * S_US);
	fixture.bearer = FORMAT("Bearer %s", kept(&a, "/data/token"));
	a = ask(ME, NULL);
	is(a, "/data/credential/expires_at", time_text(at, text));
}
END_TEST

static const char *const endings[] = {
	"UPDATE credentials SET revoked_us = 1",
	"UPDATE credentials SET expires_us = 1",
	"DELETE FROM credentials",
	"UPDATE accounts SET status = 'suspended'",
};

/* A browser that still has the token is signed out at once. */
START_TEST(a_key_revoked_while_the_console_is_open)
{
	struct response a;

	fixture.bearer = token_asked("\"ttl_s\":3600");
	a = ask(ME, NULL);
	answered(a, 200);
	sql(endings[_i]);
	a = ask(ME, NULL);
	refused(a, 401, "unauthorized");
	ck_assert_ptr_nonnull(strstr(head_of(&a, "WWW-Authenticate"), "invalid_token"));
}
END_TEST

START_TEST(a_token_names_a_credential_of_its_own_account)
{
	struct api_token t = { .sub = fixture.account,
		.scope = "*",
		.key = fixture_credential(fixture_account(), "key", "*", "theirs") };
	struct response a;

	fixture.bearer =
	    FORMAT("Bearer %s", token_make(fixture.mem, fixture.app.conf.token_secrets,
				    fixture.app.conf.token_issuer, now_us(), 60, &t));
	a = ask(ME, NULL);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(each_caller_is_told_its_identity)
{
	const char *id = fixture_credential(fixture.account, "pair", "tts", "p");
	struct api_token t = { .sub = fixture.account, .scope = "stt" };
	struct response a = ask(ME, NULL);

	is(a, "/data/credential/kind", "key");
	is(a, "/data/credential/expires_at", "null");
	is(a, "/data/scopes", "[\"*\"]");
	is(a, "/data/plan/voices", "30");
	is(a, "/data/plan/requests_per_min", "60000");
	fixture.bearer = NULL;
	a = ask(ME, NULL);
	refused(a, 401, "unauthorized");
	a = ask_with(ME, NULL, HEADS(FORMAT("ClientID: %s", id), "ClientSecret: p"));
	is(a, "/data/credential/kind", "pair");
	fixture.bearer =
	    FORMAT("Bearer %s", token_make(fixture.mem, fixture.app.conf.token_secrets,
				    fixture.app.conf.token_issuer, now_us(), 60, &t));
	a = ask(ME, NULL);
	answered(a, 200);
	is(a, "/data/credential/kind", "token");
	is(a, "/data/credential/name", "null");
	is(a, "/data/scopes", "[\"stt\"]");
}
END_TEST

/* ---- links ---- */

static struct response
exchange(const char *secret, const char *more)
{
	return ask(TOKEN, FORMAT("{\"data\":{\"link\":\"%s\"%s}}", secret, more));
}

START_TEST(a_link_signs_in_once)
{
	const char *secret = link_new("voices:write keys:write");
	struct response a;

	fixture.bearer = NULL;
	ck_assert_int_eq(
	    number(
		FORMAT("SELECT count(*) FROM credentials WHERE hash = '%s'", secret)),
	    0);
	a = exchange(secret, ",\"scope\":\"*\"");
	refused(a, 403, "insufficient-scope");
	a = exchange(secret, ",\"ttl_s\":600,\"scope\":\"keys:write\"");
	answered(a, 201);
	ck_assert_int_le(seconds_to(said(&a, "/data/expires_at")), 600);
	fixture.bearer = FORMAT("Bearer %s", kept(&a, "/data/token"));
	a = ask(ME, NULL);
	answered(a, 200);
	is(a, "/data/credential/name", "sign-in link");
	is(a, "/data/scopes", "[\"keys:write\"]");
	a = ask("GET /saas/keys", NULL);
	/* neither a link nor a browser's token counts as a key */
	is(a, "/data/count", "1");
	fixture.bearer = NULL;
	a = exchange(secret, "");
	refused(a, 409, "link-used");
}
END_TEST

static const char *const spoiled_links[] = {
	"UPDATE credentials SET expires_us = 1 WHERE kind = 'link'",
	"UPDATE credentials SET revoked_us = 1 WHERE kind = 'link'",
	"UPDATE accounts SET status = 'suspended'",
	"UPDATE credentials SET kind = 'key' WHERE kind = 'link'",
	"DELETE FROM credentials WHERE kind = 'link'",
};

START_TEST(a_link_that_is_no_good_is_unknown)
{
	const char *secret = link_new("*"), *before;
	struct response a;

	fixture.bearer = NULL;
	sql(spoiled_links[_i]);
	before = everything();
	a = exchange(secret, "");
	refused(a, 401, "unauthorized");
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_link_is_no_key_and_a_browser_cannot_be_forged_from_it)
{
	const char *secret = link_new("*");
	struct api_token t = { .sub = fixture.account, .scope = "*" };
	struct response a;

	t.key = sql("SELECT id FROM credentials WHERE kind = 'link'");
	t.key = arena_dup(fixture.mem, t.key, strcspn(t.key, "\n"));
	fixture.bearer = FORMAT("Bearer %s", secret);
	a = ask(ME, NULL);
	refused(a, 401, "unauthorized");
	fixture.bearer =
	    FORMAT("Bearer %s", token_make(fixture.mem, fixture.app.conf.token_secrets,
				    fixture.app.conf.token_issuer, now_us(), 60, &t));
	a = ask(ME, NULL); /* before the exchange it has no rights */
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(guesses_of_links_are_counted)
{
	struct response a;

	fixture.bearer = NULL;
	fixture.app.conf.rate_auth_failures_per_min = 3;
	for (int i = 0; i < 3; i++) {
		a = exchange("guess", "");
		refused(a, 401, "unauthorized");
	}
	a = exchange("guess", "");
	refused(a, 429, "rate-limited");
	a = exchange(link_new("*"), ""); /* a valid link still works */
	answered(a, 201);
}
END_TEST

START_TEST(a_link_that_could_not_be_exchanged_is_good_still)
{
	const char *secret = link_new("*");
	struct response a;

	fixture.bearer = NULL;
	for (int i = 1; i < 5; i++) { /* statements: find, begin, update, commit */
		db_fault(fixture.app.db, i, ERR_BUSY);
		a = exchange(secret, "");
		db_fault(fixture.app.db, 0, OK);
		refused(a, 503, "service-busy");
		ck_assert_int_eq(number("SELECT count(*) FROM credentials"
					" WHERE kind = 'link'"),
		    1);
	}
	a = exchange(secret, "");
	answered(a, 201);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tokens");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, keys_setup, fixture_close);
	tcase_add_test(t, a_key_is_exchanged_for_a_token_of_its_scopes);
	tcase_add_loop_test(t, a_token_opens_no_more_than_its_key, 0, COUNT(asked));
	tcase_add_test(t, only_a_key_or_a_pair_is_exchanged);
	tcase_add_loop_test(t, a_token_ends_with_its_key, 0, COUNT(ends));
	tcase_add_loop_test(
	    t, a_key_revoked_while_the_console_is_open, 0, COUNT(endings));
	tcase_add_test(t, a_token_names_a_credential_of_its_own_account);
	tcase_add_test(t, each_caller_is_told_its_identity);
	tcase_add_test(t, a_link_signs_in_once);
	tcase_add_loop_test(
	    t, a_link_that_is_no_good_is_unknown, 0, COUNT(spoiled_links));
	tcase_add_test(t, a_link_is_no_key_and_a_browser_cannot_be_forged_from_it);
	tcase_add_test(t, guesses_of_links_are_counted);
	tcase_add_test(t, a_link_that_could_not_be_exchanged_is_good_still);
	suite_add_tcase(s, t);
	return unit_run(s);
}
