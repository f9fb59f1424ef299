/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streaming sessions: all request bodies that clients send, and the rows in the
 * database.
 */
#include <ctype.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "db/db.h"

#define NEW "/session-storage/session"
#define OLD "/session-storage/sessions"

static const struct sql rows = { "e2e.sessions",
	"SELECT count(*) FROM sessions WHERE account = $1", NULL };

static struct account me;

static void
before(void)
{
	me = account_new("sessions");
	account_plan(&me, "--parallel_sessions", "0");
}

static struct answer
make(const struct account *as, const char *route, const char *json)
{
	return ASK(.method = "POST", .path = route, .as = as, .json = json);
}

static const char *
made(const struct account *as)
{
	struct answer a = make(as, NEW, NULL);

	EXPECT(a, 201);
	return text_at(a.json, "data.id");
}

static struct answer
on(const char *method, const struct account *as, const char *id, const char *query)
{
	return ASK(.method = method, .path = text(OLD "/%s%s", id, query), .as = as);
}

/* ---- making ---- */

static const struct {
	const char *type, *body; /* NULL: none */
	size_t subscribers;
	const char *intent;
} bodies[] = {
	{ NULL, NULL, 0, "api" },
	{ "application/json", "", 0, "api" },
	{ "text/plain", "", 0, "api" },
	{ "application/json", "{}", 0, "api" },
	{ NULL, "{}", 0, "api" },
	{ "application/json", "{\"data\":{}}", 0, "api" },
	{ "application/json", "{\"data\":{\"subscriber_count\":10}}", 10, "api" },
	{ "application/json; charset=utf-8",
	    "{\"data\":{\"publisher_count\":1,\"subscriber_count\":1,"
	    "\"publisher_can_subscribe\":true,\"intent\":\"broadcaster\"}}",
	    1, "broadcaster" },
	{ "application/json",
	    "{\"data\":{\"intent\":\"desktop\",\"room\":\"x\",\"ttl\":{}},\"v\":2}", 0,
	    "desktop" },
};

static struct answer
send(int i, const char *route)
{
	const char *body = bodies[i].body != NULL ? bodies[i].body : "";

	return ASK(.method = "POST", .path = route, .as = &me, .type = bodies[i].type,
	    .body = { bodies[i].body, strlen(body) });
}

START_TEST(every_body_of_existing_clients_makes_a_session)
{
	struct answer a = send(_i, NEW);

	EXPECT(a, 201);
	ck_assert_str_eq(text_at(a.json, "data.intent"), bodies[_i].intent);
	ck_assert_uint_eq(count_at(a.json, "data.subscriber"), bodies[_i].subscribers);
	ck_assert_uint_ge(strlen(text_at(a.json, "data.publisher")), 100);
	ck_assert_str_eq(header_of(&a, "Location"),
	    text("%s" OLD "/%s", instance()->base_url, text_at(a.json, "data.id")));
	ck_assert_ptr_null(header_of(&a, "Deprecation"));
	a = send(_i, OLD);
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.intent"), bodies[_i].intent);
	ck_assert_uint_eq(count_at(a.json, "data.publisher"), 1);
	ck_assert_uint_eq(count_at(a.json, "data.subscriber"), bodies[_i].subscribers);
	ck_assert_ptr_null(header_of(&a, "Location"));
}
END_TEST

/* curl -X POST sends no Content-Length. lighttpd itself refuses that. */
START_TEST(a_request_that_ends_with_its_head_makes_a_session)
{
	const char *head = text("POST " NEW " HTTP/1.1\r\n%s\r\nAuthorization: Bearer "
				"%s\r\nConnection: close\r\n\r\n",
	    host_line(), me.api_key);
	struct answer a = raw((struct bytes){ head, strlen(head) });

	if (a.status == 411) {
		expect_problem(&a, 411, "length-required");
		ck_assert_ptr_nonnull(strstr(header_of(&a, "Server"), "lighttpd"));
		return;
	}
	EXPECT(a, 201);
	ck_assert_uint_eq(count_at(a.json, "data.subscriber"), 0);
}
END_TEST

static const char *const members[] = { "id", "publisher", "subscriber", "webrtc_url",
	"ws_url", "ws_tts_url", "ws_stt_url", "webrtc_room_name", "intent", "room_name",
	"stream_url", "control_url" };

static const struct {
	const char *route;
	int members;
} shapes[] = { { NEW, 9 }, { OLD, 12 } };

START_TEST(a_session_has_the_members_of_the_contract_in_its_order)
{
	struct answer a = make(&me, shapes[_i].route, "{}");
	json_t *data = at(a.json, "data"), *v;
	const char *name;
	int n = 0;

	json_object_foreach(data, name, v)
	{
		ck_assert_int_lt(n, shapes[_i].members);
		ck_assert_str_eq(name, members[n++]);
		if (strstr(name, "_url") == NULL)
			continue;
		ck_assert_ptr_nonnull(strstr(json_string_value(v), "://"));
		ck_assert_ptr_null(strchr(json_string_value(v), '?'));
	}
	ck_assert_int_eq(n, shapes[_i].members);
	name = text_at(data, "webrtc_room_name");
	ck_assert_uint_eq(strlen(name), 8);
	for (; *name != '\0'; name++)
		ck_assert(isalnum((unsigned char)*name));
	ck_assert_ptr_nonnull(strstr(text_at(data, "ws_url"),
	    text("/streaming-api/%.8s/v1/speech-to-speech/stream",
		text_at(data, "id"))));
	if (_i == 1) {
		ck_assert(json_equal(at(data, "room_name"), at(data, members[7])));
		ck_assert(json_equal(at(data, "stream_url"), at(data, members[3])));
		ck_assert(json_equal(at(data, "control_url"), at(data, members[4])));
	}
}
END_TEST

START_TEST(the_token_of_a_session_opens_no_rest_route)
{
	struct answer a = make(&me, NEW, NULL);
	struct account token = { .api_key = text_at(a.json, "data.publisher") };

	a = ASK(.path = OLD, .as = &token);
	expect_problem(&a, 401, "unauthorized");
}
END_TEST

/* ---- limits ---- */

/* Result of one of many simultaneous requests: 1 created, 2 the plan is full. */
static int
race(const struct account *as, int i, int start)
{
	struct answer a;
	char c;

	if (read(start, &c, 1) != 0)
		return 3;
	a = make(as, i % 2 == 0 ? NEW : OLD, i % 3 == 0 ? "{}" : NULL);
	if (a.status == (i % 2 == 0 ? 201 : 200))
		return 1;
	expect_problem(&a, 403, "session-limit-reached");
	return 2;
}

/* Starts this many clients at the same moment; counts their results. */
static void
race_all(const struct account *as, int n, int said[4])
{
	int start[2], status;

	memset(said, 0, 4 * sizeof(*said));
	ck_assert_int_eq(pipe(start), 0);
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			close(start[1]);
			_exit(race(as, i, start[0]));
		}
	close(start[1]);
	while (wait(&status) > 0)
		said[WIFEXITED(status) ? WEXITSTATUS(status) & 3 : 3]++;
	close(start[0]);
}

START_TEST(of_a_hundred_at_once_the_plan_lets_ten_in)
{
	struct account busy = account_new("hundred sessions");
	struct answer a;
	int said[4];

	account_plan(&busy, "--parallel_sessions", "10");
	race_all(&busy, 100, said);
	ck_assert_int_eq(said[1], 10);
	ck_assert_int_eq(said[2], 90);
	ck_assert_int_eq(count_in_db(&rows, busy.user_id), 10);
	a = ASK(.path = OLD "?page_size=100", .as = &busy);
	ck_assert_uint_eq(count_at(a.json, "data"), 10);
	a = on("DELETE", &busy, text_at(a.json, "data.4.id"), "");
	EXPECT(a, 204);
	race_all(&busy, 20, said);
	ck_assert_int_eq(said[1], 1);
	ck_assert_int_eq(said[2], 19);
	ck_assert_int_eq(count_in_db(&rows, busy.user_id), 10);
}
END_TEST

START_TEST(without_credits_there_is_no_session)
{
	struct account poor = account_new("poor");
	struct answer a = make(&poor, NEW, NULL);

	EXPECT(a, 201);
	account_plan(&poor, "--parallel_sessions", "1");
	DRAGOMAN("account", "credit", poor.user_id, "--credits", "-1000");
	a = make(&poor, NEW, NULL);
	expect_problem(&a, 403, "insufficient-balance");
	ck_assert_str_eq(text_at(a.json, "errors.0.detail"), "Insufficient balance");
	DRAGOMAN("account", "credit", poor.user_id, "--credits", "1");
	a = make(&poor, NEW, NULL);
	expect_problem(&a, 403, "session-limit-reached");
}
END_TEST

START_TEST(of_equal_keys_at_once_one_session_comes)
{
	struct account once = account_new("once");
	struct ask q = { .method = "POST",
		.path = NEW,
		.as = &once,
		.headers = { "Idempotency-Key: once" } };
	struct answer a;
	int status;

	for (int i = 0; i < 8; i++)
		if (fork() == 0)
			_exit(ask(&q).status / 100);
	while (wait(&status) > 0)
		ck_assert(WEXITSTATUS(status) == 2 || WEXITSTATUS(status) == 4);
	a = ask(&q);
	EXPECT(a, 201);
	ck_assert_str_eq(header_of(&a, "Idempotency-Replayed"), "true");
	ck_assert_int_eq(count_in_db(&rows, once.user_id), 1);
	a = on("GET", &once, text_at(a.json, "data.id"), "");
	EXPECT(a, 200);
}
END_TEST

/* ---- the old route ---- */

static const struct {
	int status;
	const char *scopes; /* NULL: no credential */
	const char *type, *body;
} old_answers[] = {
	{ 200, "sessions:write", NULL, "" },
	{ 400, "sessions:write", "application/json", "[]" },
	{ 401, NULL, NULL, "" },
	{ 403, "sessions:read", NULL, "" },
	{ 415, "sessions:write", "text/plain", "{}" },
	{ 422, "sessions:write", "application/json", "{\"data\":{\"intent\":\"\"}}" },
};

START_TEST(the_old_route_says_that_it_is_old)
{
	const char *scopes = old_answers[_i].scopes, *body = old_answers[_i].body;
	struct account as = { 0 };
	struct answer a;

	if (scopes != NULL)
		as = account_limited(&me, scopes);
	a = ASK(.method = "POST", .path = OLD, .as = scopes != NULL ? &as : NULL,
	    .type = old_answers[_i].type, .body = { body, strlen(body) });
	EXPECT(a, old_answers[_i].status);
	ck_assert_pstr_eq(header_of(&a, "Deprecation"), "@1767225600");
	ck_assert_pstr_eq(header_of(&a, "Sunset"), "Fri, 31 Dec 2027 23:59:59 GMT");
	ck_assert_pstr_eq(header_of(&a, "Link"),
	    text("<%s" NEW ">; rel=\"successor-version\"", instance()->base_url));
	a = ASK(.path = OLD, .as = scopes != NULL ? &as : NULL);
	ck_assert_ptr_null(header_of(&a, "Deprecation"));
	ck_assert_ptr_null(header_of(&a, "Sunset"));
}
END_TEST

/* ---- life ---- */

START_TEST(a_walk_sees_every_session_once_and_the_newest_first)
{
	struct account lister = account_new("lister");
	const char *id[5], *query = "?page_size=2";
	struct answer a;
	int seen = 0;

	for (int i = 0; i < 5; i++)
		id[i] = made(&lister);
	for (int pages = 1;; pages++) {
		json_t *s;
		size_t i;

		a = ASK(.path = text(OLD "%s", query), .as = &lister);
		EXPECT(a, 200);
		json_array_foreach(at(a.json, "data"), i, s)
		{
			ck_assert_int_lt(seen, 5);
			ck_assert_str_eq(text_at(s, "id"), id[4 - seen++]);
			ck_assert_uint_eq(json_object_size(s), 4);
		}
		if (json_is_null(at(a.json, "next_page_token"))) {
			ck_assert_int_eq(pages, 3);
			break;
		}
		query = text("?page_token=%s", text_at(a.json, "next_page_token"));
		ck_assert_str_eq(header_of(&a, "Link"),
		    text("<%s" OLD "%s>; rel=\"next\"", instance()->base_url, query));
	}
	ck_assert_int_eq(seen, 5);
}
END_TEST

START_TEST(a_session_is_read_extended_and_deleted)
{
	const char *id = made(&me), *expires;
	struct answer a = on("GET", &me, id, "");

	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.id"), id);
	expires = text_at(a.json, "data.expires_at");
	ck_assert_int_gt(strcmp(expires, text_at(a.json, "data.created_at")), 0);
	a = on("POST", &me, id, "?ttl_seconds=2592000");
	EXPECT(a, 204);
	ck_assert_uint_eq(a.n, 0);
	a = on("GET", &me, id, "");
	ck_assert_int_gt(strcmp(text_at(a.json, "data.expires_at"), expires), 0);
	a = ASK(.path = text(OLD "/%s?ttl_seconds=60", id), .as = &me,
	    .json = "{\"data\":{\"ttl_seconds\":61}}");
	expect_problem(&a, 422, "validation-error");
	ck_assert_str_eq(text_at(a.json, "errors.0.pointer"), "/data/ttl_seconds");
	a = on("POST", &me, id, "");
	expect_problem(&a, 422, "validation-error");
	ck_assert_str_eq(text_at(a.json, "errors.0.parameter"), "ttl_seconds");
	a = on("DELETE", &me, id, "");
	EXPECT(a, 204);
	a = on("GET", &me, id, "");
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

static bool
has_no_row(const void *as)
{
	return count_in_db(&rows, ((const struct account *)as)->user_id) == 0;
}

START_TEST(an_expired_session_is_gone_at_once_and_its_row_soon)
{
	struct account brief = account_new("brief");
	const char *id = made(&brief);
	struct answer a;

	account_plan(&brief, "--parallel_sessions", "1");
	a = on("POST", &brief, id, "?ttl_seconds=1");
	EXPECT(a, 204);
	nap(1.1);
	a = on("GET", &brief, id, "");
	expect_problem(&a, 404, "resource-not-found");
	a = on("POST", &brief, id, "?ttl_seconds=60");
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = OLD, .as = &brief);
	ck_assert_uint_eq(count_at(a.json, "data"), 0);
	id = made(&brief); /* the session no longer counts */
	a = on("DELETE", &brief, id, "");
	EXPECT(a, 204);
	ck_assert(becomes(has_no_row, &brief, 60));
}
END_TEST

static const char *const what[][2] = { { "GET", "" }, { "DELETE", "" },
	{ "POST", "?ttl_seconds=60" } };

START_TEST(a_neighbours_session_is_not_there)
{
	static struct account other;
	const char *id = made(&me);
	struct answer a;

	other = account_new("neighbour");
	for (int i = 0; i < ROWS(what); i++) {
		a = on(what[i][0], &other, id, what[i][1]);
		expect_problem(&a, 404, "resource-not-found");
	}
	a = on("GET", &me, id, "");
	EXPECT(a, 200);
}
END_TEST

START_TEST(open_sessions_are_a_metric)
{
	struct answer a;
	const char *s;
	int n = 0;

	made(&me);
	a = ASK(.path = "/metrics");
	s = strstr(a.body, "\ndragoman_sessions_open ");
	ck_assert_ptr_nonnull(s);
	ck_assert_int_eq(sscanf(s, "\ndragoman_sessions_open %d", &n), 1);
	ck_assert_int_ge(n, 1);
}
END_TEST

Suite *
sessions_suite(void)
{
	TCase *t;
	Suite *s = suite_of("sessions", before, &t);

	tcase_add_loop_test(
	    t, every_body_of_existing_clients_makes_a_session, 0, ROWS(bodies));
	tcase_add_test(t, a_request_that_ends_with_its_head_makes_a_session);
	tcase_add_loop_test(
	    t, a_session_has_the_members_of_the_contract_in_its_order, 0, 2);
	tcase_add_test(t, the_token_of_a_session_opens_no_rest_route);
	tcase_add_test(t, of_a_hundred_at_once_the_plan_lets_ten_in);
	tcase_add_test(t, without_credits_there_is_no_session);
	tcase_add_test(t, of_equal_keys_at_once_one_session_comes);
	tcase_add_loop_test(t, the_old_route_says_that_it_is_old, 0, ROWS(old_answers));
	tcase_add_test(t, a_walk_sees_every_session_once_and_the_newest_first);
	tcase_add_test(t, a_session_is_read_extended_and_deleted);
	tcase_add_test(t, an_expired_session_is_gone_at_once_and_its_row_soon);
	tcase_add_test(t, a_neighbours_session_is_not_there);
	tcase_add_test(t, open_sessions_are_a_metric);
	return s;
}
