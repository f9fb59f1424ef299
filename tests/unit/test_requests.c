/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of listeners as the organiser of an event reads and decides them. */
#define UNIT_TEST
#include "tests/unit/event_rows.h"

#include "cgi-bin/requests.c"

#define MADE_US (INT64_C(1795169924) * S_US) /* 2026-11-20T10:18:44Z */

static const char *event, *stage, *channel;

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, event_sql, stage_sql,
		request_sql, NULL };

	fixture_open("requests", request_routes, prepared);
	event = put_event(fixture.account, "Health Forum", MADE_US);
	stage = put_stage(event, "Main stage");
	channel =
	    put_channel(fixture.account, stage, "Hall", "[\"de\",\"fr\"]", MADE_US + 1);
}

static const char *
put_request(const char *of, const char *language, const char *status, int64_t first_us)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO requests (id, event, type, channel, language, status, asked,"
	    " first_us) VALUES ('%s', '%s', 'add_language', '', '%s', '%s', 4, %lld)",
	    id, of, language, status, (long long)first_us));
	return id;
}

static struct response
list(const char *query)
{
	return ask(
	    arena_printf(fixture.mem, "GET /saas/v2/event/%s/requests%s", event, query),
	    NULL);
}

static struct response
decision(const char *id, const char *what, const char *body)
{
	return ask(arena_printf(fixture.mem, "POST /saas/v2/event/%s/requests/%s/%s",
		       event, id, what),
	    body);
}

static struct response
approve(const char *id)
{
	return decision(id, "approve", NULL);
}

static struct response
reject(const char *id)
{
	return decision(id, "reject", "{\"data\":{}}");
}

/* ---- the list ---- */

START_TEST(the_list_is_that_of_the_example)
{
	const char *id = put_request(event, "es", "pending", MADE_US);
	struct response a = list("");

	answered(a, 200);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"requests\":[{\"request_id\":\"%s\",\"type\":"
		"\"add_language\",\"status\":\"pending\",\"channel_id\":null,"
		"\"payload\":{\"language\":\"es\"},\"request_count\":4,"
		"\"first_requested_at\":\"2026-11-20T10:18:44Z\",\"served\":true}],"
		"\"language_capacity\":{\"limit\":10,\"used\":2,\"remaining\":8}}}",
		id));
	sql(arena_printf(fixture.mem, "UPDATE requests SET channel = '%s'", channel));
	a = list("");
	is(a, "/data/requests/0/channel_id", channel);
}
END_TEST

/* Returns the languages of the list, separated by spaces. */
static const char *
languages(const char *query)
{
	struct response a = list(query);
	const struct json *v = json_get(json_get(a.json, "data"), "requests");
	struct buf b = { .mem = fixture.mem };

	answered(a, 200);
	for (v = v->kids; v != NULL; v = v->next)
		buf_printf(
		    &b, "%s ", json_get_text(json_get(v, "payload"), "language"));
	return buf_text(&b);
}

START_TEST(the_list_has_what_is_pending_from_the_first_on)
{
	const char *other = put_event(fixture.account, "Other", MADE_US + 9);

	ck_assert_str_eq(languages(""), "");
	put_request(event, "es", "pending", 3);
	put_request(event, "it", "approved", 1);
	put_request(event, "pt", "rejected", 1);
	put_request(event, "ro", "pending", 1);
	put_request(event, "sv", "pending", 2);
	put_request(other, "ja", "pending", 1);
	ck_assert_str_eq(languages(""), "ro sv es ");
	ck_assert_str_eq(languages("?type=add_language"), "ro sv es ");
	ck_assert_str_eq(languages("?type=more_coffee"), "");
	ck_assert_str_eq(languages("?type="), "");
	ck_assert_str_eq(languages("?kind=x"), "ro sv es ");
	ck_assert_int_eq(list("?type=a&type=b").status, 422);
}
END_TEST

static const struct {
	const char *plan, *channel, *capacity;
} capacities[] = {
	{ "10", "name = name", "{\"limit\":10,\"used\":2,\"remaining\":8}" },
	{ "2", "name = name", "{\"limit\":2,\"used\":2,\"remaining\":0}" },
	{ "1", "name = name", "{\"limit\":1,\"used\":2,\"remaining\":0}" },
	{ "0", "name = name", "null" },
	{ "NULL", "lifecycle = 'failed'", "{\"limit\":10,\"used\":2,\"remaining\":8}" },
	{ "10", "lifecycle = 'deleting'",
	    "{\"limit\":10,\"used\":0,\"remaining\":10}" },
	{ "10", "target_languages = '[]'",
	    "{\"limit\":10,\"used\":0,\"remaining\":10}" },
};

START_TEST(the_capacity_is_what_the_plan_leaves)
{
	struct response a;

	sql(arena_printf(fixture.mem, "UPDATE accounts SET plan_event_languages = %s",
	    capacities[_i].plan));
	set_channel(channel, capacities[_i].channel);
	a = list("");
	is(a, "/data/language_capacity", capacities[_i].capacity);
}
END_TEST

START_TEST(a_language_of_two_channels_is_used_once)
{
	struct response a;

	put_channel(fixture.account, stage, "B", "[\"fr\",\"es\"]", MADE_US + 2);
	a = list("");
	is(a, "/data/language_capacity/used", "3");
}
END_TEST

/* ---- decisions ---- */

START_TEST(a_decision_is_recorded_and_nothing_else)
{
	static const char *const what[] = { "approve", "reject" };
	static const char *const status[] = { "approved", "rejected" };
	const char *jobs = sql("SELECT count(*) FROM jobs");
	const char *channels = sql("SELECT * FROM channels");

	for (int i = 0; i < 2; i++) {
		const char *id =
		    put_request(event, i ? "es" : "it", "pending", MADE_US);
		struct response a = decision(id, what[i],
		    "{\"data\":{\"reason\":\"Too few speak it.\",\"other\":1}}");

		answered(a, 200);
		ck_assert_str_eq(
		    a.body, arena_printf(fixture.mem,
				"{\"ok\":true,\"data\":{\"request_id\":\"%s\",\"type\":"
				"\"add_language\",\"status\":\"%s\",\"served\":true}}",
				id, status[i]));
		ck_assert_str_eq(
		    sql(arena_printf(fixture.mem,
			"SELECT status, reason, asked, decided_us > first_us"
			" FROM requests WHERE id = '%s'",
			id)),
		    arena_printf(fixture.mem, "%s|%s|4|1\n", status[i],
			i ? "Too few speak it." : "NULL"));
	}
	ck_assert_str_eq(languages(""), "");
	ck_assert_str_eq(sql("SELECT count(*) FROM jobs"), jobs);
	ck_assert_str_eq(sql("SELECT * FROM channels"), channels);
}
END_TEST

START_TEST(the_same_decision_again_changes_nothing)
{
	const char *id = put_request(event, "es", "pending", 1), *before;
	struct response a = decision(id, "reject", "{\"data\":{\"reason\":\"First\"}}");

	answered(a, 200);
	before = everything();
	a = decision(id, "reject", "{\"data\":{\"reason\":\"Second\"}}");
	answered(a, 200);
	is(a, "/data/status", "rejected");
	a = reject(id);
	answered(a, 200);
	ck_assert_str_eq(everything(), before);
	id = put_request(event, "it", "pending", 1);
	approve(id);
	before = everything();
	a = approve(id);
	answered(a, 200);
	is(a, "/data/status", "approved");
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(the_opposite_decision_is_a_conflict)
{
	const char *yes = put_request(event, "es", "approved", 1);
	const char *no = put_request(event, "it", "rejected", 1);
	const char *before = everything();
	struct response a = reject(yes);

	refused(a, 409, "request-already-decided");
	is(a, "/errors/0/detail", "The request is approved already.");
	a = approve(no);
	refused(a, 409, "request-already-decided");
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* %E is the event, %R the request. */
static const struct {
	const char *data;
	int status;
	const char *faults;
} bodies[] = {
	{ "{}", 200, NULL },
	{ "{\"reason\":null}", 200, NULL },
	{ "{\"reason\":\"\"}", 200, NULL },
	{ "{\"event_id\":\"%E\",\"request_id\":\"%R\"}", 200, NULL },
	{ "{\"reason\":1}", 422, "/data/reason: reason must be a string." },
	{ "{\"event_id\":\"" ID_NIL "\"}", 422,
	    "/data/event_id: event_id must be that of the path." },
	{ "{\"request_id\":\"x\"}", 422,
	    "/data/request_id: request_id must be that of the path." },
	{ "{\"event_id\":\"%R\",\"request_id\":\"%E\",\"reason\":[]}", 422,
	    "/data/reason: reason must be a string.\n"
	    "/data/event_id: event_id must be that of the path.\n"
	    "/data/request_id: request_id must be that of the path." },
	{ "{\"event_id\":7}", 422, "/data/event_id: event_id must be a string." },
	{ "[]", 422, "/data: data must be an object." },
	{ "null", 422, "/data: data must be an object." },
};

static const char *
body_of(const char *data, const char *id)
{
	struct buf b = { .mem = fixture.mem };

	for (buf_str(&b, "{\"data\":"); *data != '\0'; data++)
		if (*data == '%')
			buf_str(&b, *++data == 'E' ? event : id);
		else
			buf_put(&b, data, 1);
	buf_str(&b, "}");
	return buf_text(&b);
}

START_TEST(a_rejection_may_say_why_and_of_what)
{
	const char *id = put_request(event, "es", "pending", 1), *before = everything();
	struct response a = decision(id, "reject", body_of(bodies[_i].data, id));

	answered(a, bodies[_i].status);
	if (a.status == 200)
		return;
	ck_assert_str_eq(faults_of(&a), bodies[_i].faults);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_reason_has_500_characters_at_most)
{
	const char *id = put_request(event, "es", "pending", 1);
	struct buf b = { .mem = fixture.mem };
	struct response a;

	for (int i = 0; i < 500; i++)
		buf_str(&b, "\xc3\xbc");
	a = decision(id, "reject",
	    arena_printf(fixture.mem, "{\"data\":{\"reason\":\"%sx\"}}", buf_text(&b)));
	answered(a, 422);
	a = decision(id, "reject",
	    arena_printf(fixture.mem, "{\"data\":{\"reason\":\"%s\"}}", buf_text(&b)));
	answered(a, 200);
}
END_TEST

START_TEST(a_rejection_needs_a_body_and_an_approval_none)
{
	const char *id = put_request(event, "es", "pending", 1);

	ck_assert_int_eq(decision(id, "reject", NULL).status, 400);
	ck_assert_int_eq(decision(id, "reject", "{}").status, 400);
	ck_assert_int_eq(decision(id, "approve", "not JSON").status, 200);
}
END_TEST

/* ---- whose ---- */

START_TEST(what_is_not_the_accounts_is_not_there)
{
	const char *theirs = put_event(fixture_account(), "Theirs", MADE_US + 1);
	const char *other = put_event(fixture.account, "Other", MADE_US + 2);
	const char *foreign = put_request(theirs, "es", "pending", 1), *before;
	const char *elsewhere = put_request(other, "es", "pending", 1), *mine = event;
	const char *const unknown[] = { foreign, elsewhere, id_new(fixture.mem), "x" };
	const char *const events[] = { theirs, id_new(fixture.mem), "x", "public" };

	before = everything();
	for (int i = 0; i < COUNT(unknown); i++) {
		struct response a = approve(unknown[i]);

		refused(a, 404, "resource-not-found");
		a = reject(unknown[i]);
		refused(a, 404, "resource-not-found");
	}
	for (int i = 0; i < COUNT(events); i++) {
		event = events[i];
		ck_assert_int_eq(list("").status, 404);
		ck_assert_int_eq(approve(foreign).status, 404);
	}
	ck_assert_str_eq(everything(), before);
	event = mine;
}
END_TEST

START_TEST(a_credential_that_may_read_may_not_decide)
{
	const char *id = put_request(event, "es", "pending", 1);

	fixture.bearer = fixture_bearer(fixture.account, "events:read");
	ck_assert_int_eq(list("").status, 200);
	ck_assert_int_eq(approve(id).status, 403);
	ck_assert_int_eq(reject(id).status, 403);
	fixture.bearer = fixture_bearer(fixture.account, "channels:write");
	ck_assert_int_eq(list("").status, 403);
	fixture.bearer = NULL;
	ck_assert_int_eq(list("").status, 401);
	fixture.bearer = fixture_bearer(fixture.account, "events:write");
	ck_assert_int_eq(list("").status, 200);
	ck_assert_int_eq(approve(id).status, 200);
}
END_TEST

START_TEST(the_store_decides_nothing_of_another_account)
{
	const char *id = put_request(event, "es", "pending", 1);
	struct listener_request r = { .id = id };

	ck_assert_int_eq(request_decide(fixture.app.db, fixture_account(), event, &r,
			     "approved", NULL),
	    ERR_STALE);
	ck_assert_str_eq(
	    sql("SELECT status, decided_us FROM requests"), "pending|NULL\n");
	ck_assert_int_eq(request_decide(fixture.app.db, fixture.account, event, &r,
			     "approved", NULL),
	    OK);
	ck_assert_str_eq(sql("SELECT status FROM requests"), "approved\n");
}
END_TEST

/* ---- when the database fails ---- */

static struct response
call(int i, const char *id)
{
	return i == 0 ? list("") : i == 1 ? approve(id) : reject(id);
}

START_TEST(a_failing_database_leaves_nothing_half_done)
{
	static const enum err with[] = { ERR_BUSY, ERR_FAILED, ERR_FULL };
	static const int status[] = { 503, 500, 507 };
	static const char *const then[] = { "pending|1\n", "approved|0\n",
		"rejected|0\n" };
	const char *id = put_request(event, "es", "pending", 1), *before = everything();
	struct response a = { .status = 0 };
	int n;

	for (n = 1; n < 20; n++) {
		db_fault(fixture.app.db, n, with[_i / 3]);
		a = call(_i % 3, id);
		if (a.status == 200)
			break;
		ck_assert_int_eq(a.status, status[_i / 3]);
		ck_assert_str_eq(everything(), before);
	}
	ck_assert_int_gt(n, 3);
	answered(a, 200);
	ck_assert_str_eq(
	    sql("SELECT status, decided_us IS NULL FROM requests"), then[_i % 3]);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("requests");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, the_list_is_that_of_the_example);
	tcase_add_test(t, the_list_has_what_is_pending_from_the_first_on);
	tcase_add_loop_test(
	    t, the_capacity_is_what_the_plan_leaves, 0, COUNT(capacities));
	tcase_add_test(t, a_language_of_two_channels_is_used_once);
	tcase_add_test(t, a_decision_is_recorded_and_nothing_else);
	tcase_add_test(t, the_same_decision_again_changes_nothing);
	tcase_add_test(t, the_opposite_decision_is_a_conflict);
	tcase_add_loop_test(t, a_rejection_may_say_why_and_of_what, 0, COUNT(bodies));
	tcase_add_test(t, a_reason_has_500_characters_at_most);
	tcase_add_test(t, a_rejection_needs_a_body_and_an_approval_none);
	tcase_add_test(t, what_is_not_the_accounts_is_not_there);
	tcase_add_test(t, a_credential_that_may_read_may_not_decide);
	tcase_add_test(t, the_store_decides_nothing_of_another_account);
	tcase_add_loop_test(t, a_failing_database_leaves_nothing_half_done, 0, 9);
	suite_add_tcase(s, t);
	return unit_run(s);
}
