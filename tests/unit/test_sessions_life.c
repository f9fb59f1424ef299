/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions are read, listed, extended, deleted, and expire. */
#define UNIT_TEST
#include "tests/unit/session_fixture.h"

static const char *
stored(const char *id, const char *columns)
{
	return sql(arena_printf(
	    fixture.mem, "SELECT %s FROM sessions WHERE id = '%s'", columns, id));
}

/* ---- reading ---- */

START_TEST(a_session_answers_as_the_example)
{
	const char *id = put_session(fixture.account, 0, 3600);
	struct response a;

	set_session(id, "created_us = 1795169924999999, updated_us = 1795169984000000,"
			" expires_us = 4118325584000000, tokens_us = 4118325584000001");
	a = on("GET", id, "", NULL);
	answered(a, 200);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"id\":\"%s\",\"created_at\":"
		"\"2026-11-20T10:18:44Z\",\"updated_at\":\"2026-11-20T10:19:44Z\","
		"\"expires_at\":\"2100-07-03T19:19:44Z\"}}",
		id));
	a = ask(LIST, NULL);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":[{\"id\":\"%s\",\"created_at\":"
		"\"2026-11-20T10:18:44Z\",\"updated_at\":\"2026-11-20T10:19:44Z\","
		"\"expires_at\":\"2100-07-03T19:19:44Z\"}],"
		"\"next_page_token\":null}",
		id));
}
END_TEST

static const struct {
	const char *method, *more;
	int status;
} of_one[] = {
	{ "GET", "", 200 },
	{ "HEAD", "", 200 },
	{ "POST", "?ttl_seconds=60", 204 },
	{ "DELETE", "", 204 },
};

START_TEST(an_expired_session_is_not_there)
{
	const char *id = put_session(fixture.account, 60, 60);
	struct response a;

	for (int left_s = -1; left_s <= 0; left_s++) {
		set_session(id, arena_printf(fixture.mem, "expires_us = %lld",
				    (long long)(now_us() + left_s * S_US)));
		a = on(of_one[_i].method, id, of_one[_i].more, NULL);
		refused(a, 404, "resource-not-found");
		a = ask(LIST, NULL);
		is(a, "/data", "[]");
	}
	ck_assert_int_eq(sessions(), 1); /* the janitor's work */
	set_session(id, arena_printf(fixture.mem, "expires_us = %lld",
			    (long long)(now_us() + 10 * S_US)));
	a = ask(LIST, NULL);
	is(a, "/data/0/id", id);
	a = on(of_one[_i].method, id, of_one[_i].more, NULL);
	answered(a, of_one[_i].status);
}
END_TEST

START_TEST(anothers_session_is_as_unknown_as_none)
{
	const char *theirs = put_session(fixture_account(), 0, 60);
	const char *id[] = { theirs, id_new(fixture.mem), "nonsense", "%20" };
	const char *before = everything();
	struct response a, first = { 0 };

	for (int i = 0; i < COUNT(id); i++) {
		a = ask_with(
		    arena_printf(fixture.mem, "%s /session-storage/sessions/%s%s",
			of_one[_i].method, id[i], of_one[_i].more),
		    NULL, HEADS("X-Request-Id: " ID_NIL));
		refused(a, 404, "resource-not-found");
		first = i == 0 ? a : first;
		assert_same_body(a.body, first.body);
	}
	ck_assert_str_eq(everything(), before);
}
END_TEST

static const struct {
	const char *call;
	bool reads;
} calls[] = {
	{ NEW, false },
	{ OLD, false },
	{ LIST, true },
	{ "GET /session-storage/sessions/", true },
	{ "POST /session-storage/sessions/", false },
	{ "DELETE /session-storage/sessions/", false },
};

START_TEST(a_scope_opens_its_routes_only)
{
	const char *call = calls[_i].call;
	struct response a;

	if (_i > 2)
		call = arena_printf(fixture.mem, "%s%s?ttl_seconds=60", call,
		    put_session(fixture.account, 0, 60));
	fixture.bearer = NULL;
	a = ask(call, NULL);
	refused(a, 401, "unauthorized");
	fixture.bearer =
	    fixture_bearer(fixture.account, "voices:write channels:write s2s");
	a = ask(call, NULL);
	refused(a, 403, "insufficient-scope");
	fixture.bearer = fixture_bearer(fixture.account, "sessions:read");
	a = ask(call, NULL);
	ck_assert_int_eq(a.status == 403, !calls[_i].reads);
	fixture.bearer = fixture_bearer(fixture.account, "sessions:write");
	a = ask(call, NULL);
	ck_assert_int_lt(a.status, 300);
}
END_TEST

/* ---- extending ---- */

static const struct {
	int64_t ttl_s;
	const char *body;
} extensions[] = {
	{ 1, NULL },
	{ 7200, NULL },
	{ 2592000, NULL },
	{ 60, "" },
	{ 60, "{}" },
	{ 60, "{\"ttl_seconds\":7}" },
	{ 60, DATA("") },
	{ 60, DATA("\"ttl_seconds\":60") },
	{ 60, DATA("\"ttl_seconds\":60.0") },
	{ 60, DATA("\"ttl_seconds\":null") },
	{ 60, DATA("\"expires_at\":7") },
};

START_TEST(a_session_lives_so_long_from_now)
{
	const char *id = put_session(fixture.account, 100, 3600);
	int64_t before = now_us(), after, updated, expires;
	struct response a = on("POST", id,
	    arena_printf(
		fixture.mem, "?ttl_seconds=%lld", (long long)extensions[_i].ttl_s),
	    extensions[_i].body);

	answered(a, 204);
	after = now_us();
	updated = strtoll(stored(id, "updated_us"), NULL, 10);
	expires = strtoll(stored(id, "expires_us"), NULL, 10);
	ck_assert_int_ge(updated, before);
	ck_assert_int_le(updated, after);
	ck_assert_int_eq(expires - updated, extensions[_i].ttl_s * S_US);
	ck_assert_int_eq(
	    strtoll(stored(id, "ttl_us"), NULL, 10), extensions[_i].ttl_s * S_US);
	ck_assert_int_lt(
	    strtoll(stored(id, "created_us"), NULL, 10), before - 99 * S_US);
}
END_TEST

START_TEST(a_session_never_outlives_its_tokens)
{
	const char *id = put_session(fixture.account, 60, 60);
	int64_t end = now_us() + 100 * S_US;
	struct response a;

	set_session(id, arena_printf(fixture.mem, "tokens_us = %lld", (long long)end));
	a = on("POST", id, "?ttl_seconds=99", NULL);
	answered(a, 204);
	ck_assert_str_eq(stored(id, "expires_us < tokens_us, ttl_us"), "1|99000000\n");
	a = on("POST", id, "?ttl_seconds=101", NULL);
	answered(a, 204);
	ck_assert_str_eq(stored(id, "expires_us = tokens_us, ttl_us"), "1|101000000\n");
	a = on("GET", id, "", NULL);
	answered(a, 200);
}
END_TEST

#define RANGE "must be an integer from 1 to 2592000."
#define EQUAL "/data/ttl_seconds: ttl_seconds must equal the query's."

static const struct {
	const char *query, *body, *faults;
} wrong[] = {
	{ "", NULL, "ttl_seconds: ttl_seconds is required." },
	{ "", DATA("\"ttl_seconds\":60"), "ttl_seconds: ttl_seconds is required." },
	{ "?ttl=60", NULL, "ttl_seconds: ttl_seconds is required." },
	{ "?ttl_seconds=", NULL, "ttl_seconds: ttl_seconds " RANGE },
	{ "?ttl_seconds=0", NULL, "ttl_seconds: ttl_seconds " RANGE },
	{ "?ttl_seconds=-1", NULL, "ttl_seconds: ttl_seconds " RANGE },
	{ "?ttl_seconds=2592001", NULL, "ttl_seconds: ttl_seconds " RANGE },
	{ "?ttl_seconds=99999999999999999999", NULL,
	    "ttl_seconds: ttl_seconds " RANGE },
	{ "?ttl_seconds=1.5", NULL, "ttl_seconds: ttl_seconds " RANGE },
	{ "?ttl_seconds=60&ttl_seconds=60", NULL, "ttl_seconds: ttl_seconds " RANGE },
	{ "?ttl_seconds=60", DATA("\"ttl_seconds\":61"), EQUAL },
	{ "?ttl_seconds=60", DATA("\"ttl_seconds\":1"), EQUAL },
	{ "?ttl_seconds=60", DATA("\"ttl_seconds\":\"60\""),
	    "/data/ttl_seconds: ttl_seconds " RANGE },
	{ "?ttl_seconds=0", DATA("\"ttl_seconds\":0"),
	    "/data/ttl_seconds: ttl_seconds " RANGE
	    "\nttl_seconds: ttl_seconds " RANGE },
	{ "?ttl_seconds=60", "{\"data\":[]}", "/data: data must be an object." },
};

START_TEST(an_extension_that_breaks_a_rule_changes_nothing)
{
	const char *id = put_session(fixture.account, 0, 60), *before = everything();
	struct response a = on("POST", id, wrong[_i].query, wrong[_i].body);

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), wrong[_i].faults);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(checks_come_in_the_order_of_the_contract)
{
	const char *id = put_session(fixture.account, 0, 60);
	struct response a = on("POST", id_new(fixture.mem), "?ttl_seconds=0", "{");

	refused(a, 400, "bad-request");
	a = on("POST", id_new(fixture.mem), "?ttl_seconds=0", NULL);
	refused(a, 404, "resource-not-found");
	a = on("PATCH", id, "", NULL);
	refused(a, 405, "method-not-allowed");
	ck_assert_pstr_eq(head_of(&a, "Allow"), "GET, HEAD, POST, DELETE, OPTIONS");
	a = ask(NEW "s/", NULL);
	refused(a, 404, "resource-not-found");
}
END_TEST

START_TEST(a_strict_client_may_say_nothing_else)
{
	const char *id = put_session(fixture.account, 0, 60);
	const char *call = arena_printf(
	    fixture.mem, "POST /session-storage/sessions/%s?ttl_seconds=9", id);
	struct response a =
	    ask_with(call, DATA("\"ttl\":9"), HEADS("Prefer: handling=strict"));

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), "/data/ttl: ttl is not known.");
}
END_TEST

/* ---- deleting ---- */

START_TEST(a_deleted_session_is_gone)
{
	const char *id = put_session(fixture.account, 0, 60);
	const char *kept = put_session(fixture.account, 0, 60);
	struct response a = ask_with(
	    arena_printf(fixture.mem, "DELETE /session-storage/sessions/%s", id), "{}",
	    HEADS("Content-Type: application/json"));

	answered(a, 204);
	ck_assert_str_eq(
	    sql("SELECT id FROM sessions"), arena_printf(fixture.mem, "%s\n", kept));
	for (int i = 0; i < COUNT(of_one); i++) {
		a = on(of_one[i].method, id, of_one[i].more, NULL);
		refused(a, 404, "resource-not-found");
	}
}
END_TEST

START_TEST(expired_rows_are_removed_in_batches)
{
	int64_t n;

	for (int i = 0; i < 5; i++)
		put_session(fixture.account, 60, -1);
	for (int i = 0; i < 2; i++)
		put_session(fixture.account, 60, 60);
	ck_assert_int_eq(session_expire(fixture.app.db, now_us(), 3, &n), OK);
	ck_assert_int_eq(n, 3);
	ck_assert_int_eq(sessions(), 4);
	ck_assert_int_eq(session_expire(fixture.app.db, now_us(), 3, &n), OK);
	ck_assert_int_eq(n, 2);
	ck_assert_int_eq(session_expire(fixture.app.db, now_us(), 3, &n), OK);
	ck_assert_int_eq(n, 0);
	ck_assert_int_eq(session_total(fixture.app.db, &n), OK);
	ck_assert_int_eq(n, 2);
}
END_TEST

START_TEST(only_open_sessions_are_totalled)
{
	int64_t n;

	put_session(fixture.account, 60, -1);
	put_session(fixture.account, 7200, 60);
	put_session(fixture_account(), 60, 60);
	ck_assert_int_eq(session_total(fixture.app.db, &n), OK);
	ck_assert_int_eq(n, 2);
}
END_TEST

/* ---- lists ---- */

/* The intent is not shown, so sessions are recognized by ids; [0] is the oldest. */
static const char *ids[25];

static void
put_many(int n)
{
	for (int i = 0; i < n; i++)
		ids[i] = put_session(fixture.account, 1000 - i, 3600);
}

/* Returns the number of sessions on the page; the first must be this one. */
static int
page_from(const struct response *a, const char *first)
{
	const struct json *v = json_get(a->json, "data");

	ck_assert_int_eq(a->status, 200);
	ck_assert_str_eq(said(a, "/data/0/id"), first);
	return (int)v->n;
}

static struct response
go_on_with(const struct response *a, const char *more)
{
	return ask(arena_printf(fixture.mem, LIST "?page_token=%s%s",
		       said(a, "/next_page_token"), more),
	    NULL);
}

START_TEST(a_page_has_ten_and_the_newest_first)
{
	struct response a;

	put_many(25);
	put_session(fixture_account(), 0, 3600);
	put_session(fixture.account, 0, -1);
	a = ask(LIST "?sort=asc", NULL); /* there is no such parameter */
	ck_assert_int_eq(page_from(&a, ids[24]), 10);
	is(a, "/data/9/id", ids[15]);
	ck_assert_pstr_eq(head_of(&a, "Link"),
	    arena_printf(fixture.mem,
		"<%s/session-storage/sessions?page_token=%s>; rel=\"next\"",
		fixture.base, said(&a, "/next_page_token")));
	/* deleted, expired and new sessions shift nothing */
	on("DELETE", ids[15], "", NULL);
	set_session(ids[14], "expires_us = 1");
	put_session(fixture.account, 0, 3600);
	a = go_on_with(&a, "");
	ck_assert_int_eq(page_from(&a, ids[13]), 10);
	a = go_on_with(&a, "");
	ck_assert_int_eq(page_from(&a, ids[3]), 4);
	is(a, "/next_page_token", "null");
	ck_assert_ptr_null(head_of(&a, "Link"));
}
END_TEST

START_TEST(a_size_beside_a_token_is_that_pages)
{
	struct response a, b;

	put_many(25);
	a = ask(LIST "?page_size=5", NULL);
	ck_assert_int_eq(page_from(&a, ids[24]), 5);
	b = go_on_with(&a, "");
	ck_assert_int_eq(page_from(&b, ids[19]), 5);
	b = go_on_with(&a, "&page_size=7");
	ck_assert_int_eq(page_from(&b, ids[19]), 7);
	b = go_on_with(&b, "");
	ck_assert_int_eq(page_from(&b, ids[12]), 7);
	b = go_on_with(&a, "&page_size=100");
	ck_assert_int_eq(page_from(&b, ids[19]), 20);
	is(b, "/next_page_token", "null");
}
END_TEST

START_TEST(sessions_of_one_moment_are_all_listed)
{
	struct response a = { 0 };
	int seen = 0;

	put_many(6);
	sql("UPDATE sessions SET created_us = 1795169924000000");
	for (a = ask(LIST "?page_size=1", NULL);; a = go_on_with(&a, "")) {
		answered(a, 200);
		seen++;
		sql(arena_printf(fixture.mem,
		    "UPDATE sessions SET intent = 'seen' WHERE id = '%s'",
		    said(&a, "/data/0/id")));
		if (strcmp(said(&a, "/next_page_token"), "null") == 0)
			break;
	}
	ck_assert_int_eq(seen, 6);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM sessions WHERE intent = 'seen'"), 6);
}
END_TEST

static const struct {
	const char *query;
	int status;
	const char *code, *parameter;
} bad_pages[] = {
	{ "?page_size=0", 422, "100030", "page_size" },
	{ "?page_size=101", 422, "100030", "page_size" },
	{ "?page_size=x", 422, "100030", "page_size" },
	{ "?page_size=", 422, "100030", "page_size" },
	{ "?page_size=1&page_size=1", 422, "100030", "page_size" },
	{ "?page_token=", 400, "100010", "page_token" },
	{ "?page_token=x", 400, "100010", "page_token" },
	{ "?page_token=x&page_size=0", 400, "100010", "page_token" },
};

START_TEST(a_bad_page_is_refused)
{
	struct response a =
	    ask(arena_printf(fixture.mem, LIST "%s", bad_pages[_i].query), NULL);

	answered(a, bad_pages[_i].status);
	is(a, "/errors/0/error_code", bad_pages[_i].code);
	is(a, "/errors/0/parameter", bad_pages[_i].parameter);
}
END_TEST

START_TEST(a_token_is_good_for_its_account_only)
{
	struct response a, b;

	put_many(3);
	a = ask(LIST "?page_size=1", NULL);
	b = go_on_with(&a, "x");
	refused(b, 400, "invalid-page-token");
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	b = go_on_with(&a, "");
	refused(b, 400, "invalid-page-token");
	is(b, "/errors/0/parameter", "page_token");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sessions' life");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, session_fixture, fixture_close);
	tcase_add_test(t, a_session_answers_as_the_example);
	tcase_add_loop_test(t, an_expired_session_is_not_there, 0, COUNT(of_one));
	tcase_add_loop_test(
	    t, anothers_session_is_as_unknown_as_none, 0, COUNT(of_one));
	tcase_add_loop_test(t, a_scope_opens_its_routes_only, 0, COUNT(calls));
	tcase_add_loop_test(t, a_session_lives_so_long_from_now, 0, COUNT(extensions));
	tcase_add_test(t, a_session_never_outlives_its_tokens);
	tcase_add_loop_test(
	    t, an_extension_that_breaks_a_rule_changes_nothing, 0, COUNT(wrong));
	tcase_add_test(t, checks_come_in_the_order_of_the_contract);
	tcase_add_test(t, a_strict_client_may_say_nothing_else);
	tcase_add_test(t, a_deleted_session_is_gone);
	tcase_add_test(t, expired_rows_are_removed_in_batches);
	tcase_add_test(t, only_open_sessions_are_totalled);
	tcase_add_test(t, a_page_has_ten_and_the_newest_first);
	tcase_add_test(t, a_size_beside_a_token_is_that_pages);
	tcase_add_test(t, sessions_of_one_moment_are_all_listed);
	tcase_add_loop_test(t, a_bad_page_is_refused, 0, COUNT(bad_pages));
	tcase_add_test(t, a_token_is_good_for_its_account_only);
	suite_add_tcase(s, t);
	return unit_run(s);
}
