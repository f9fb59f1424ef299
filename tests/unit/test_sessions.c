/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creating sessions: input, answers, and tokens. */
#define UNIT_TEST
#include "tests/unit/session_fixture.h"

static const char *const routes[] = { NEW, OLD };
static const int made[] = { 201, 200 };

#define URLS                                                                           \
	"\"webrtc_url\":\"https://speech.example.org/streaming-api/webrtc\","          \
	"\"ws_url\":\"wss://speech.example.org/streaming-api/%.8s/v1/"                 \
	"speech-to-speech/stream\",\"ws_tts_url\":\"wss://speech.example.org/"         \
	"tts-api/v1/text-to-speech/stream\",\"ws_stt_url\":"                           \
	"\"wss://speech.example.org/asr/v1/speech-to-text/stream\""

START_TEST(a_new_session_answers_as_the_example)
{
	struct response a = ask(NEW, NULL);
	const char *id = said(&a, "/data/id"),
		   *room = said(&a, "/data/webrtc_room_name");

	answered(a, 201);
	ck_assert_str_eq(
	    a.body, arena_printf(fixture.mem,
			"{\"ok\":true,\"data\":{\"id\":\"%s\",\"publisher\":\"%s\","
			"\"subscriber\":[]," URLS
			",\"webrtc_room_name\":\"%s\",\"intent\":\"api\"}}",
			id, said(&a, "/data/publisher"), id, room));
	ck_assert_pstr_eq(head_of(&a, "Location"),
	    arena_printf(
		fixture.mem, "%s/session-storage/sessions/%s", fixture.base, id));
	ck_assert_ptr_null(head_of(&a, "Deprecation"));
	ck_assert_ptr_null(head_of(&a, "ETag"));
	ck_assert_str_eq(sql("SELECT id, account, intent, room FROM sessions"),
	    arena_printf(fixture.mem, "%s|%s|api|%s\n", id, fixture.account, room));
	a = on("GET", id, "", NULL);
	answered(a, 200);
}
END_TEST

START_TEST(the_old_route_answers_old_and_new_members)
{
	struct response a = ask(OLD, DATA("\"subscriber_count\":1"));
	const char *id = said(&a, "/data/id"),
		   *room = said(&a, "/data/webrtc_room_name");

	answered(a, 200);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"id\":\"%s\",\"publisher\":[\"%s\"],"
		"\"subscriber\":[\"%s\"]," URLS
		",\"webrtc_room_name\":\"%s\",\"intent\":\"api\",\"room_name\":\"%s\","
		"\"stream_url\":\"%s\",\"control_url\":\"%s\"}}",
		id, said(&a, "/data/publisher/0"), said(&a, "/data/subscriber/0"), id,
		room, room, said(&a, "/data/webrtc_url"), said(&a, "/data/ws_url")));
	ck_assert_ptr_null(head_of(&a, "Location"));
	ck_assert_int_eq(sessions(), 1);
}
END_TEST

START_TEST(times_of_a_new_session_are_the_settings)
{
	struct response a;

	fixture.app.conf.session_ttl_s = 1800;
	fixture.app.conf.session_token_days = 7;
	a = ask(routes[_i], NULL);
	answered(a, made[_i]);
	ck_assert_str_eq(
	    sql("SELECT updated_us - created_us, expires_us - created_us,"
		" counted_us - created_us, ttl_us, tokens_us / 1000000 -"
		" created_us / 1000000, tokens_us % 1000000 FROM sessions"),
	    "0|1800000000|600000000|1800000000|604800|0\n");
}
END_TEST

START_TEST(a_new_session_does_not_outlive_its_tokens)
{
	struct response a;

	fixture.app.conf.session_ttl_s = 2592000;
	fixture.app.conf.session_token_days = 1;
	a = ask(NEW, NULL);
	answered(a, 201);
	ck_assert_str_eq(sql("SELECT expires_us - tokens_us FROM sessions"), "0\n");
	ck_assert_str_eq(claim(said(&a, "/data/publisher"), "/exp"),
	    arena_printf(fixture.mem, "%d",
		number("SELECT expires_us / 1000000 FROM sessions")));
}
END_TEST

/* ---- what may be said ---- */

#define THIRTY_TWO "0123456789_abcdef-ghijklmnopqrst"

static const struct {
	const char *body, *type; /* NULL: none */
	int subscribers;
	const char *intent;
} taken[] = {
	{ NULL, NULL, 0, "api" },
	{ NULL, "application/json", 0, "api" },
	{ "", "application/json", 0, "api" },
	{ "", "text/plain", 0, "api" },
	{ "{}", "application/json", 0, "api" },
	{ "{}", NULL, 0, "api" },
	{ " {\"data\" : { } }\n", "application/json; charset=utf-8", 0, "api" },
	{ "{\"subscriber_count\":3,\"meta\":[]}", NULL, 0, "api" },
	{ DATA("\"subscriber_count\":0"), NULL, 0, "api" },
	{ DATA("\"subscriber_count\":1"), NULL, 1, "api" },
	{ DATA("\"subscriber_count\":2.0"), NULL, 2, "api" },
	{ DATA("\"subscriber_count\":10"), NULL, 10, "api" },
	{ DATA("\"subscriber_count\":null"), NULL, 0, "api" },
	{ DATA("\"intent\":\"a\""), NULL, 0, "a" },
	{ DATA("\"intent\":\"desktop\""), NULL, 0, "desktop" },
	{ DATA("\"intent\":\"" THIRTY_TWO "\""), NULL, 0, THIRTY_TWO },
	{ DATA("\"intent\":null"), NULL, 0, "api" },
	{ DATA("\"publisher_can_subscribe\":true"), NULL, 0, "api" },
	{ DATA("\"publisher_can_subscribe\":null"), NULL, 0, "api" },
	{ DATA("\"publisher_count\":1"), NULL, 0, "api" },
	{ DATA("\"publisher_count\":null"), NULL, 0, "api" },
	{ DATA("\"id\":7,\"room\":{},\"ttl_seconds\":\"x\",\"Intent\":1"), NULL, 0,
	    "api" },
	{ DATA("\"intent\":\"broadcaster\",\"publisher_can_subscribe\":false,"
	       "\"publisher_count\":1,\"subscriber_count\":4"),
	    NULL, 4, "broadcaster" },
};

START_TEST(what_existing_clients_send_is_taken)
{
	int i = _i / 2;
	const char *type = taken[i].type, *pointer;
	struct response a = ask_with(routes[_i % 2], taken[i].body,
	    type != NULL ? HEADS(arena_printf(fixture.mem, "Content-Type: %s", type))
			 : NULL);

	answered(a, made[_i % 2]);
	is(a, "/data/intent", taken[i].intent);
	ck_assert_str_eq(sql("SELECT intent FROM sessions"),
	    arena_printf(fixture.mem, "%s\n", taken[i].intent));
	pointer =
	    arena_printf(fixture.mem, "/data/subscriber/%d", taken[i].subscribers);
	is(a, pointer, "(none)");
	for (int k = 0; k < taken[i].subscribers; k++)
		ck_assert_str_eq(
		    claim(said(&a, arena_printf(fixture.mem, "/data/subscriber/%d", k)),
			"/role"),
		    "subscriber");
}
END_TEST

#define COUNT_IS "must be an integer from 0 to 10."
#define INTENT_IS "/data/intent: intent may contain only a-z, 0-9, _ and -."

static const struct {
	const char *data, *faults;
} wrong[] = {
	{ "[]", "/data: data must be an object." },
	{ "null", "/data: data must be an object." },
	{ "\"\"", "/data: data must be an object." },
	{ "{\"subscriber_count\":-1}",
	    "/data/subscriber_count: subscriber_count " COUNT_IS },
	{ "{\"subscriber_count\":11}",
	    "/data/subscriber_count: subscriber_count " COUNT_IS },
	{ "{\"subscriber_count\":\"5\"}",
	    "/data/subscriber_count: subscriber_count " COUNT_IS },
	{ "{\"subscriber_count\":1.5}",
	    "/data/subscriber_count: subscriber_count " COUNT_IS },
	{ "{\"intent\":\"\"}", "/data/intent: intent must have 1 to 32 characters." },
	{ "{\"intent\":\"" THIRTY_TWO "x\"}",
	    "/data/intent: intent must have 1 to 32 characters." },
	{ "{\"intent\":\"Api\"}", INTENT_IS },
	{ "{\"intent\":\"a b\"}", INTENT_IS },
	{ "{\"intent\":\"\\u00e4\"}", INTENT_IS },
	{ "{\"intent\":\"a\\u0000\"}",
	    "/data/intent: intent must not hold the character U+0000." },
	{ "{\"intent\":5}", "/data/intent: intent must be a string." },
	{ "{\"publisher_count\":0}",
	    "/data/publisher_count: publisher_count must be an integer from 1 to 1." },
	{ "{\"publisher_count\":2}",
	    "/data/publisher_count: publisher_count must be an integer from 1 to 1." },
	{ "{\"publisher_count\":true,\"publisher_can_subscribe\":\"true\","
	  "\"intent\":[],\"subscriber_count\":{}}",
	    "/data/subscriber_count: subscriber_count " COUNT_IS "\n"
	    "/data/intent: intent must be a string.\n"
	    "/data/publisher_can_subscribe: publisher_can_subscribe must be true or "
	    "false.\n"
	    "/data/publisher_count: publisher_count must be an integer from 1 to 1." },
	{ "{\"publisher_can_subscribe\":1}",
	    "/data/publisher_can_subscribe: publisher_can_subscribe must be true or "
	    "false." },
};

START_TEST(what_breaks_a_rule_is_422)
{
	struct response a = ask(routes[_i % 2],
	    arena_printf(fixture.mem, "{\"data\":%s}", wrong[_i / 2].data));

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), wrong[_i / 2].faults);
	ck_assert_int_eq(sessions(), 0);
}
END_TEST

static const struct {
	const char *body, *head;
	int status;
} broken[] = {
	{ "[]", "Accept: */*", 400 },
	{ "null", "Accept: */*", 400 },
	{ "{", "Accept: */*", 400 },
	{ " ", "Accept: */*", 400 },
	{ "{}{}", "Accept: */*", 400 },
	{ "{\"data\":{\"intent\":\"a\",\"intent\":\"b\"}}", "Accept: */*", 400 },
	{ "{}", "Content-Type: text/plain", 415 },
	{ "{}", "Content-Type: application/x-www-form-urlencoded", 415 },
	{ "{}", "Content-Encoding: gzip", 415 },
};

START_TEST(what_is_no_such_body_is_refused)
{
	struct response a =
	    ask_with(routes[_i % 2], broken[_i / 2].body, HEADS(broken[_i / 2].head));

	answered(a, broken[_i / 2].status);
	ck_assert_int_eq(sessions(), 0);
}
END_TEST

START_TEST(a_strict_client_hears_of_what_is_ignored)
{
	const char *body = DATA("\"intent\":\"api\",\"room\":\"x\",\"id\":\"y\"");
	struct response a =
	    ask_with(routes[_i], body, HEADS("Prefer: handling=strict"));

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a),
	    "/data/room: room is not known.\n/data/id: id is not known.");
	ck_assert_pstr_eq(head_of(&a, "Preference-Applied"), "handling=strict");
	a = ask_with(
	    routes[_i], DATA("\"intent\":\"api\""), HEADS("Prefer: handling=strict"));
	answered(a, made[_i]);
}
END_TEST

/* ---- tokens ---- */

static int
stored(const char *column) /* a time in seconds */
{
	return number(
	    arena_printf(fixture.mem, "SELECT %s / 1000000 FROM sessions", column));
}

static void
check_token(const struct response *a, const char *token, const char *role)
{
	ck_assert(is_signed_with(token, "0123456789abcdef0123456789abcdef"));
	ck_assert_str_eq(json_get_text(part_of(token, 0), "alg"), "HS256");
	ck_assert_str_eq(json_get_text(part_of(token, 0), "kid"), "first");
	ck_assert_str_eq(claim(token, "/aud"), "stream");
	ck_assert_str_eq(claim(token, "/sid"), said(a, "/data/id"));
	ck_assert_str_eq(claim(token, "/role"), role);
	ck_assert_str_eq(
	    claim(token, "/video/room"), said(a, "/data/webrtc_room_name"));
	ck_assert_str_eq(claim(token, "/video/roomJoin"), "true");
	ck_assert_int_eq(atoi(claim(token, "/nbf")), stored("created_us"));
	ck_assert_int_eq(atoi(claim(token, "/exp")), stored("tokens_us"));
	ck_assert_ptr_null(id_check(claim(token, "/jti")));
}

START_TEST(a_publisher_reads_and_writes)
{
	struct response a = ask(NEW, NULL);
	const char *token = said(&a, "/data/publisher");

	check_token(&a, token, "publisher");
	ck_assert_str_eq(claim(token, "/scope"), "[\"s2s\",\"stt\",\"tts\"]");
	ck_assert_str_eq(claim(token, "/video/canPublish"), "true");
	ck_assert_str_eq(claim(token, "/video/canSubscribe"), "true");
	ck_assert_str_eq(claim(token, "/video/canPublishData"), "true");
}
END_TEST

START_TEST(a_publisher_can_be_made_deaf)
{
	struct response a = ask(OLD, DATA("\"publisher_can_subscribe\":false,"
					  "\"subscriber_count\":1"));
	const char *token = said(&a, "/data/publisher/0");

	check_token(&a, token, "publisher");
	ck_assert_str_eq(claim(token, "/video/canPublish"), "true");
	ck_assert_str_eq(claim(token, "/video/canSubscribe"), "false");
	token = said(&a, "/data/subscriber/0");
	ck_assert_str_eq(claim(token, "/video/canSubscribe"), "true");
}
END_TEST

START_TEST(every_subscriber_has_a_token_that_only_reads)
{
	struct response a = ask(NEW, DATA("\"subscriber_count\":10"));
	const char *token[11] = { said(&a, "/data/publisher") };

	for (int i = 1; i <= 10; i++) {
		token[i] =
		    said(&a, arena_printf(fixture.mem, "/data/subscriber/%d", i - 1));
		check_token(&a, token[i], "subscriber");
		ck_assert_str_eq(claim(token[i], "/video/canPublish"), "false");
		ck_assert_str_eq(claim(token[i], "/video/canSubscribe"), "true");
		ck_assert_str_eq(claim(token[i], "/video/canPublishData"), "false");
		for (int k = 0; k < i; k++) {
			ck_assert_str_ne(
			    claim(token[i], "/sub"), claim(token[k], "/sub"));
			ck_assert_str_ne(
			    claim(token[i], "/jti"), claim(token[k], "/jti"));
		}
	}
}
END_TEST

START_TEST(a_token_of_a_session_opens_no_route)
{
	struct response a = ask(NEW, NULL);

	fixture.bearer =
	    arena_printf(fixture.mem, "Bearer %s", said(&a, "/data/publisher"));
	a = ask(LIST, NULL);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(no_address_has_a_query)
{
	static const char *const members[] = { "webrtc_url", "ws_url", "ws_tts_url",
		"ws_stt_url" };
	static const char *const drivers[] = { "gateway", "janus" };
	struct response a;

	fixture.app.conf.broadcast_driver = drivers[_i];
	fixture.app.conf.janus_public_url = "wss://janus.example.org";
	a = ask(NEW, NULL);
	answered(a, 201);
	for (int i = 0; i < COUNT(members); i++) {
		const char *url =
		    said(&a, arena_printf(fixture.mem, "/data/%s", members[i]));

		ck_assert_ptr_nonnull(strstr(url, "://"));
		ck_assert_ptr_null(strchr(url, '?'));
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sessions");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, session_fixture, fixture_close);
	tcase_add_test(t, a_new_session_answers_as_the_example);
	tcase_add_test(t, the_old_route_answers_old_and_new_members);
	tcase_add_loop_test(t, times_of_a_new_session_are_the_settings, 0, 2);
	tcase_add_test(t, a_new_session_does_not_outlive_its_tokens);
	tcase_add_loop_test(
	    t, what_existing_clients_send_is_taken, 0, 2 * COUNT(taken));
	tcase_add_loop_test(t, what_breaks_a_rule_is_422, 0, 2 * COUNT(wrong));
	tcase_add_loop_test(t, what_is_no_such_body_is_refused, 0, 2 * COUNT(broken));
	tcase_add_loop_test(t, a_strict_client_hears_of_what_is_ignored, 0, 2);
	tcase_add_test(t, a_publisher_reads_and_writes);
	tcase_add_test(t, a_publisher_can_be_made_deaf);
	tcase_add_test(t, every_subscriber_has_a_token_that_only_reads);
	tcase_add_test(t, a_token_of_a_session_opens_no_route);
	tcase_add_loop_test(t, no_address_has_a_query, 0, 2);
	suite_add_tcase(s, t);
	return unit_run(s);
}
