/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules that hold on every route. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "cases.h"
#include "routes.h"

#define EXPOSED                                                                        \
	"X-Request-Id, ETag, Link, Location, RateLimit, RateLimit-Policy, "            \
	"Retry-After, Deprecation, Sunset, Idempotency-Replayed, WWW-Authenticate"

static struct account me;

static void
before(void)
{
	me = account_new("policy");
}

/* A path of the route, with unknown ids. */
static const char *
path_of(const struct route_line *r)
{
	const char *hole = strchr(r->path, '{');

	if (hole == NULL)
		return text("%s", r->path);
	return text("%.*s%s%s", (int)(hole - r->path), r->path,
	    strcmp(hole, "{slug}") == 0        ? "bad-request"
	    : strcmp(hole, "{join_code}") == 0 ? "999999"
					       : id_new(memory()),
	    strchr(hole, '}') + 1);
}

/* ---- methods ---- */

static bool
lists_method(const char *allow, const char *method)
{
	const char *s = strstr(allow, method);
	size_t n = strlen(method);

	return s != NULL && (s[n] == ',' || s[n] == '\0');
}

START_TEST(every_path_tells_its_methods)
{
	struct routes all = routes_of_instance();

	for (size_t i = 0; i < all.n; i++) {
		const char *path = path_of(&all.r[i]), *allow;
		struct answer a = ASK(.method = "OPTIONS", .path = path);

		ck_assert_msg(a.status == 204, "%s: %s", path, shown(&a));
		ck_assert_ptr_nonnull(allow = header_of(&a, "Allow"));
		ck_assert(lists_method(allow, all.r[i].method));
		ck_assert(lists_method(allow, "OPTIONS"));
		ck_assert(lists_method(allow, "GET") == lists_method(allow, "HEAD"));
		a = ASK(.method = "PUT", .path = path);
		expect_problem(&a, 405, "method-not-allowed");
		ck_assert_str_eq(header_of(&a, "Allow"), allow);
		ck_assert_ptr_nonnull(
		    strstr(text_at(a.json, "errors.0.detail"), allow));
	}
}
END_TEST

START_TEST(head_answers_as_get_does_and_sends_nothing)
{
	struct routes all = routes_of_instance();

	for (size_t i = 0; i < all.n; i++) {
		const char *path = path_of(&all.r[i]);
		struct answer get, a;

		if (strcmp(all.r[i].method, "GET") != 0)
			continue;
		get = ASK(.path = path, .as = &me);
		a = ASK(.method = "HEAD", .path = path, .as = &me);
		ck_assert_msg(a.status == get.status && a.n == 0, "%s", shown(&a));
		ck_assert_str_eq(
		    header_of(&a, "Content-Type"), header_of(&get, "Content-Type"));
		ck_assert_ptr_nonnull(header_of(&a, "X-Request-Id"));
	}
}
END_TEST

START_TEST(a_browser_may_ask_from_anywhere)
{
	struct answer a = ASK(.method = "OPTIONS", .path = "/saas/voice/clone",
	    .headers = { "Origin: https://app.example.org",
		"Access-Control-Request-Method: POST",
		"Access-Control-Request-Headers: authorization,content-type" });

	EXPECT(a, 204);
	ck_assert_int_eq(a.n, 0);
	ck_assert_str_eq(header_of(&a, "Access-Control-Allow-Origin"), "*");
	ck_assert_str_eq(
	    header_of(&a, "Access-Control-Allow-Methods"), "POST, OPTIONS");
	ck_assert_str_eq(header_of(&a, "Access-Control-Allow-Headers"),
	    "Authorization, ClientID, ClientSecret, Content-Type, If-Match, "
	    "If-None-Match, Idempotency-Key, Prefer, X-Request-Id, Range");
	ck_assert_str_eq(header_of(&a, "Access-Control-Max-Age"), "600");
	a = ASK(.path = "/saas/voice/limits",
	    .headers = { "Origin: https://app.example.org" });
	EXPECT(a, 401);
	ck_assert_str_eq(header_of(&a, "Access-Control-Allow-Origin"), "*");
	ck_assert_str_eq(header_of(&a, "Access-Control-Expose-Headers"), EXPOSED);
	ck_assert_ptr_null(header_of(&a, "Access-Control-Allow-Credentials"));
}
END_TEST

/* ---- request ids ---- */

START_TEST(a_request_id_comes_back_when_it_is_one)
{
	static const char given[] =
	    "X-Request-Id: AAAAAAAA-BBBB-1CCC-8DDD-EEEEEEEEEEEE";
	struct answer a = ASK(.path = "/nowhere", .headers = { given }), b;

	ck_assert_str_eq(
	    header_of(&a, "X-Request-Id"), "aaaaaaaa-bbbb-1ccc-8ddd-eeeeeeeeeeee");
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = "/nowhere", .headers = { "X-Request-Id: mine" });
	b = ASK(.path = "/nowhere");
	expect_problem(&a, 404, "resource-not-found");
	ck_assert_int_eq(strlen(header_of(&a, "X-Request-Id")), 36);
	ck_assert_str_ne(header_of(&a, "X-Request-Id"), header_of(&b, "X-Request-Id"));
}
END_TEST

/* ---- problems ---- */

START_TEST(a_problem_is_flat_when_the_client_ranks_it_so)
{
	static const char two[] =
	    "{\"data\":{\"name\":\"x\",\"samples\":[{\"filename\":\"a.wav\","
	    "\"mime_type\":\"text/plain\",\"lang_code\":\"en\"}]}}";
	static const char flat[] =
	    "Accept: application/problem+json, application/json;q=0.5";
	struct answer a = ASK(.path = "/nowhere", .headers = { flat });

	EXPECT(a, 404);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "application/problem+json");
	ck_assert_int_eq(int_at(a.json, "status"), 404);
	ck_assert_int_eq(int_at(a.json, "error_code"), 100040);
	ck_assert_ptr_null(at(a.json, "errors"));
	ck_assert_ptr_null(at(a.json, "ok"));
	a = ASK(.path = "/saas/voice/clone", .as = &me, .headers = { flat },
	    .json = two);
	EXPECT(a, 422);
	ck_assert_int_eq(count_at(a.json, "errors"), 2);
	ck_assert_str_eq(text_at(a.json, "pointer"), "/data/name");
	ck_assert_str_eq(
	    text_at(a.json, "errors.1.pointer"), "/data/samples/0/mime_type");
	a = ASK(.path = "/nowhere", .headers = { "Accept: text/csv" });
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

/* ---- bodies ---- */

static struct bytes
padded(size_t n)
{
	static const char head[] = "{\"data\":{},\"pad\":\"", tail[] = "\"}";
	char *p = arena_alloc(memory(), n);

	memset(p, 'x', n);
	memcpy(p, head, strlen(head));
	memcpy(p + n - strlen(tail), tail, strlen(tail));
	return (struct bytes){ p, n };
}

START_TEST(a_body_has_a_mebibyte_at_most)
{
	struct answer a = ASK(.path = "/saas/voice/clone", .as = &me,
	    .type = "application/json", .body = padded(1048577));

	expect_problem(&a, 413, "payload-too-large");
	a = ASK(.path = "/saas/voice/clone", .as = &me, .type = "application/json",
	    .body = padded(1048576));
	expect_problem(&a, 422, "validation-error");
	a = ASK(.path = "/saas/voice/clone", .as = &me, .type = "application/json",
	    .body = padded(12000000));
	expect_problem(&a, 413, "payload-too-large");
	a = ASK(.path = "/saas/voice/clone", .type = "application/json",
	    .body = padded(1048577)); /* the credential is checked first */
	expect_problem(&a, 401, "unauthorized");
}
END_TEST

/* clang-format off */
static const struct {
	const char *type, *coding;
	int status;
} types[] = {
	{ "application/json",                NULL,       422 },
	{ "Application/JSON; charset=UTF-8", NULL,       422 },
	{ "application/vnd.api+json",        NULL,       422 },
	{ "application/json",                "identity", 422 },
	{ NULL,                              NULL,       422 },
	{ "text/plain",                      NULL,       415 },
	{ "text/json",                       NULL,       415 },
	{ "application/x-www-form-urlencoded", NULL,     415 },
	{ "application/json; charset=latin1", NULL,      415 },
	{ "application/json",                "gzip",     415 },
};
/* clang-format on */

START_TEST(a_body_is_json_or_refused)
{
	struct answer a =
	    ASK(.path = "/saas/voice/clone", .as = &me, .type = types[_i].type,
		.headers = { types[_i].coding != NULL
				 ? text("Content-Encoding: %s", types[_i].coding)
				 : NULL },
		.body = { "{\"data\":{}}", 11 });

	ck_assert_msg(
	    a.status == types[_i].status, "%s: %s", types[_i].type, shown(&a));
	if (a.status == 415)
		expect_problem(&a, 415, "unsupported-media-type");
}
END_TEST

/* clang-format off */
static const struct {
	const char *body;
	int status;
	const char *place; /* the pointer in the problem, or NULL */
} bodies[] = {
	{ "",                                     400 },
	{ "{}",                                   400 },
	{ "[]",                                   400 },
	{ "{\"data\":{}",                         400, "line 1, column 11" },
	{ "{\"data\":{}} x",                      400, "line 1, column 13" },
	{ "{\"data\":{},\"data\":{}}",            400, "line 1, column 17" },
	{ "{\"data\":{\"name\":\"\\ud800\"}}",    400, "line 1, column 24" },
	{ "{\"data\":{\"name\":\"\xff\"}}",       400, "line 1, column 17" },
	{ "{\"data\":[]}",                        422 },
	{ "{\"data\":null}",                      422 },
	{ "{\"data\":{\"name\":\"a\\u0000bc\"}}", 422 },
	{ "{\"data\":{\"name\":5}}",              422 },
	{ "{\"data\":{},\"more\":1}",             422 },
};
/* clang-format on */

START_TEST(what_is_wrong_with_a_body_is_told_apart)
{
	struct answer a = ASK(.path = "/saas/voice/clone", .as = &me, .method = "POST",
	    .json = bodies[_i].body);

	if (bodies[_i].status == 400)
		expect_problem(&a, 400, "bad-request");
	else
		expect_problem(&a, 422, "validation-error");
	if (bodies[_i].place != NULL)
		ck_assert_ptr_nonnull(strstr(a.body, bodies[_i].place));
}
END_TEST

START_TEST(a_strict_client_is_told_of_fields_that_are_not_read)
{
	static const char body[] =
	    "{\"data\":{\"name\":\"Strictly\",\"voice_id\":\"x\",\"colour\":\"blue\","
	    "\"samples\":[{\"filename\":\"a.wav\",\"mime_type\":\"audio/wav\","
	    "\"lang_code\":\"en\"}]}}";
	struct answer a = ASK(.path = "/saas/voice/clone", .as = &me, .json = body,
	    .headers = { "Prefer: handling=strict" });

	expect_problem(&a, 422, "validation-error");
	ck_assert_int_eq(count_at(a.json, "errors"), 2);
	ck_assert_str_eq(header_of(&a, "Preference-Applied"), "handling=strict");
	a = ASK(.path = "/saas/voice/clone", .as = &me, .json = body);
	EXPECT(a, 200);
}
END_TEST

/* ---- paths ---- */

static const char *const nowhere[] = { "/nowhere", "/saas", "/saas/", "/saas/voices",
	"/saas/voice/", "/SAAS/voice", "/saas/voice/clone/", "/saas/voice/m",
	"/saas/uploads", "/blob", "/blobs/a/b", "/health/", "/problems/nothing-such",
	"/saas/glossary-of-nothing", "/.env", "/cgi-bin/voices.fcgi", "/etc/passwd",
	"/var/dragoman.db", "/index.html" };

START_TEST(an_unknown_path_is_not_found_for_any_caller)
{
	struct answer a = ASK(.path = nowhere[_i]);

	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = nowhere[_i], .as = &me, .method = "DELETE");
	ck_assert_msg(a.status == 404 || a.status == 405, "%s", shown(&a));
}
END_TEST

/* ---- keys ---- */

/*
 * Of several simultaneous requests one takes effect; the others wait or get its answer.
 */
START_TEST(one_key_at_the_same_time_has_one_effect)
{
	struct account mine = account_new("at once");
	int good = 0, busy = 0, status;
	struct answer a;

	for (int i = 0; i < 6; i++)
		if (fork() == 0) {
			a = CLONE(.as = &mine, .key = "at-once");
			_exit(a.status == 200 ? 0 : a.status == 409 ? 1 : 2);
		}
	while (wait(&status) > 0) {
		good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
		busy += WIFEXITED(status) && WEXITSTATUS(status) == 1;
	}
	ck_assert_int_eq(good + busy, 6);
	ck_assert_int_ge(good, 1);
	a = ASK(.path = "/saas/voice/limits", .as = &mine);
	ck_assert_int_eq(int_at(a.json, "data.total"), 1);
}
END_TEST

Suite *
policy_suite(void)
{
	TCase *t;
	Suite *s = suite_of("policy", before, &t);

	tcase_add_test(t, every_path_tells_its_methods);
	tcase_add_test(t, head_answers_as_get_does_and_sends_nothing);
	tcase_add_test(t, a_browser_may_ask_from_anywhere);
	tcase_add_test(t, a_request_id_comes_back_when_it_is_one);
	tcase_add_test(t, a_problem_is_flat_when_the_client_ranks_it_so);
	tcase_add_test(t, a_body_has_a_mebibyte_at_most);
	tcase_add_loop_test(t, a_body_is_json_or_refused, 0, ROWS(types));
	tcase_add_loop_test(
	    t, what_is_wrong_with_a_body_is_told_apart, 0, ROWS(bodies));
	tcase_add_test(t, a_strict_client_is_told_of_fields_that_are_not_read);
	tcase_add_loop_test(
	    t, an_unknown_path_is_not_found_for_any_caller, 0, ROWS(nowhere));
	tcase_add_test(t, one_key_at_the_same_time_has_one_effect);
	return s;
}
