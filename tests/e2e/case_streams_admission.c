/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Admission to streams: clients, parameters, refusals, and the cost. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/conf.h"
#include "cases.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("stream admission");
	account_plan(&me, "--parallel_sessions", "0");
}

/* ---- coming in ---- */

static const char *const bodies[] = { NULL, "{}", "{\"data\":{}}",
	"{\"data\":{\"publisher_count\":1,\"subscriber_count\":2,\"publisher_can_"
	"subscribe"
	"\":true,\"intent\":\"broadcaster\"}}" };

START_TEST(every_session_is_entered_by_its_ws_url_and_token)
{
	struct session s = session_new(&me, bodies[_i]);
	struct ws *ws = stream_open(&s, s.publisher);

	ck_assert_ptr_null(strchr(s.ws_url, '?'));
	start_task(ws, TASK);
	ck_assert(session_listed(&me, s.id));
	/* a token in a header is accepted, too */
	ws_drop(ws);
	ws = stream_call(
	    s.ws_url, (const char *const[]){
			  text("Authorization: Bearer %s", s.publisher), NULL });
	start_task(ws, TASK);
}
END_TEST

START_TEST(extensions_are_declined_and_any_origin_is_welcome)
{
	struct session s = session_new(&me, NULL);
	const char *answer;
	struct ws *ws = ws_open(memory(), text("%s?token=%s", s.ws_url, s.publisher),
	    (const char *const[]){
		"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
		"Origin: https://elsewhere.example.org", NULL },
	    5, &answer);

	ck_assert_msg(ws != NULL, "%s", answer);
	start_task(ws, TASK);
	ck_assert(ws_send(ws, WS_PING, "are you there", 13));
	ck_assert_str_eq(ws_next(ws, memory(), 1).p, "are you there");
}
END_TEST

#define NAME32 "0123456789abcdef0123456789abcdef"

static bool
has_no_session(const void *as)
{
	return sessions_listed(as) == 0;
}

START_TEST(a_key_opens_a_session_that_lasts_as_long_as_the_connection)
{
	struct account as = account_new("key of a stream");
	const char *const none[] = { NULL };
	const char *const bearer[] = { text("Authorization: Bearer %s", as.api_key),
		NULL };
	const char *const pair[] = { text("ClientID: %s", as.client_id),
		text("ClientSecret: %s", as.client_secret), NULL };
	const char *const *headers[] = { none, bearer, pair };
	const char *url = stream_url(
	    _i == 1 ? NULL : NAME32, _i == 0 ? text("?token=%s", as.api_key) : "");
	struct ws *ws = stream_call(url, headers[_i]);

	start_task(ws, TASK);
	ck_assert_uint_eq(sessions_listed(&as), 1);
	ws_drop(ws);
	ck_assert(becomes(has_no_session, &as, 1));
}
END_TEST

START_TEST(the_scope_alone_is_enough_of_a_key_or_a_token)
{
	struct account as = account_limited(&me, "s2s");
	const char *jwt = DRAGOMAN("token", me.user_id, "--scopes", "s2s");
	struct ws *ws =
	    stream_call(stream_url(NAME32, text("?token=%s", as.api_key)), NULL);

	start_task(ws, TASK);
	start_task(stream_call(stream_url("x", text("?token=%s", jwt)), NULL), TASK);
}
END_TEST

START_TEST(a_publisher_may_only_speak)
{
	struct session s = session_new(&me,
	    "{\"data\":{\"publisher_can_subscribe\":false,\"subscriber_count\":1}}");
	struct ws *ws = stream_open(&s, s.publisher);
	struct ws *listener = stream_open(&s, text_at(s.json, "subscriber.0"));

	start_task(ws, TASK);
	speak(ws, 0.6, 1.0);
	hear(listener, "translated_transcription", 5);
	hear_nothing(ws, 0.5);
}
END_TEST

/* ---- refused ---- */

START_TEST(without_a_good_credential_no_socket_opens)
{
	struct session s = session_new(&me, NULL);
	const char *spoilt =
	    text("%.*sAAAA", (int)strlen(s.publisher) - 4, s.publisher);
	const char *const tokens[] = { "", "?token=", "?token=dgm_no",
		text("?token=%s", spoilt), "?token=a.b.c" };
	struct answer a;

	for (int i = 0; i < ROWS(tokens); i++) {
		a = stream_refused(stream_url("x", tokens[i]), NULL, NULL);
		expect_problem(&a, 401, "unauthorized");
		ck_assert_ptr_nonnull(header_of(&a, "WWW-Authenticate"));
	}
	a = ASK(.method = "DELETE", .as = &me,
	    .path = text("/session-storage/sessions/%s", s.id));
	EXPECT(a, 204);
	a = stream_refused(text("%s?token=%s", s.ws_url, s.publisher), NULL, NULL);
	expect_problem(&a, 401, "unauthorized");
}
END_TEST

static void
expect_refusal(struct answer a, int status, const char *slug)
{
	expect_problem(&a, status, slug);
}

START_TEST(each_of_the_other_refusals_has_its_status)
{
	struct account narrow = account_limited(&me, "balance:read");
	struct account poor = account_new("poor stream");
	const char *key = text("?token=%s", me.api_key);
	struct session s = session_new(&poor, NULL);

	expect_refusal(
	    stream_refused(
		stream_url("x", text("?token=%s", narrow.api_key)), NULL, NULL),
	    403, "insufficient-scope");
	DRAGOMAN("account", "credit", poor.user_id, "--credits", "-1000");
	expect_refusal(
	    stream_refused(text("%s?token=%s", s.ws_url, s.publisher), NULL, NULL), 403,
	    "insufficient-balance");
	expect_refusal(stream_refused(stream_url("x", text("?token=%s", poor.api_key)),
			   NULL, NULL),
	    403, "insufficient-balance");
	expect_refusal(
	    stream_refused(stream_url("x", text("%s&audio=loud", key)), NULL, NULL),
	    422, "validation-error");
	expect_refusal(
	    stream_refused(stream_url("x", text("%s&format=mp3", key)), NULL, NULL),
	    422, "validation-error");
	expect_refusal(stream_refused(stream_url("a%20b", key), NULL, NULL), 404,
	    "resource-not-found");
	expect_refusal(ASK(.as = &me, .path = text("http%s", stream_url("x", "") + 2)),
	    426, "upgrade-required");
}
END_TEST

/*
 * Connects to the gateway itself, because web servers handle idle connections in their
 * own way.
 */
START_TEST(a_refusal_ends_the_connection)
{
	struct answer a = stream_refused(
	    text("ws://%s/streaming-api/x/v1/speech-to-speech/stream?token=%s",
		settings()->stream_listen, "no"),
	    NULL, NULL);

	expect_problem(&a, 401, "unauthorized");
	ck_assert_str_eq(header_of(&a, "Connection"), "close");
}
END_TEST

START_TEST(parallel_sessions_are_capped_and_runs_after_each_other_are_not)
{
	struct account as = account_new("one at a time");
	const char *url = stream_url("x", text("?token=%s", as.api_key));
	struct ws *ws;

	account_plan(&as, "--parallel_sessions", "1");
	for (int i = 0; i < 5; i++) {
		ws = stream_call(url, NULL);
		expect_refusal(
		    stream_refused(url, NULL, NULL), 403, "session-limit-reached");
		say(ws, "end_task", "{\"force\":true}");
		hear_close(ws, 1000, 1, NULL);
		ws_drop(ws);
		ck_assert(becomes(has_no_session, &as, 1));
	}
}
END_TEST

/* ---- staying ---- */

static bool
log_says(const void *line)
{
	struct bytes log = run((const char *const[]){
	    "/bin/cat", text("%s/var/log/gateway.log", instance()->dir), NULL });

	return strstr(log.p, line) != NULL;
}

START_TEST(the_newer_writer_wins_and_the_token_goes_on)
{
	struct answer a;
	struct session s = session_new(&me, NULL);
	struct ws *older = stream_open(&s, s.publisher), *newer;

	start_task(older, TASK);
	newer = stream_open(&s, s.publisher);
	ck_assert_str_eq(hear_close(older, 1008, 2, NULL), "replaced");
	ck_assert(becomes(log_says,
	    text("socket closed: s2s 1008 replaced, session %s, from ", s.id), 2));
	a = ASK(.path = "/metrics");
	ck_assert_ptr_nonnull(
	    strstr(a.body, "dragoman_sockets_closed_total{kind=\"s2s\",code=\"1008\","
			   "reason=\"replaced\"} "));
	say(newer, "get_task", "{}");
	hear_error(newer, "NOT_FOUND", 2); /* streams cannot be resumed */
	start_task(newer, TASK);
	ws_drop(newer);
	newer = stream_open(&s, s.publisher);
	start_task(newer, TASK);
	speak(newer, 0.6, 1.0);
	hear(newer, "translated_transcription", 5);
}
END_TEST

START_TEST(twenty_connections_a_minute_are_enough)
{
	struct session s = session_new(&me, NULL);
	struct ws *ws = NULL;

	for (int i = 0; i < 20; i++) {
		ws = stream_open(&s, s.publisher);
		say(ws, "get_task", "{}");
		hear_error(ws, "NOT_FOUND", 2);
	}
	ws = stream_open(&s, s.publisher);
	ck_assert_str_eq(hear_close(ws, 1008, 2, NULL), "connection rate limit");
}
END_TEST

START_TEST(a_deleted_session_is_closed)
{
	struct session s = session_new(&me, NULL);
	struct ws *ws = stream_open(&s, s.publisher);
	struct answer a;

	start_task(ws, TASK);
	a = ASK(.method = "DELETE", .as = &me,
	    .path = text("/session-storage/sessions/%s", s.id));
	EXPECT(a, 204);
	hear_error(ws, "SESSION_CLOSED", 5);
	ck_assert_str_eq(hear_close(ws, 1008, 1, NULL), "SESSION_CLOSED");
}
END_TEST

/* ---- what it costs ---- */

/*
 * The possible range of a price, because an interval is known only between two moments.
 */
struct bill {
	const struct account *as;
	double before, least, most; /* credits; seconds */
};

static double
paid_of(const struct bill *b)
{
	return seconds_for(b->before - balance_of(b->as));
}

/*
 * Adds the price of an interval between least and most seconds; each started second
 * costs.
 */
static void
bill_interval(struct bill *b, double least_s, double most_s)
{
	b->least += ceil(least_s);
	b->most += ceil(most_s);
}

static bool
is_billed(const void *bill)
{
	return paid_of(bill) >= ((const struct bill *)bill)->least;
}

/* Expects that exactly this was charged. */
static void
expect_paid(const struct bill *b)
{
	double paid;

	becomes(is_billed, b, 2);
	nap(0.3);
	paid = paid_of(b);
	ck_assert_msg(paid >= b->least && paid <= b->most, "%g s paid, wanted %g to %g",
	    paid, b->least, b->most);
}

/* Pauses the task; returns when that was sent and when it was confirmed. */
static void
pause_task(struct ws *ws, double *sent, double *done)
{
	*sent = seconds();
	say(ws, "pause_task", "{}");
	say(ws, "get_task", "{}");
	hear(ws, "current_task", 2);
	*done = seconds();
}

START_TEST(each_interval_that_runs_costs_its_started_seconds)
{
	struct account as = account_new("metered");
	struct session s = session_new(&as, NULL);
	struct ws *ws = stream_open(&s, s.publisher);
	struct bill b = { .as = &as, .before = balance_of(&as) };
	double begun = seconds(), runs, sent, done;

	start_task(ws, TASK);
	runs = seconds();
	nap(1.2);
	pause_task(ws, &sent, &done);
	bill_interval(&b, sent - runs, done - begun);
	expect_paid(&b);
	nap(1); /* a paused task costs nothing */
	begun = seconds();
	start_task(ws, TASK);
	nap(0.4);
	say(ws, "end_task", "{\"eos_timeout\":2}"); /* it costs until it is closed */
	hear_close(ws, 1000, 5, NULL);
	bill_interval(&b, 2.4, seconds() - begun);
	expect_paid(&b);
}
END_TEST

START_TEST(a_hang_up_ends_billing_and_keeps_the_session)
{
	struct account as = account_new("hangs up");
	struct session s = session_new(&as, NULL);
	struct ws *ws = stream_open(&s, s.publisher);
	struct bill b = { .as = &as, .before = balance_of(&as) };
	double begun = seconds();

	start_task(ws, TASK);
	nap(0.3);
	ws_drop(ws);
	becomes(is_billed, &(struct bill){ &as, b.before, 1, 1 }, 2);
	bill_interval(&b, 0.3, seconds() - begun);
	expect_paid(&b);
	nap(1.2);
	expect_paid(&b);
	ck_assert(session_listed(&as, s.id));
	ws = stream_open(&s, s.publisher);
	start_task(ws, TASK);
}
END_TEST

START_TEST(captions_alone_cost_a_third)
{
	struct account as = account_new("captions");
	struct session s = session_new(&as, NULL);
	struct ws *ws = stream_open(&s, s.publisher);
	double before = balance_of(&as), begun = seconds(), runs, sent, done;

	start_task(ws, "{" SOURCE(16000) ",\"output_stream\":null," PIPELINE("") "}");
	runs = seconds();
	nap(2.3);
	pause_task(ws, &sent, &done);
	nap(0.5);
	/* started seconds at 10 credits per hour: three, or more on a busy machine */
	ck_assert_double_ge(
	    before - balance_of(&as), ceil(sent - runs) * 10 / 3600.0 - 0.0001);
	ck_assert_double_le(
	    before - balance_of(&as), ceil(done - begun) * 10 / 3600.0 + 0.0001);
}
END_TEST

START_TEST(a_used_up_balance_ends_the_stream_within_ten_seconds)
{
	struct account as = account_new("runs dry");
	struct session s = session_new(&as, NULL);
	struct ws *ws = stream_open(&s, s.publisher);
	double began;

	start_task(ws, TASK);
	DRAGOMAN("account", "credit", as.user_id, "--credits", "-999.99");
	began = seconds();
	speak(ws, 0, 2.5);
	for (;;) {
		const json_t *j = hear_any(ws, 1);

		if (j == NULL) {
			speak(ws, 0, 1);
			continue;
		}
		if (strcmp(text_at(j, "message_type"), "error") == 0) {
			ck_assert_str_eq(
			    text_at(j, "data.code"), "INSUFFICIENT_BALANCE");
			break;
		}
		ck_assert(seconds() < began + 30);
	}
	ck_assert_str_eq(hear_close(ws, 1008, 1, NULL), "INSUFFICIENT_BALANCE");
	ck_assert_msg(seconds() - began < 30, "after %g s", seconds() - began);
}
END_TEST

START_TEST(a_connected_session_does_not_expire)
{
	struct session s = session_new(&me, NULL);
	struct ws *ws = stream_open(&s, s.publisher);
	struct answer a;

	start_task(ws, TASK);
	a = ASK(.method = "POST", .as = &me,
	    .path = text("/session-storage/sessions/%s?ttl_seconds=1", s.id));
	EXPECT(a, 204);
	nap(5.5);
	say(ws, "get_task", "{}");
	hear(ws, "current_task", 2);
	ck_assert(session_listed(&me, s.id));
}
END_TEST

static double
lives_for(const struct account *as, const char *id)
{
	struct answer a =
	    ASK(.as = as, .path = text("/session-storage/sessions/%s", id));
	struct tm t = { 0 };

	EXPECT(a, 200);
	ck_assert_ptr_nonnull(
	    strptime(text_at(a.json, "data.expires_at"), "%Y-%m-%dT%H:%M:%S", &t));
	return difftime(timegm(&t), time(NULL));
}

START_TEST(after_an_end_a_session_lives_for_one_more_minute)
{
	struct session s = session_new(&me, NULL);
	struct ws *ws = stream_open(&s, s.publisher);
	double life = lives_for(&me, s.id);

	start_task(ws, TASK);
	ws_drop(ws);
	nap(0.3);
	ck_assert(fabs(lives_for(&me, s.id) - life) < 5);
	ws = stream_open(&s, s.publisher);
	say(ws, "end_task", "{}");
	hear_close(ws, 1000, 2, NULL);
	nap(0.3);
	ck_assert_msg(lives_for(&me, s.id) <= 61, "%g s", lives_for(&me, s.id));
}
END_TEST

START_TEST(a_revoked_key_is_let_go)
{
	struct account as = account_limited(&me, "s2s");
	struct ws *ws = stream_call(stream_url("x", ""),
	    (const char *const[]){ text("ClientID: %s", as.client_id),
		text("ClientSecret: %s", as.client_secret), NULL });

	start_task(ws, TASK);
	DRAGOMAN("key", "revoke", as.client_id);
	hear_error(ws, "SESSION_CLOSED", 5);
	hear_close(ws, 1008, 1, NULL);
}
END_TEST

Suite *
stream_admission_suite(void)
{
	TCase *t;
	Suite *s = suite_of("stream-admission", before, &t);

	tcase_add_loop_test(
	    t, every_session_is_entered_by_its_ws_url_and_token, 0, ROWS(bodies));
	tcase_add_test(t, extensions_are_declined_and_any_origin_is_welcome);
	tcase_add_loop_test(
	    t, a_key_opens_a_session_that_lasts_as_long_as_the_connection, 0, 3);
	tcase_add_test(t, the_scope_alone_is_enough_of_a_key_or_a_token);
	tcase_add_test(t, a_publisher_may_only_speak);
	tcase_add_test(t, without_a_good_credential_no_socket_opens);
	tcase_add_test(t, each_of_the_other_refusals_has_its_status);
	tcase_add_test(t, a_refusal_ends_the_connection);
	tcase_add_test(
	    t, parallel_sessions_are_capped_and_runs_after_each_other_are_not);
	tcase_add_test(t, the_newer_writer_wins_and_the_token_goes_on);
	tcase_add_test(t, twenty_connections_a_minute_are_enough);
	tcase_add_test(t, a_deleted_session_is_closed);
	tcase_add_test(t, each_interval_that_runs_costs_its_started_seconds);
	tcase_add_test(t, a_hang_up_ends_billing_and_keeps_the_session);
	tcase_add_test(t, captions_alone_cost_a_third);
	tcase_add_test(t, a_used_up_balance_ends_the_stream_within_ten_seconds);
	tcase_add_test(t, a_connected_session_does_not_expire);
	tcase_add_test(t, after_an_end_a_session_lives_for_one_more_minute);
	tcase_add_test(t, a_revoked_key_is_let_go);
	return s;
}
