/* Which sockets are let in, and how often. */
#include "tests/unit/door_house.h"

#define HALL "203.0.113.9" /* the one address of everybody in it */

static const char *channel;

static void
setup(void)
{
	gate_open();
	house.app.conf.session_jwt_keys = "k1:0123456789abcdef0123456789abcdef";
	channel = new_channel("[\"es\"]");
}

static const char *
speaker_token(void)
{
	return session_token(
	    channel, arena_printf(house.mem, "%s-1", channel), STREAM_PUBLISHER);
}

static struct socket *
listen_as(const char *listener, const char *from)
{
	return open_for(knock_from(listener_token(channel, listener), from));
}

/* ---- how often ---- */

START_TEST(a_hall_behind_one_address_comes_in_at_once)
{
	for (int i = 0; i < 60; i++)
		ck_assert_int_eq(listen_as(id_new(house.mem), HALL)->code, 0);
}
END_TEST

START_TEST(a_listener_has_twenty_connections_a_minute_from_wherever)
{
	const char *listener = id_new(house.mem);
	struct socket *s = NULL;

	for (int i = 0; i < 20; i++) {
		s = listen_as(listener, arena_printf(house.mem, "198.51.100.%d", i));
		ck_assert_int_eq(s->code, 0);
		hang_up(s);
		gate_turn();
	}
	s = listen_as(listener, HALL);
	ck_assert_int_eq(s->code, 1008);
	ck_assert_str_eq(s->reason, "connection rate limit");
	ck_assert_int_eq(listen_as(id_new(house.mem), HALL)->code, 0);
}
END_TEST

/* A listener names itself as it likes. */
START_TEST(a_listener_takes_no_connection_from_the_speaker)
{
	for (int i = 0; i < 21; i++) {
		hang_up(listen_as(channel, HALL));
		gate_turn();
	}
	ck_assert_int_eq(open_for(knock_from(speaker_token(), HALL))->code, 0);
}
END_TEST

START_TEST(tokens_of_subscribers_are_counted_each_by_itself)
{
	const char *session = new_session();
	const char *a = session_token(session, "room", STREAM_SUBSCRIBER);
	const char *b = session_token(session, "room", STREAM_SUBSCRIBER);
	struct socket *s = NULL;

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

/* ---- who guesses ---- */

START_TEST(a_good_credential_passes_whatever_its_address_guessed)
{
	const char *key = house_key(house.account, "s2s");

	house.app.conf.rate_auth_failures_per_min = 3;
	for (int i = 0; i < 5; i++) {
		ck_assert_ptr_null(knock_from("a.b.c", HALL));
		if (i < 3)
			ck_assert(was_refused(401, "unauthorized"));
		else
			ck_assert(was_refused(429, "rate-limited"));
	}
	ck_assert_ptr_nonnull(strstr(refusal, "\r\nRetry-After: "));
	ck_assert_ptr_nonnull(strstr(refusal, "\r\nConnection: close\r\n"));
	ck_assert_int_eq(listen_as(id_new(house.mem), HALL)->code, 0);
	ck_assert_int_eq(open_for(knock_from(speaker_token(), HALL))->code, 0);
	ck_assert_int_eq(open_for(knock_from(key, HALL))->code, 0);
	ck_assert_ptr_null(knock_from(
	    session_token(id_new(house.mem), "room", STREAM_PUBLISHER), HALL));
	ck_assert(was_refused(429, "rate-limited"));
	ck_assert_ptr_null(knock_from("a.b.c", "203.0.113.10"));
	ck_assert(was_refused(401, "unauthorized"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: admission");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, gate_close);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_hall_behind_one_address_comes_in_at_once);
	tcase_add_test(t, a_listener_has_twenty_connections_a_minute_from_wherever);
	tcase_add_test(t, a_listener_takes_no_connection_from_the_speaker);
	tcase_add_test(t, tokens_of_subscribers_are_counted_each_by_itself);
	tcase_add_test(t, a_good_credential_passes_whatever_its_address_guessed);
	suite_add_tcase(s, t);
	return unit_run(s);
}
