/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HTTP and the upgrade of LiveKit's clients: each refusal, for the upgrade and for
 * validate.
 */
#include "tests/livekit-token.h"
#include "tests/unit/admission_fixture.h"

#define RTC "/streaming-api/webrtc"
#define WITH "?protocol=15&sdk=js&access_token="

static char media; /* text after it is ignored */
static const char *session;

static void
setup(void)
{
	gateway_open();
	gateway.webrtc_thread = (struct webrtc_thread *)&media;
	session = new_session();
	sql(arena_printf(fixture.mem,
	    "UPDATE sessions SET room = 'ROOM1234' WHERE id = '%s'", session));
}

static void
teardown(void)
{
	gateway.webrtc_thread = NULL;
	gateway_close();
}

/* Returns the answer to a request; more: further headers. */
static const char *
request(const char *method, const char *target, const char *more)
{
	const char *text = arena_printf(
	    fixture.mem, "%s %s HTTP/1.1\r\nHost: x\r\n%s\r\n", method, target, more);
	struct buf answer = { .mem = fixture.mem };
	struct connection_request *v;
	struct http_head h;

	ck_assert(http_head_read(fixture.mem, text, strlen(text), &h));
	v = http_routes_answer(&gateway, fixture.mem, &h, "127.0.0.1", &answer);
	if (v == NULL)
		return buf_text(&answer);
	ck_assert_ptr_nonnull(v->signal);
	gateway.n_participants--;
	session_lose(&gateway, v);
	return "101";
}

#define UPGRADE                                                                        \
	"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"   \
	"Sec-WebSocket-Key: x\r\n"

static void
assert_answer(const char *answer, int status, const char *body)
{
	const char *end = strstr(answer, "\r\n\r\n");

	ck_assert_msg(
	    strncmp(answer, arena_printf(fixture.mem, "HTTP/1.1 %d ", status), 13) == 0,
	    "%s", answer);
	ck_assert_msg(
	    strstr(answer, "Access-Control-Allow-Origin: *\r\n") != NULL, "%s", answer);
	ck_assert_msg(strstr(answer, "Access-Control-Allow-Headers: *\r\n") != NULL,
	    "%s", answer);
	ck_assert_ptr_nonnull(end);
	ck_assert_str_eq(end + 4, body);
}

/* Expects the same answer for both paths. */
static void
assert_refused(const char *query, int status, const char *body)
{
	assert_answer(
	    request("GET", arena_printf(fixture.mem, RTC "/rtc%s", query), UPGRADE),
	    status, body);
	assert_answer(
	    request("GET", arena_printf(fixture.mem, RTC "/rtc/validate%s", query), ""),
	    status, body);
}

static const char *
token_of(const char *id, const char *room)
{
	return session_token(id, room, STREAM_PUBLISHER);
}

/* A token as LiveKit's own tools make it; more: grants of the room. */
static const char *
livekit_token_of(const char *room, const char *more)
{
	return livekit_token(fixture.mem, gateway.conf->session_jwt_keys,
	    arena_printf(fixture.mem,
		"\"exp\":%lld,\"sub\":\"anna\",\"video\":{\"room\":\"%s\"%s}",
		(long long)(now_us() / S_US) + 600, room, more));
}

#define JOINS ",\"roomJoin\":true"

static const char *
query_of(const char *token)
{
	return arena_printf(fixture.mem, WITH "%s", token);
}

START_TEST(a_publisher_is_admitted_and_validated)
{
	const char *token = token_of(session, "ROOM1234");

	ck_assert_str_eq(
	    request("GET", arena_printf(fixture.mem, RTC "/rtc%s", query_of(token)),
		UPGRADE),
	    "101");
	ck_assert_str_eq(request("GET", RTC "//rtc?protocol=9",
			     arena_printf(fixture.mem,
				 UPGRADE "Authorization: Bearer %s\r\n", token)),
	    "101");
	assert_answer(
	    request("GET",
		arena_printf(fixture.mem, RTC "/rtc/validate%s", query_of(token)), ""),
	    200, "success");
	ck_assert_int_eq(gateway.connections, 0);
}
END_TEST

START_TEST(the_header_counts_before_the_query)
{
	const char *good = token_of(session, "ROOM1234");

	assert_answer(
	    request("GET", arena_printf(fixture.mem, RTC "/rtc%s", query_of(good)),
		UPGRADE "Authorization: Bearer x.y.z\r\n"),
	    401, "invalid token: The credential is unknown or no longer valid.");
}
END_TEST

START_TEST(tokens_are_refused_in_plain_text)
{
	struct stream_token old = { .role = STREAM_PUBLISHER,
		.sid = session,
		.room = "ROOM1234",
		.expires_us = now_us() - 3600 * S_US };

	assert_refused("?protocol=15", 401,
	    "invalid token: The credential is unknown or no longer valid.");
	assert_refused(WITH "x.y.z", 401,
	    "invalid token: The credential is unknown or no longer valid.");
	assert_refused(query_of(stream_token_make(fixture.mem,
			   gateway.conf->session_jwt_keys, now_us(), &old)),
	    401, "invalid token: The credential is unknown or no longer valid.");
	assert_refused(query_of(token_of(id_new(fixture.mem), "ROOM1234")), 401,
	    "invalid token: The credential is unknown or no longer valid.");
	assert_refused(
	    query_of(token_of(session, "another")), 403, "permissions denied");
	assert_refused(arena_printf(fixture.mem, "?protocol=2&access_token=%s",
			   token_of(session, "ROOM1234")),
	    400, "unsupported protocol");
}
END_TEST

/* Returns the stream that the token opens; NULL: none. */
static struct connection_request *
come(const char *token)
{
	const char *text = arena_printf(fixture.mem,
	    "GET " RTC "/rtc%s HTTP/1.1\r\nHost: x\r\n" UPGRADE "\r\n",
	    query_of(token));
	struct buf answer = { .mem = fixture.mem };
	struct http_head h;

	ck_assert(http_head_read(fixture.mem, text, strlen(text), &h));
	return http_routes_answer(&gateway, fixture.mem, &h, "127.0.0.1", &answer);
}

static void
assert_comes(const char *token, const char *stream, bool writes)
{
	struct connection_request *v = come(token);

	ck_assert_ptr_nonnull(v);
	ck_assert_str_eq(v->stream, stream);
	ck_assert(v->writes == writes);
	ck_assert(v->signal->publishes == writes);
	ck_assert(v->listens);
	ck_assert_str_eq(v->signal->identity, "anna");
	gateway.n_participants--;
	session_lose(&gateway, v);
}

START_TEST(tokens_of_livekits_tools_name_the_room_alone)
{
	const char *channel = new_channel("[\"es\"]");
	const char *room = arena_printf(fixture.mem, "%s-1", channel);

	assert_comes(livekit_token_of("ROOM1234", JOINS), session, true);
	assert_comes(livekit_token_of("ROOM1234", JOINS ",\"canPublish\":false"),
	    session, false);
	assert_comes(
	    livekit_token_of(room, JOINS ",\"canPublish\":true"), channel, true);
	assert_comes(
	    livekit_token_of(room, JOINS ",\"canPublish\":false"), channel, false);
	sql("UPDATE channels SET speaker_version = 3");
	assert_comes(livekit_token_of(room, JOINS), channel, true);
}
END_TEST

START_TEST(tokens_of_livekits_tools_are_refused_in_plain_text)
{
	static const char denied[] = "permissions denied";
	const char *channel = new_channel("[\"es\"]");

	assert_refused(query_of(livekit_token_of("ROOM1234", "")), 403, denied);
	assert_refused(
	    query_of(livekit_token_of("ROOM1234", ",\"roomJoin\":false")), 403, denied);
	assert_refused(query_of(livekit_token_of("ROOM", JOINS)), 403, denied);
	assert_refused(query_of(livekit_token_of("", JOINS)), 403, denied);
	assert_refused(query_of(livekit_token_of(session, JOINS)), 401,
	    "invalid token: The credential is unknown or no longer valid.");
	assert_refused(query_of(livekit_token_of(channel, JOINS)), 403, denied);
	assert_refused(query_of(livekit_token_of(
			   arena_printf(fixture.mem, "%s-2", channel), JOINS)),
	    403, denied);
}
END_TEST

/*
 * Tokens of LiveKit's tools are only for LiveKit's clients; for sockets a token must
 * name the session.
 */
START_TEST(sockets_take_no_token_of_livekits_tools)
{
	ck_assert_ptr_null(knock_from(livekit_token_of("ROOM1234", JOINS), NULL));
	ck_assert(was_refused(401, "unauthorized"));
}
END_TEST

START_TEST(without_balance_or_place_no_participant_is_admitted)
{
	const char *query = query_of(token_of(session, "ROOM1234"));

	gateway.n_participants = (int)gateway.conf->rtc_max_peers;
	assert_refused(query, 503, "Too many participants are connected.");
	gateway.n_participants = 0;
	gateway.stopping = true;
	assert_refused(query, 503, "The real-time gateway is stopping.");
	gateway.stopping = false;
	gateway_pay(INT64_C(-100) * MICRO);
	assert_refused(query, 403, "Insufficient balance");
}
END_TEST

START_TEST(other_paths_are_not_found)
{
	static const char *const paths[] = { RTC "/rtc/v1", RTC "/rtc/v1/validate",
		RTC "/rtc/v1?join_request=x", RTC "/other", RTC "/rtc/" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_answer(request("GET", paths[i], ""), 404, "not found");
	assert_answer(request("GET", RTC "/rtc", ""), 404, "not found");
}
END_TEST

/* After this refusal such clients join again in the older way. */
START_TEST(clients_that_join_in_the_query_fall_back)
{
	const char *token = token_of(session, "ROOM1234");

	assert_refused("?join_request=x", 404, "not found");
	assert_refused(
	    arena_printf(fixture.mem, "?access_token=%s&join_request=x", token), 404,
	    "not found");
	ck_assert_str_eq(
	    request("GET",
		arena_printf(fixture.mem, RTC "/rtc%s&join_request=x", query_of(token)),
		UPGRADE),
	    "101");
}
END_TEST

START_TEST(clients_may_warm_up_and_ask_for_options)
{
	assert_answer(request("GET", RTC, ""), 200, "OK");
	assert_answer(request("GET", RTC "/", ""), 200, "OK");
	assert_answer(request("HEAD", RTC, ""), 200, "");
	assert_answer(request("OPTIONS", RTC "/rtc/validate", ""), 204, "");
}
END_TEST

START_TEST(without_webrtc_every_path_says_so)
{
	gateway.webrtc_thread = NULL;
	ck_assert_ptr_nonnull(
	    strstr(request("GET", RTC "/rtc/validate", ""), "HTTP/1.1 501"));
	ck_assert_ptr_nonnull(strstr(request("GET", RTC, ""), "100111"));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("webrtc_routes");
	TCase *t = tcase_create("webrtc_routes");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_publisher_is_admitted_and_validated);
	tcase_add_test(t, the_header_counts_before_the_query);
	tcase_add_test(t, tokens_are_refused_in_plain_text);
	tcase_add_test(t, tokens_of_livekits_tools_name_the_room_alone);
	tcase_add_test(t, tokens_of_livekits_tools_are_refused_in_plain_text);
	tcase_add_test(t, sockets_take_no_token_of_livekits_tools);
	tcase_add_test(t, without_balance_or_place_no_participant_is_admitted);
	tcase_add_test(t, other_paths_are_not_found);
	tcase_add_test(t, clients_that_join_in_the_query_fall_back);
	tcase_add_test(t, clients_may_warm_up_and_ask_for_options);
	tcase_add_test(t, without_webrtc_every_path_says_so);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
