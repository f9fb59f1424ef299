/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Admission to an event, and its QR codes. */
#define UNIT_TEST
#include "tests/unit/listener_fixture.h"

#define BASE "https://speech.example.org"

/* ---- admission ---- */

static const struct {
	const char *method, *after, *body;
} routes[] = {
	{ "GET", "", NULL },
	{ "POST", "/requests",
	    "{\"data\":{\"type\":\"add_language\",\"payload\":{\"language\":\"es\"}}"
	    "}" },
	{ "POST", "/join", "{\"data\":{\"language\":\"de\"}}" },
	{ "GET", "/qr.svg", NULL },
};

START_TEST(an_unknown_event_is_404_everywhere)
{
	const char *const ids[] = { ID_NIL, "nonsense", "" };
	const char *before = everything();

	for (int i = 0; i < COUNT(ids); i++) {
		struct response a =
		    ask(arena_printf(fixture.mem, "%s /saas/v2/event/public/%s%s",
			    routes[_i].method, ids[i], routes[_i].after),
			routes[_i].body);

		refused(a, 404, "resource-not-found");
	}
	ck_assert_str_eq(everything(), before);
	ck_assert_int_lt(
	    at_event(routes[_i].method, routes[_i].after, routes[_i].body).status, 300);
}
END_TEST

START_TEST(a_suspended_account_has_no_event_for_anybody)
{
	const char *before;

	sql("UPDATE accounts SET status = 'suspended'");
	before = everything();
	for (int i = 0; i < COUNT(routes); i++) {
		struct response a =
		    at_event(routes[i].method, routes[i].after, routes[i].body);

		refused(a, 404, "resource-not-found");
	}
	ck_assert_str_eq(everything(), before);
	sql("UPDATE accounts SET status = 'active'");
	for (int i = 0; i < COUNT(routes); i++)
		ck_assert_int_lt(
		    at_event(routes[i].method, routes[i].after, routes[i].body).status,
		    300);
}
END_TEST

START_TEST(an_id_is_taken_in_any_case)
{
	char *id = arena_str(fixture.mem, event);

	for (char *s = id; *s != '\0'; s++)
		*s = (char)toupper((unsigned char)*s);
	event = id;
	ck_assert_int_lt(
	    at_event(routes[_i].method, routes[_i].after, routes[_i].body).status, 300);
}
END_TEST

static const struct {
	const char *query;
	bool good;
} codes[] = {
	{ "", false },
	{ "?code", false },
	{ "?code=", false },
	{ "?code=%00", false },
	{ "?code=%zz", false },
	{ "?code=FORUM2", false },
	{ "?code=FORUM265", false },
	{ "?code=FORUM27", false },
	{ "?code=FORUM26%20", false },
	{ "?Code=FORUM26", false },
	{ "?code=FORUM26&code=FORUM26", false },
	{ "?code=FORUM26&code=x", false },
	{ "?code=x&code=FORUM26", false },
	{ "?code=FORUM26%00", false },
	{ "?code=FORUM26", true },
	{ "?code=forum26", true },
	{ "?code=fOrUm26", true },
	{ "?x=1&code=FORUM%32%36&y=2", true },
};

static struct response
call(int i, const char *query)
{
	return at_event(routes[i].method,
	    arena_printf(fixture.mem, "%s%s", routes[i].after, query), routes[i].body);
}

START_TEST(an_event_with_a_code_is_open_to_listeners_with_the_code)
{
	const char *before;

	set_event(event, "access_code = 'FORUM26'");
	before = everything();
	for (int i = 0; i < 3; i++) {
		struct response a = call(i, codes[_i].query);

		if (codes[_i].good) {
			ck_assert_int_lt(a.status, 300);
			continue;
		}
		refused(a, 403, "access-code-required");
		is(a, "/errors/0/parameter", "code");
		ck_assert_ptr_null(strstr(a.body, "FORUM26"));
		ck_assert_ptr_null(head_of(&a, "ETag"));
		ck_assert_str_eq(everything(), before);
	}
}
END_TEST

/* Sends this many wrong codes from an address, which get 403; the next one gets 429. */
static void
guess(const char *peer, int wrong)
{
	struct response a;

	fixture.peer = peer;
	for (int i = 0; i < wrong; i++) {
		a = call(i % 3, "?code=FORUM27");
		refused(a, 403, "access-code-required");
	}
	for (int i = 0; i < 3; i++) {
		a = call(i, "?code=FORUM27");
		refused(a, 429, "rate-limited");
	}
}

/* Answers for an honest client at that address. */
static void
all_is_well(const char *peer)
{
	fixture.peer = peer;
	for (int i = 0; i < 3; i++) {
		ck_assert_int_lt(call(i, "?code=FORUM26").status, 300);
		ck_assert_int_eq(call(i, "").status, 403);
	}
}

START_TEST(an_address_has_thirty_guesses_a_minute)
{
	struct response a;

	set_event(event, "access_code = 'FORUM26'");
	all_is_well("192.0.2.7");
	guess("192.0.2.7", 30);
	a = call(0, "?code=FORUM27");
	ck_assert_int_ge(atoi(head_of(&a, "Retry-After")), 1);
	ck_assert_ptr_null(head_of(&a, "ETag"));
	all_is_well("192.0.2.7");
	guess("2001:db8:1:2::1", 30);
	guess("2001:db8:1:2:ffff::7", 0); /* of the same /64 */
	guess("2001:db8:1:3::1", 30);
	guess("::ffff:192.0.2.7", 0);
	all_is_well("::ffff:192.0.2.7");
}
END_TEST

/* Checks that each answer to that address equals the answer to a wrong code. */
static void
learns_nothing(const char *peer, const char *query)
{
	fixture.peer = peer;
	for (int i = 0; i < 3; i++) {
		struct response a = call(i, query);

		refused(a, 429, "rate-limited");
	}
}

START_TEST(over_the_limit_the_right_code_opens_only_where_it_did_before)
{
	set_event(event, "access_code = 'FORUM26'");
	guess("192.0.2.8", 30);
	learns_nothing("192.0.2.8", "?code=FORUM26");
	learns_nothing("192.0.2.8", "?code=forum26");
	all_is_well("192.0.2.9");
	guess("192.0.2.9", 30);
	all_is_well("192.0.2.9");
	set_event(event, "access_code = 'FORUM28'");
	learns_nothing("192.0.2.9", "?code=FORUM28");
	learns_nothing("192.0.2.9", "?code=FORUM26");
}
END_TEST

START_TEST(an_event_has_three_hundred_guesses_a_minute_from_wherever)
{
	set_event(event, "access_code = 'FORUM26'");
	for (int i = 1; i <= 10; i++)
		guess(arena_printf(fixture.mem, "198.51.100.%d", i), 30);
	guess("203.0.113.1", 0);
	learns_nothing("203.0.113.1", "?code=FORUM26");
	all_is_well("203.0.113.2");
	event = put_event(fixture.account, "Another", MADE_US + 2);
	stage = put_stage(event, "Its stage");
	put_channel(fixture.account, stage, "Its hall", "[\"de\",\"fr\"]", MADE_US + 3);
	set_event(event, "access_code = 'FORUM26'");
	guess("203.0.113.1", 30);
}
END_TEST

static const struct route closed[] = { { "GET", "/closed", get_view, "x:read" },
	ROUTES_END };

START_TEST(wrong_codes_are_no_wrong_credentials)
{
	struct response a;

	set_event(event, "access_code = 'FORUM26'");
	fixture.app.conf.rate_auth_failures_per_min = 3;
	guess("192.0.2.7", 30);
	fixture.app.routes = closed;
	fixture.bearer = "Bearer wrong";
	a = ask("GET /closed", NULL);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(a_picture_of_the_address_needs_no_code)
{
	struct response a;

	set_event(event, "access_code = 'FORUM26'");
	a = at_event("GET", "/qr.svg", NULL);
	answered(a, 200);
}
END_TEST

START_TEST(an_event_without_a_code_does_not_mind_one)
{
	for (int i = 0; i < 3; i++) {
		ck_assert_int_lt(call(i, "?code=anything").status, 300);
		ck_assert_int_lt(call(i, "?code=").status, 300);
		ck_assert_int_eq(call(i, "?code=a&code=b").status, 422);
	}
}
END_TEST

START_TEST(the_code_is_judged_before_what_is_asked)
{
	const char *tag = tag_of_view();
	struct response a;

	set_event(event, "access_code = 'FORUM26', finished_us = 2");
	ck_assert_int_eq(view_unless(tag).status, 403);
	ck_assert_int_eq(view_unless("*").status, 403);
	a = at_event("POST", "/join", "{\"data\":{\"language\":\"xx\"}}");
	answered(a, 403);
	a = at_event("POST", "/requests", "{\"data\":{}}");
	answered(a, 403);
	a = at_event("POST", "/join", "{}"); /* syntax is checked first */
	answered(a, 400);
}
END_TEST

/* ---- QR codes ---- */

#define STAGE(id) arena_printf(fixture.mem, "/qr.svg?stage=%s", id)

START_TEST(a_code_leads_to_the_page_for_listeners)
{
	const char *page = arena_printf(fixture.mem, BASE "/listen/?e=%s", event);
	struct response a = at_event("GET", "/qr.svg", NULL);

	answered(a, 200);
	assert_same_body(a.body, qr_svg(fixture.mem, page));
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "image/svg+xml");
	ck_assert_pstr_eq(head_of(&a, "Cache-Control"), "public, max-age=86400");
	a = at_event("GET", STAGE(stage), NULL);
	answered(a, 200);
	assert_same_body(a.body,
	    qr_svg(fixture.mem, arena_printf(fixture.mem, "%s&s=%s", page, stage)));
}
END_TEST

START_TEST(a_code_has_the_short_address_while_the_event_has_one)
{
	const char *hall = stage + strlen(stage) - 6, *found = "";
	struct response a;

	ck_assert_int_eq(
	    join_code_draw(fixture.app.db, fixture.mem, event, now_us(), &found), OK);
	a = at_event("GET", "/qr.svg", NULL);
	assert_same_body(
	    a.body, qr_svg(fixture.mem, arena_printf(fixture.mem, BASE "/%s", found)));
	a = at_event("GET", STAGE(stage), NULL);
	assert_same_body(
	    a.body, qr_svg(fixture.mem,
			arena_printf(fixture.mem, BASE "/%s?s=%s", found, hall)));
	ck_assert_int_eq(
	    join_code_stage(fixture.app.db, fixture.mem, event, hall, &found), OK);
	ck_assert_str_eq(found, stage);
	ck_assert_int_eq(
	    join_code_stage(fixture.app.db, fixture.mem, ID_NIL, hall, &found),
	    ERR_NOT_FOUND);
	ck_assert_int_eq(
	    join_code_stage(fixture.app.db, fixture.mem, event, "' OR 1=1", &found),
	    ERR_NOT_FOUND);
}
END_TEST

START_TEST(a_picture_is_not_sent_twice)
{
	const char *path =
	    arena_printf(fixture.mem, "GET /saas/v2/event/public/%s/qr.svg", event);
	struct response a = ask(path, NULL), b;
	const char *tag = head_of(&a, "ETag");

	b = ask_with(
	    path, NULL, HEADS(arena_printf(fixture.mem, "If-None-Match: %s", tag)));
	answered(b, 304);
	ck_assert_pstr_eq(head_of(&b, "ETag"), tag);
	ck_assert_pstr_eq(head_of(&b, "Cache-Control"), "public, max-age=86400");
	b = at_event("GET", STAGE(stage), NULL);
	ck_assert_str_ne(head_of(&b, "ETag"), tag);
}
END_TEST

START_TEST(a_picture_is_of_a_stage_of_this_event)
{
	const char *other = put_stage(put_event(fixture.account, "Other", 7), "Theirs");
	const char *before = everything();
	struct response a = at_event("GET", STAGE(other), NULL);

	refused(a, 404, "resource-not-found");
	is(a, "/errors/0/parameter", "stage");
	a = at_event("GET", STAGE(ID_NIL), NULL);
	answered(a, 404);
	a = at_event("GET", STAGE("x"), NULL);
	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), "stage: stage must be a uuid.");
	a = at_event("GET", STAGE(""), NULL);
	answered(a, 422);
	a = at_event(
	    "GET", arena_printf(fixture.mem, "%s&stage=%s", STAGE(stage), stage), NULL);
	answered(a, 422);
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* ---- when the database fails ---- */

static struct response
qr_of_stage(void)
{
	return at_event("GET", STAGE(stage), NULL);
}

START_TEST(a_busy_database_is_told)
{
	view();
	fail_each(view, "SELECT 1", ERR_BUSY, 503);
	fail_each(qr_of_stage, "SELECT 1", ERR_BUSY, 503);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("listeners");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, listener_fixture, fixture_close);
	tcase_add_loop_test(t, an_unknown_event_is_404_everywhere, 0, COUNT(routes));
	tcase_add_test(t, a_suspended_account_has_no_event_for_anybody);
	tcase_add_loop_test(t, an_id_is_taken_in_any_case, 0, COUNT(routes));
	tcase_add_loop_test(t, an_event_with_a_code_is_open_to_listeners_with_the_code,
	    0, COUNT(codes));
	tcase_add_test(t, an_address_has_thirty_guesses_a_minute);
	tcase_add_test(t, over_the_limit_the_right_code_opens_only_where_it_did_before);
	tcase_add_test(t, an_event_has_three_hundred_guesses_a_minute_from_wherever);
	tcase_add_test(t, wrong_codes_are_no_wrong_credentials);
	tcase_add_test(t, a_picture_of_the_address_needs_no_code);
	tcase_add_test(t, an_event_without_a_code_does_not_mind_one);
	tcase_add_test(t, the_code_is_judged_before_what_is_asked);
	tcase_add_test(t, a_code_leads_to_the_page_for_listeners);
	tcase_add_test(t, a_code_has_the_short_address_while_the_event_has_one);
	tcase_add_test(t, a_picture_is_not_sent_twice);
	tcase_add_test(t, a_picture_is_of_a_stage_of_this_event);
	tcase_add_test(t, a_busy_database_is_told);
	suite_add_tcase(s, t);
	return unit_run(s);
}
