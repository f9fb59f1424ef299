/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Admission of sockets, and its rate limits. */
#include "tests/unit/admission_fixture.h"
#include "tests/unit/event_rows.h"

#define HALL "203.0.113.9" /* the address from which all clients connect */

static const char *channel;

static void
setup(void)
{
	gateway_open();
	fixture.app.conf.session_jwt_keys = "k1:0123456789abcdef0123456789abcdef";
	channel = new_channel("[\"es\"]");
}

static const char *
speaker_token(void)
{
	return session_token(
	    channel, arena_printf(fixture.mem, "%s-1", channel), STREAM_PUBLISHER);
}

static struct websocket *
listen_as(const char *listener, const char *from)
{
	return open_for(knock_from(listener_token(channel, listener), from));
}

/* ---- how often ---- */

START_TEST(listeners_behind_one_address_are_admitted_at_once)
{
	for (int i = 0; i < 60; i++)
		ck_assert_int_eq(listen_as(id_new(fixture.mem), HALL)->code, 0);
}
END_TEST

START_TEST(a_listener_has_twenty_connections_a_minute_from_wherever)
{
	const char *listener = id_new(fixture.mem);
	struct websocket *s = NULL;

	for (int i = 0; i < 20; i++) {
		s = listen_as(listener, arena_printf(fixture.mem, "198.51.100.%d", i));
		ck_assert_int_eq(s->code, 0);
		hang_up(s);
		gateway_tick();
	}
	s = listen_as(listener, HALL);
	ck_assert_int_eq(s->code, 1008);
	ck_assert_str_eq(s->reason, "connection rate limit");
	ck_assert_int_eq(listen_as(id_new(fixture.mem), HALL)->code, 0);
}
END_TEST

/* A listener chooses its own name. */
START_TEST(a_listener_takes_no_connection_from_the_speaker)
{
	for (int i = 0; i < 21; i++) {
		hang_up(listen_as(channel, HALL));
		gateway_tick();
	}
	ck_assert_int_eq(open_for(knock_from(speaker_token(), HALL))->code, 0);
}
END_TEST

START_TEST(tokens_of_subscribers_are_counted_each_by_itself)
{
	const char *session = new_session();
	const char *a = session_token(session, "room", STREAM_SUBSCRIBER);
	const char *b = session_token(session, "room", STREAM_SUBSCRIBER);
	struct websocket *s = NULL;

	for (int i = 0; i < 21; i++)
		s = open_for(knock_from(a, HALL));
	ck_assert_str_eq(s->reason, "connection rate limit");
	ck_assert_int_eq(open_for(knock_from(b, HALL))->code, 0);
	ck_assert_int_eq(
	    open_for(knock_from(session_token(session, "room", STREAM_PUBLISHER), HALL))
		->code,
	    0);
}
END_TEST

/* ---- guesses ---- */

START_TEST(a_good_credential_passes_whatever_its_address_guessed)
{
	const char *key = fixture_key(fixture.account, "s2s");

	fixture.app.conf.rate_auth_failures_per_min = 3;
	for (int i = 0; i < 5; i++) {
		ck_assert_ptr_null(knock_from("a.b.c", HALL));
		if (i < 3)
			ck_assert(was_refused(401, "unauthorized"));
		else
			ck_assert(was_refused(429, "rate-limited"));
	}
	ck_assert_ptr_nonnull(strstr(refusal, "\r\nRetry-After: "));
	ck_assert_ptr_nonnull(strstr(refusal, "\r\nConnection: close\r\n"));
	ck_assert_int_eq(listen_as(id_new(fixture.mem), HALL)->code, 0);
	ck_assert_int_eq(open_for(knock_from(speaker_token(), HALL))->code, 0);
	ck_assert_int_eq(open_for(knock_from(key, HALL))->code, 0);
	ck_assert_ptr_null(knock_from(
	    session_token(id_new(fixture.mem), "room", STREAM_PUBLISHER), HALL));
	ck_assert(was_refused(429, "rate-limited"));
	ck_assert_ptr_null(knock_from("a.b.c", "203.0.113.10"));
	ck_assert(was_refused(401, "unauthorized"));
}
END_TEST

/* ---- how many at a time ---- */

/* Admits sockets of different listeners; from NULL: each has an address of its own. */
static int
fill(const char *at, const char *from, int tries)
{
	int in = 0;

	for (int i = 0; i < tries; i++) {
		const char *peer = from != NULL ? from
						: arena_printf(fixture.mem,
						      "2001:db8:%x:%x::1", i / 1000, i);
		struct connection_request *v =
		    knock_from(listener_token(at, id_new(fixture.mem)), peer);

		if (v == NULL)
			ck_assert(was_refused(503, "gateway-unavailable"));
		else
			open_for(v);
		in += v != NULL;
	}
	return in;
}

START_TEST(a_listener_has_two_sockets)
{
	const char *listener = id_new(fixture.mem);
	struct websocket *a = listen_as(listener, HALL);

	listen_as(listener, "203.0.113.10");
	ck_assert_ptr_null(knock_from(listener_token(channel, listener), HALL));
	ck_assert(was_refused(503, "gateway-unavailable"));
	ck_assert_ptr_nonnull(strstr(refusal, "\r\nRetry-After: 5\r\n"));
	ck_assert_ptr_null(knock_from(
	    listener_token(new_channel("[\"es\"]"), listener), "203.0.113.11"));
	hang_up(a);
	gateway_tick();
	listen_as(listener, HALL);
}
END_TEST

START_TEST(a_channel_has_so_many_listeners_and_another_one_is_open)
{
	fixture.app.conf.stream_max_listeners = 20;
	ck_assert_int_eq(fill(channel, NULL, 30), 20);
	ck_assert_int_eq(fill(new_channel("[\"es\"]"), NULL, 10), 10);
	open_for(knock_from(speaker_token(), HALL));
}
END_TEST

START_TEST(in_a_channel_that_is_nearly_full_an_address_has_a_tenth)
{
	fixture.app.conf.stream_max_listeners = 50;
	ck_assert_int_eq(
	    /* sockets are 80 % full, and this account has more than a tenth */
	    fill(channel, HALL, 60), 40);
	ck_assert_int_eq(fill(channel, "2001:db8:1:2::1", 4), 4);
	ck_assert_int_eq(fill(channel, "2001:db8:1:2::2", 3), 1); /* of the same /64 */
	ck_assert_int_eq(fill(channel, HALL, 3), 0);
	ck_assert_int_eq(fill(new_channel("[\"es\"]"), HALL, 3), 3);
	ck_assert_int_eq(fill(channel, NULL, 10), 5);
}
END_TEST

START_TEST(in_a_gateway_that_is_nearly_full_an_address_has_a_tenth)
{
	const char *other = new_channel("[\"es\"]");

	fixture.app.conf.stream_max_connections = 50;
	ck_assert_int_eq(fill(channel, HALL, 30), 30);
	ck_assert_int_eq(fill(other, HALL, 30), 10);
	ck_assert_int_eq(fill(channel, "203.0.113.10", 4), 4);
	ck_assert_int_eq(fill(other, "203.0.113.10", 4), 1);
	/* the rest is reserved for speakers */
	ck_assert_int_eq(fill(other, NULL, 4), 0);
}
END_TEST

START_TEST(the_last_tenth_is_for_publishers)
{
	const char *key = fixture_key(fixture.account, "s2s");

	fixture.app.conf.stream_max_connections = 20;
	ck_assert_int_eq(fill(channel, NULL, 30), 18);
	ck_assert_ptr_null(
	    knock_from(session_token(new_session(), "room", STREAM_SUBSCRIBER), HALL));
	ck_assert(was_refused(503, "gateway-unavailable"));
	open_for(
	    /* speakers are admitted whatever the number at their address */
	    knock_from(speaker_token(), HALL));
	open_for(knock_from(key, HALL));
	ck_assert_ptr_null(knock_from(key, HALL));
	ck_assert(was_refused(503, "gateway-unavailable"));
}
END_TEST

START_TEST(an_address_has_so_many_sockets_of_every_kind)
{
	static const char *const paths[] = { S2S, "/asr/v1/speech-to-text/stream",
		"/tts-api/v1/text-to-speech/stream" };
	const char *key = fixture_key(fixture.account, "s2s stt tts");
	struct websocket *sockets[6];
	size_t n = 0;

	fixture.app.conf.stream_max_per_address = 6;
	for (; n < 3; n++)
		sockets[n] = open_for(knock_at(paths[n], key, "2001:db8:1:2::1"));
	sockets[n++] = open_for(knock_from(
	    listener_token(channel, id_new(fixture.mem)), "2001:db8:1:2::2"));
	sockets[n++] = open_for(knock_from(
	    session_token(new_session(), "room", STREAM_PUBLISHER), "2001:db8:1:2::3"));
	sockets[n++] = open_for(knock_from(key, "2001:db8:1:2::4"));
	for (int i = 0; i < 3; i++) {
		ck_assert_ptr_null(knock_at(paths[i], key, "2001:db8:1:2::5"));
		ck_assert(was_refused(503, "gateway-unavailable"));
		ck_assert_ptr_nonnull(strstr(refusal, "\r\nRetry-After: 5\r\n"));
	}
	ck_assert_int_eq(fill(channel, "2001:db8:1:2::6", 1), 0);
	open_for(knock_from(key, "2001:db8:1:3::1")); /* another /64 */
	for (size_t i = 0; i < n; i++) {
		hang_up(sockets[i]);
		gateway_tick();
		ck_assert_int_eq(fill(channel, "2001:db8:1:2::6", 2), 1);
	}
}
END_TEST

START_TEST(a_proxy_of_this_host_is_no_client)
{
	fixture.app.conf.stream_max_per_address = 1;
	ck_assert_int_eq(fill(channel, "192.0.2.1, 127.0.0.1", 2), 1);
	ck_assert_int_eq(fill(channel, "192.0.2.1", 1), 0);
	ck_assert_int_eq(fill(channel, "192.0.2.2,::1 , 127.0.0.2", 1), 1);
	ck_assert_int_eq(fill(channel, "192.0.2.2", 1), 0);
	ck_assert_int_eq(fill(channel, "192.0.2.1, 192.0.2.3", 2), 1);
}
END_TEST

START_TEST(listeners_of_a_hall_do_not_lock_out_its_speaker)
{
	fixture.app.conf.stream_max_per_address = 10;
	ck_assert_int_eq(fill(channel, HALL, 12), 10);
	open_for(knock_from(speaker_token(), HALL));
	ck_assert_ptr_null(knock_from(speaker_token(), HALL));
	ck_assert(was_refused(503, "gateway-unavailable"));
}
END_TEST

START_TEST(a_reader_sends_short_messages_only)
{
	struct websocket *l = listen_as(id_new(fixture.mem), HALL);
	struct websocket *speaker = open_for(knock_from(speaker_token(), HALL));

	ck_assert_uint_eq(l->most, WEBSOCKET_READER_BYTES);
	ck_assert_uint_eq(speaker->most, 0); /* the connection is unchanged */
}
END_TEST

START_TEST(places_are_given_back)
{
	fixture.app.conf.stream_max_listeners = 10;
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fill(channel, NULL, 11), 10);
		gateway_empty();
		ck_assert_int_eq(tally_of(gateway.held, "readers"), 0);
	}
}
END_TEST

/* ---- access codes ---- */

START_TEST(a_changed_access_code_ends_what_came_before)
{
	const char *event = put_event(fixture.account, "Talk", 7);
	const char *old = listener_token(channel, id_new(fixture.mem));
	const char *new = listener_token_at(channel, id_new(fixture.mem), 1);
	struct websocket *speaker, *a, *b;

	sql(arena_printf(fixture.mem, "UPDATE channels SET event = '%s'", event));
	speaker = open_for(knock_from(speaker_token(), HALL));
	a = open_for(knock_from(old, HALL));
	/* the token names an unknown access code */
	ck_assert_ptr_null(knock_from(new, HALL));
	look_again(speaker);
	ck_assert_int_eq(a->code, 0);
	set_event(event, "access_code = 'FORUM26', code_version = 1");
	ck_assert_ptr_null(knock_from(old, HALL));
	ck_assert(was_refused(401, "unauthorized"));
	b = open_for(knock_from(new, HALL));
	look_again(speaker);
	await_end(a, 1008);
	ck_assert_str_eq(a->reason, "SESSION_CLOSED");
	ck_assert_int_eq(count_seen(a, "error", "SESSION_CLOSED"), 1);
	ck_assert_int_eq(b->code, 0);
	ck_assert_int_eq(speaker->code, 0);
}
END_TEST

/* ---- speaker tokens ---- */

START_TEST(a_newer_speaker_token_ends_speakers_with_an_older_one)
{
	const char *new, *old = speaker_token();
	struct websocket *speaker, *listener, *next;

	listener = listen_as(id_new(fixture.mem), HALL);
	speaker = open_for(knock_from(old, HALL));
	look_again(speaker);
	ck_assert_int_eq(speaker->code, 0);
	sql("UPDATE channels SET speaker_version = 1");
	ck_assert_ptr_null(knock_from(old, HALL));
	ck_assert(was_refused(401, "unauthorized"));
	look_again(speaker);
	await_end(speaker, 1008);
	ck_assert_str_eq(speaker->reason, "SESSION_CLOSED");
	ck_assert_int_eq(count_seen(speaker, "error", "SESSION_CLOSED"), 1);
	ck_assert_int_eq(listener->code, 0);
	hang_up(speaker);
	new = stream_token_make(fixture.mem, gateway.conf->session_jwt_keys, now_us(),
	    &(const struct stream_token){ .role = STREAM_PUBLISHER,
		.sid = channel,
		.room = channel,
		.expires_us = now_us() + 3600 * S_US,
		.speaker_version = 1 });
	next = open_for(knock_from(new, HALL));
	look_again(next);
	ck_assert_int_eq(next->code, 0);
	ck_assert_int_eq(listener->code, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: admission");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, gateway_close);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, listeners_behind_one_address_are_admitted_at_once);
	tcase_add_test(t, a_listener_has_twenty_connections_a_minute_from_wherever);
	tcase_add_test(t, a_listener_takes_no_connection_from_the_speaker);
	tcase_add_test(t, tokens_of_subscribers_are_counted_each_by_itself);
	tcase_add_test(t, a_good_credential_passes_whatever_its_address_guessed);
	tcase_add_test(t, a_listener_has_two_sockets);
	tcase_add_test(t, a_channel_has_so_many_listeners_and_another_one_is_open);
	tcase_add_test(t, in_a_channel_that_is_nearly_full_an_address_has_a_tenth);
	tcase_add_test(t, in_a_gateway_that_is_nearly_full_an_address_has_a_tenth);
	tcase_add_test(t, the_last_tenth_is_for_publishers);
	tcase_add_test(t, an_address_has_so_many_sockets_of_every_kind);
	tcase_add_test(t, a_proxy_of_this_host_is_no_client);
	tcase_add_test(t, listeners_of_a_hall_do_not_lock_out_its_speaker);
	tcase_add_test(t, a_reader_sends_short_messages_only);
	tcase_add_test(t, places_are_given_back);
	tcase_add_test(t, a_changed_access_code_ends_what_came_before);
	tcase_add_test(t, a_newer_speaker_token_ends_speakers_with_an_older_one);
	suite_add_tcase(s, t);
	return unit_run(s);
}
