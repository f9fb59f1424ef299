/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers of a request: several credentials at once, and types of a body.
 */
#include "tests/unit/toy.h"

#define BEAR "{\"data\":{\"name\":\"Bear\"}}"

static const char *
header_line(const char *name, const char *value)
{
	return arena_printf(fixture.mem, "%s: %s", name, value);
}

/* ---- credentials ---- */

START_TEST(credentials_add_up_if_they_are_of_one_account)
{
	const char *id = fixture_credential(fixture.account, "pair", "toys:write", "p");
	const char *const heads[] = { header_line("ClientID", id), "ClientSecret: p",
		NULL };
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "events:read");
	a = ask_with("POST /bare", NULL, heads);
	answered(a, 200);
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = ask_with("POST /bare", NULL, heads);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(a_bad_credential_beside_a_good_one_counts_as_not_sent)
{
	const char *id = fixture_credential(fixture.account, "pair", "*", "p");
	struct response a;

	fixture.bearer = "Bearer nonsense";
	a = ask_with(
	    "GET /toys", NULL, HEADS(header_line("ClientID", id), "ClientSecret: p"));
	answered(a, 200);
	a = ask_with(
	    "GET /toys", NULL, HEADS(header_line("ClientID", id), "ClientSecret: q"));
	refused(a, 401, "unauthorized");
	fixture.bearer = fixture_bearer(fixture.account, "toys:read");
	a = ask_with(
	    "GET /toys", NULL, HEADS(header_line("ClientID", id), "ClientSecret: q"));
	answered(a, 200);
	a = ask_with("GET /toys", NULL, HEADS(header_line("ClientID", id)));
	answered(a, 200);
	a = ask_with(
	    "POST /bare", NULL, HEADS(header_line("ClientID", id), "ClientSecret: q"));
	refused(a, 403, "insufficient-scope");
}
END_TEST

START_TEST(a_header_without_a_value_counts_as_not_sent)
{
	const char *id = fixture_credential(fixture.account, "pair", "*", "p");
	struct response a;

	fixture.bearer = "";
	a = ask_with(
	    "GET /toys", NULL, HEADS(header_line("ClientID", id), "ClientSecret: p"));
	answered(a, 200);
	a = ask_with("GET /toys", NULL, HEADS("ClientID: ", "ClientSecret: "));
	refused(a, 401, "unauthorized");
	ck_assert_ptr_null(strstr(head_of(&a, "WWW-Authenticate"), "invalid_token"));
	fixture.bearer = fixture_bearer(fixture.account, "*");
	a = ask_with("GET /toys", NULL, HEADS("ClientID: ", "ClientSecret:"));
	answered(a, 200);
}
END_TEST

START_TEST(a_bad_credential_beside_a_good_one_is_a_guess)
{
	const char *id = fixture_credential(fixture.account, "pair", "*", "p");
	struct response a;

	fixture.app.conf.rate_auth_failures_per_min = 2;
	fixture.bearer = "Bearer nonsense";
	for (int i = 0; i < 4; i++)
		answered(ask_with("GET /toys", NULL,
			     HEADS(header_line("ClientID", id), "ClientSecret: p")),
		    200);
	a = ask("GET /toys", NULL);
	refused(a, 429, "rate-limited");
}
END_TEST

/* ---- types ---- */

static const struct {
	const char *head;
	int status;
} types[] = {
	{ "Content-Type: application/json", 200 },
	{ "Content-Type: Application/JSON", 200 },
	{ "Content-Type: application/json; charset=utf-8", 200 },
	{ "Content-Type: application/json;charset=UTF-8", 200 },
	{ "Content-Type: application/json;charset=\"utf-8\"", 200 },
	{ "Content-Type: application/vnd.api+json", 200 },
	{ "Content-Type: ", 200 },
	{ "Content-Encoding: identity", 200 },
	{ "Content-Type: application/json; charset=utf8", 200 },
	{ "Content-Type: application/json; charset=utf-8;", 200 },
	{ "Content-Type: application/json ; charset=US-ASCII", 200 },
	{ "Content-Type: application/json; odata=verbose; charset=utf-8", 200 },
	{ "Content-Type: application/json; v=\"a;b\"", 200 },
	{ "Content-Type: application/json; v=1; charset=utf-16", 415 },
	{ "Content-Type: application/json; charset=\"utf-8", 415 },
	{ "Content-Type: application/json charset=utf-8", 415 },
	{ "Content-Type: application/json; charset=latin-1", 415 },
	{ "Content-Type: application/jsonx", 415 },
	{ "Content-Type: application/+json", 415 },
	{ "Content-Type: text/json", 415 },
	{ "Content-Type: text/x+json", 415 },
	{ "Content-Type: application/x-www-form-urlencoded", 415 },
	{ "Content-Type: multipart/form-data; boundary=x", 415 },
	{ "Content-Encoding: gzip", 415 },
};

START_TEST(only_json_that_is_not_encoded_is_taken)
{
	struct response a = ask_with("POST /toys/echo", BEAR, HEADS(types[_i].head));

	answered(a, types[_i].status);
	if (types[_i].status == 415)
		refused(a, 415, "unsupported-media-type");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("request headers");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, toy_setup, fixture_close);
	tcase_add_test(t, credentials_add_up_if_they_are_of_one_account);
	tcase_add_test(t, a_bad_credential_beside_a_good_one_counts_as_not_sent);
	tcase_add_test(t, a_header_without_a_value_counts_as_not_sent);
	tcase_add_test(t, a_bad_credential_beside_a_good_one_is_a_guess);
	tcase_add_loop_test(t, only_json_that_is_not_encoded_is_taken, 0, COUNT(types));
	suite_add_tcase(s, t);
	return unit_run(s);
}
