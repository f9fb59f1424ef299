/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The policy of the whole service: routes, methods, ids, origins, versions, and
 * the order in which a request is refused.
 */
#include "tests/unit/toy.h"

/* ---- paths and methods ---- */

static const char *const no_paths[] = { "/", "", "/toy", "/toys/", "//toys", "/Toys",
	"/toys//echo", "/toys/" TOY_ID "/", "/toys%2Fecho", "/t%256Fys", "/toys/%zz",
	"/toys/echo/echo", "toys", "/?/toys", "/named/", "/named/a%00b", "/named/%ff" };

START_TEST(a_program_does_not_start_with_a_table_that_does_not_fit)
{
	static const struct field fields[] = { { "id", F_TEXT, .column = "id" },
		{ "name", F_TEXT, sizeof(char *) }, FIELDS_END };
	static const struct sql forgetful[] = { { "forgetful",
						    "SELECT id FROM accounts",
						    ROWS_OF(fields, const char *[2]) },
		{ NULL, NULL, NULL } };
	static const struct sql *const prepared[] = { account_sql, forgetful, NULL };
	static const struct route none[] = { ROUTES_END };
	struct app app;

	ck_assert_int_eq(
	    app_open(&app, fixture.mem, "toys", none, prepared), ERR_REFUSED);
}
END_TEST

START_TEST(an_unknown_path_is_404_for_every_caller)
{
	static const char *const bearers[] = { NULL, "Bearer wrong" };
	struct response a;

	for (int i = 0; i < COUNT(bearers); i++) {
		fixture.bearer = bearers[i];
		a = ask(arena_printf(fixture.mem, "GET %s", no_paths[_i]), NULL);
		refused(a, 404, "resource-not-found");
	}
}
END_TEST

static const struct {
	const char *call;
	int status;
} paths[] = {
	{ "GET /toys?size=5", 200 },
	{ "GET /t%6Fys", 200 }, /* percent-decoded, once */
	{ "GET /toys/11111111-2222-4333-8444-555555555555", 200 },
	{ "GET /named/a%2Fb", 200 },
	{ "GET /named/a?b/c", 200 },
	{ "GET /toys/11111111-2222-4333-8444-55555555555", 404 },
	{ "GET /toys/11111111-2222-4333-8444-5555555555555", 404 },
	{ "GET /toys/11111111_2222_4333_8444_555555555555", 404 },
	{ "GET /toys/1111111g-2222-4333-8444-555555555555", 404 },
	{ "GET /toys/99999999-2222-4333-8444-555555555555", 404 },
	{ "GET /toys/AAAAAAAA-2222-4333-8444-555555555555", 404 },
};

START_TEST(a_path_is_matched_segment_by_segment)
{
	struct response a = ask(paths[_i].call, NULL);

	answered(a, paths[_i].status);
}
END_TEST

START_TEST(a_malformed_id_and_an_unknown_one_get_the_same_answer)
{
	const char *const id[] = { "X-Request-Id: " TOY_ID, NULL };
	struct response a = ask_with("GET /toys/x", NULL, id);
	struct response b = ask_with("GET /toys/" ID_NIL, NULL, id);

	answered(a, 404);
	assert_same_body(a.body, b.body);
}
END_TEST

static const struct {
	const char *call, *allow;
} methods[] = {
	{ "PUT /toys", "POST, GET, HEAD, OPTIONS" },
	{ "get /toys", "POST, GET, HEAD, OPTIONS" },
	{ "DELETE /public", "GET, HEAD, OPTIONS" },
	{ "GET /bare", "POST, OPTIONS" },
	{ "HEAD /bare", "POST, OPTIONS" },
	{ "DELETE /toys/echo", "POST, OPTIONS" }, /* it names no toy */
	{ "POST " TOY, "GET, HEAD, PATCH, DELETE, OPTIONS" },
};

START_TEST(another_method_is_405_and_told_what_is_allowed)
{
	struct response a;

	fixture.bearer = NULL;
	a = ask(methods[_i].call, "{}");
	refused(a, 405, "method-not-allowed");
	ck_assert_pstr_eq(head_of(&a, "Allow"), methods[_i].allow);
}
END_TEST

START_TEST(options_needs_no_credential_and_tells_what_is_allowed)
{
	struct response a;

	fixture.bearer = NULL;
	a = ask(arena_printf(fixture.mem, "OPTIONS %s", strchr(methods[_i].call, '/')),
	    NULL);
	answered(a, 204);
	ck_assert_pstr_eq(head_of(&a, "Allow"), methods[_i].allow);
}
END_TEST

START_TEST(head_is_answered_by_the_row_of_get)
{
	struct response get =
	    ask_with("GET " TOY, NULL, HEADS("X-Request-Id: " TOY_ID));
	struct response head =
	    ask_with("HEAD " TOY, NULL, HEADS("X-Request-Id: " TOY_ID));

	answered(head, 200); /* fcgi.c does not send the body */
	assert_same_body(head.body, get.body);
	ck_assert_pstr_eq(head_of(&head, "ETag"), head_of(&get, "ETag"));
}
END_TEST

/* ---- ids ---- */

static const struct {
	const char *sent, *kept; /* NULL: another id is made */
} ids[] = {
	{ "X-Request-Id: 0ab0cd00-1111-1222-8333-444455556666",
	    "0ab0cd00-1111-1222-8333-444455556666" },
	{ "X-Request-Id: 0AB0CD00-1111-7222-8333-44445555ABCD",
	    "0ab0cd00-1111-7222-8333-44445555abcd" },
	{ "X-Request-Id: 42", NULL },
	{ "X-Request-Id: ", NULL },
	{ "X-Other: 0ab0cd00-1111-1222-8333-444455556666", NULL },
};

START_TEST(a_request_id_is_kept_if_it_is_a_uuid)
{
	struct response a = ask_with("GET /nothing", NULL, HEADS(ids[_i].sent));
	const char *id = head_of(&a, "X-Request-Id");

	ck_assert_ptr_nonnull(id_read(fixture.mem, id));
	if (ids[_i].kept != NULL)
		ck_assert_str_eq(id, ids[_i].kept);
	else
		ck_assert_ptr_null(strstr(ids[_i].sent, id));
	is(a, "/errors/0/instance", arena_printf(fixture.mem, "urn:uuid:%s", id));
}
END_TEST

START_TEST(what_is_logged_carries_the_time_and_the_id_of_the_request)
{
	const char *path = arena_printf(fixture.mem, "%s/log", fixture.dir);
	char line[512] = "";
	int64_t at_us;
	FILE *log;

	ck_assert_ptr_nonnull(freopen(path, "w", stderr));
	db_fault(fixture.app.db, 1, ERR_FAILED);
	ask_with("GET /toys", NULL, HEADS("X-Request-Id: " TOY_ID));
	log = fopen(path, "r");
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), log));
	fclose(log);
	ck_assert_msg(strstr(line, TOY_ID) != NULL, "%s", line);
	ck_assert_int_eq(strncmp(line, "error ", 6), 0);
	ck_assert(time_parse(arena_dup(fixture.mem, line + 6, 20), &at_us));
	ck_assert_int_lt(now_us() - at_us, 60 * S_US);
}
END_TEST

/* ---- origins ---- */

#define EXPOSED                                                                        \
	"X-Request-Id, ETag, Link, Location, RateLimit, RateLimit-Policy, "            \
	"Retry-After, Deprecation, Sunset, Idempotency-Replayed, WWW-Authenticate"

static const struct {
	const char *origins, *origin;
	const char *allowed, *vary;
} origins[] = {
	{ "*", "Origin: https://a.example", "*", NULL },
	{ "*", "X: no origin", "*", NULL },
	{ "https://a.example https://b.example", "Origin: https://b.example",
	    "https://b.example", "Origin" },
	{ "https://a.example", "Origin: https://a.example:8080", NULL, "Origin" },
	{ "https://a.example", "Origin: https://a.exampl", NULL, "Origin" },
	{ "https://a.example", "Origin: null", NULL, "Origin" },
	{ "https://a.example", "X: no origin", NULL, "Origin" },
};

START_TEST(origins_are_let_in_as_the_settings_say_on_every_answer)
{
	static const char *const calls[] = { "GET /open", "GET /nothing", "PUT /toys",
		"GET /toys", "OPTIONS /toys" };
	struct response a;
	const char *vary;

	fixture.app.conf.cors_origins = origins[_i].origins;
	fixture.bearer = NULL;
	for (int i = 0; i < COUNT(calls); i++) {
		a = ask_with(calls[i], NULL, HEADS(origins[_i].origin));
		ck_assert_pstr_eq(
		    head_of(&a, "Access-Control-Allow-Origin"), origins[_i].allowed);
		vary = a.status >= 400 ? "Accept" : NULL; /* like every problem */
		ck_assert_pstr_eq(head_of(&a, "Vary"),
		    origins[_i].vary != NULL ? origins[_i].vary : vary);
		ck_assert_pstr_eq(head_of(&a, "Access-Control-Expose-Headers"),
		    origins[_i].allowed != NULL ? EXPOSED : NULL);
		ck_assert_ptr_null(head_of(&a, "Access-Control-Allow-Credentials"));
	}
}
END_TEST

START_TEST(a_preflight_needs_no_credential)
{
	struct response a;

	fixture.bearer = NULL;
	a = ask_with("OPTIONS " TOY, NULL,
	    HEADS("Access-Control-Request-Method: PATCH", "Origin: https://a.example"));
	answered(a, 204);
	ck_assert_pstr_eq(head_of(&a, "Access-Control-Allow-Methods"),
	    "GET, HEAD, PATCH, DELETE, OPTIONS");
	ck_assert_pstr_eq(head_of(&a, "Access-Control-Allow-Headers"),
	    "Authorization, ClientID, ClientSecret, Content-Type, If-Match, "
	    "If-None-Match, Idempotency-Key, Prefer, X-Request-Id, Range");
	ck_assert_pstr_eq(head_of(&a, "Access-Control-Max-Age"), "600");
}
END_TEST

#define PREFLIGHT                                                                      \
	"Authorization, ClientID, ClientSecret, Content-Type, If-Match, "              \
	"If-None-Match, Idempotency-Key, Prefer, X-Request-Id, Range"
#define TEN(s) s s s s s s s s s s

static const struct {
	const char *asked, *more;
} asked_headers[] = {
	{ "authorization,traceparent", ", traceparent" },
	{ "tracestate, baggage ,sentry-trace", ", tracestate, baggage, sentry-trace" },
	{ ",, x-datadog-origin,", ", x-datadog-origin" },
	{ "a b,(c),baggage", ", baggage" },
	{ "baggage,Baggage,prefer", ", baggage" },
	{ " ", "" },
	{ TEN(TEN(TEN("xyz"))), "" },
};

START_TEST(a_preflight_allows_what_tracers_add)
{
	struct response a = ask_with("OPTIONS " TOY, NULL,
	    HEADS("Access-Control-Request-Method: GET", "Origin: https://a.example",
		arena_printf(fixture.mem, "Access-Control-Request-Headers: %s",
		    asked_headers[_i].asked)));

	answered(a, 204);
	ck_assert_pstr_eq(head_of(&a, "Access-Control-Allow-Headers"),
	    arena_printf(fixture.mem, PREFLIGHT "%s", asked_headers[_i].more));
}
END_TEST

/* ---- versions ---- */

static const struct {
	const char *tags;
	int status;
} replaces[] = {
	{ "\"v3\"", 200 },
	{ "*", 200 },
	{ "\"v1\", \"v3\"", 200 },
	{ "\"v1\",\"v3\",\"v4\"", 200 },
	{ "\"v2\"", 412 },
	{ "\"v33\"", 412 },
	{ "\"v\"", 412 },
	{ "\"\"", 412 },
	{ "\"v1\", \"v2\"", 412 },
	{ "W/\"v3\"", 200 }, /* ETags as changed by proxies that compress */
	{ "\"v3-gzip\"", 200 },
	{ "\"v3-br\"", 200 },
	{ "\"v3-zstd\"", 200 },
	{ "\"v3;gzip\"", 200 },
	{ "W/\"v3-gzip\"", 200 },
	{ "\"v4-gzip\"", 412 },
	{ "\"v3-bzip\"", 412 },
	{ "\"v3-\"", 412 },
	{ "\"v\"", 412 },
	{ "W/\"v2\"", 412 },
	{ "W/\"v3\", \"v3\"", 200 },
	{ "\"a,*\"", 412 },
	{ "\"a, \"", 412 },
	{ "v3", 400 },
	{ "\"v3", 400 },
	{ "\"v3\" \"v4\"", 400 },
	{ "", 400 },
	{ "*, \"v3\"", 400 },
	{ "\"v2\", *", 400 },
};

START_TEST(if_match_names_the_version_that_is_replaced)
{
	const char *line = arena_printf(fixture.mem, "If-Match: %s", replaces[_i].tags);
	struct response a = ask_with("PATCH " TOY, "{\"data\":{}}", HEADS(line));

	answered(a, replaces[_i].status);
	a = ask_with("DELETE " TOY, NULL, HEADS(line));
	answered(a, replaces[_i].status);
	if (a.status >= 400)
		is(a, "/errors/0/parameter", "If-Match");
	a = ask_with("GET " TOY, NULL, HEADS(line)); /* ignored elsewhere */
	answered(a, 200);
}
END_TEST

static const struct {
	const char *tags;
	int status;
} known[] = {
	{ "\"v3\"", 304 },
	{ "W/\"v3\"", 304 },
	{ "\"v3-gzip\"", 304 },
	{ "W/\"v3;gzip\"", 304 },
	{ "\"v2-gzip\"", 200 },
	{ "*", 304 },
	{ "\"v1\", \"v3\"", 304 },
	{ "\"v2\"", 200 },
	{ "\"v3x\"", 200 },
	{ "\"a,*\"", 200 },
	{ "\"a, *\"", 200 },
	{ "v3", 200 },
	{ "", 200 },
};

START_TEST(if_none_match_spares_what_the_client_has)
{
	const char *line =
	    arena_printf(fixture.mem, "If-None-Match: %s", known[_i].tags);
	struct response a = ask_with("GET " TOY, NULL, HEADS(line));

	answered(a, known[_i].status);
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v3\"");
	a = ask_with("HEAD " TOY, NULL, HEADS(line));
	answered(a, known[_i].status);
	a = ask_with("PATCH " TOY, "{\"data\":{}}", HEADS(line));
	answered(a, 200);
}
END_TEST

/* ---- other headers ---- */

START_TEST(only_a_good_answer_may_be_cached)
{
	struct response a = ask("GET " TOY, NULL);

	ck_assert_pstr_eq(head_of(&a, "Cache-Control"), "private, max-age=60");
	a = ask("GET /toys/" ID_NIL, NULL);
	ck_assert_pstr_eq(head_of(&a, "Cache-Control"), "no-store");
	a = ask("GET /toys", NULL);
	ck_assert_pstr_eq(head_of(&a, "Cache-Control"), "no-store");
}
END_TEST

START_TEST(a_deprecated_route_says_so_even_when_it_refuses)
{
	struct response a = { 0 };

	for (int i = 0; i < 2; i++, fixture.bearer = NULL) {
		a = ask("GET /old", NULL);
		answered(a, i == 0 ? 200 : 401);
		ck_assert_pstr_eq(head_of(&a, "Deprecation"), "@1767225600");
		ck_assert_pstr_eq(
		    head_of(&a, "Sunset"), "Fri, 31 Dec 2027 23:59:59 GMT");
		ck_assert_pstr_eq(head_of(&a, "Link"),
		    "<https://speech.example.org/new>; rel=\"successor-version\"");
	}
	a = ask("GET /open", NULL);
	ck_assert_ptr_null(head_of(&a, "Deprecation"));
}
END_TEST

/* ---- transactions ---- */

START_TEST(a_refused_change_changes_nothing)
{
	const char *before = everything();
	struct response a = ask("POST /toys", "{\"data\":{\"name\":\"Broken\"}}");

	refused(a, 403, "resource-locked");
	ck_assert_ptr_null(head_of(&a, "Location")); /* the answer has no other parts */
	ck_assert_str_eq(everything(), before);
	a = ask("POST /toys", "{\"data\":{\"name\":\"Whole\"}}");
	answered(a, 201);
	ck_assert_int_eq(number("SELECT count(*) FROM workers"), 1);
}
END_TEST

START_TEST(a_busy_database_is_503_with_a_time_to_come_back)
{
	struct response a;

	db_fault(fixture.app.db, 1 + _i, ERR_BUSY);
	a = ask("POST /toys", "{\"data\":{\"name\":\"Whole\"}}");
	refused(a, 503, "service-busy");
	ck_assert_pstr_eq(head_of(&a, "Retry-After"), "1");
	ck_assert_int_eq(number("SELECT count(*) FROM workers"), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("dispatch");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, toy_setup, fixture_close);
	tcase_add_test(t, a_program_does_not_start_with_a_table_that_does_not_fit);
	tcase_add_loop_test(
	    t, an_unknown_path_is_404_for_every_caller, 0, COUNT(no_paths));
	tcase_add_loop_test(t, a_path_is_matched_segment_by_segment, 0, COUNT(paths));
	tcase_add_test(t, a_malformed_id_and_an_unknown_one_get_the_same_answer);
	tcase_add_loop_test(
	    t, another_method_is_405_and_told_what_is_allowed, 0, COUNT(methods));
	tcase_add_loop_test(t, options_needs_no_credential_and_tells_what_is_allowed, 0,
	    COUNT(methods));
	tcase_add_test(t, head_is_answered_by_the_row_of_get);
	tcase_add_loop_test(t, a_request_id_is_kept_if_it_is_a_uuid, 0, COUNT(ids));
	tcase_add_test(t, what_is_logged_carries_the_time_and_the_id_of_the_request);
	tcase_add_loop_test(t, origins_are_let_in_as_the_settings_say_on_every_answer,
	    0, COUNT(origins));
	tcase_add_test(t, a_preflight_needs_no_credential);
	tcase_add_loop_test(
	    t, a_preflight_allows_what_tracers_add, 0, COUNT(asked_headers));
	tcase_add_loop_test(
	    t, if_match_names_the_version_that_is_replaced, 0, COUNT(replaces));
	tcase_add_loop_test(
	    t, if_none_match_spares_what_the_client_has, 0, COUNT(known));
	tcase_add_test(t, only_a_good_answer_may_be_cached);
	tcase_add_test(t, a_deprecated_route_says_so_even_when_it_refuses);
	tcase_add_test(t, a_refused_change_changes_nothing);
	tcase_add_loop_test(t, a_busy_database_is_503_with_a_time_to_come_back, 0, 4);
	suite_add_tcase(s, t);
	return unit_run(s);
}
