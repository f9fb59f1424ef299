/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/rtc_raw.h"
#include "tests/unit/rtc_relay.h"

/* ---- fingerprints ---- */

static const char wrong[] = "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:"
			    "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF";

/* The handshake itself succeeds, but keys of another certificate must not be used. */
START_TEST(a_wrong_fingerprint_fails)
{
	rtc_open_both("127.0.0.1");
	ck_assert(rtc_peer_remote(server.peer, "sha-256", wrong, 5000, false));
	rtc_describe(&client, &server);
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(server.state == RTC_FAILED, 5000);
	ck_assert_ptr_nonnull(strstr(rtc_peer_failure(server.peer), "fingerprint"));
	rtc_send(&client, 1, 1, "x");
	rtc_until(false, 50);
	ck_assert_uint_eq(server.packets + server.messages + server.channels, 0);
}
END_TEST

START_TEST(a_hash_that_is_not_known_fails)
{
	rtc_open_both("127.0.0.1");
	ck_assert(!rtc_peer_remote(server.peer, "sha-2048", wrong, 5000, false));
	ck_assert(rtc_peer_remote(server.peer, "md5",
	    "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF", 5000, false));
	rtc_describe(&client, &server);
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(server.state == RTC_FAILED, 5000);
}
END_TEST

START_TEST(the_first_fingerprint_is_kept)
{
	rtc_open_both("127.0.0.1");
	rtc_describe(&server, &client);
	rtc_describe(&server, &client);
	ck_assert(!rtc_peer_remote(server.peer, "sha-256", wrong, 5000, false));
	ck_assert(!rtc_peer_remote(
	    server.peer, "sha-384", rtc_fingerprint(client.rtc), 5000, false));
	rtc_describe(&client, &server);
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(server.state == RTC_CONNECTED, 5000);
}
END_TEST

START_TEST(the_description_may_come_after_the_handshake)
{
	rtc_open_both("127.0.0.1");
	rtc_describe(&client, &server);
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(client.state == RTC_CONNECTED, 5000);
	rtc_until(false, 50);
	ck_assert_int_eq(server.state, RTC_CHECKED);
	rtc_peer_receive(server.peer, RTP_OPUS, 0);
	rtc_send(&client, 1, 1, "too early");
	rtc_until(false, 50);
	ck_assert_uint_eq(server.packets, 0);
	rtc_describe(&server, &client);
	ck_assert_int_eq(server.state, RTC_CONNECTED);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	rtc_send(&client, 1, 2, "in time");
	rtc_expect(server.packets == 1, 5000);
}
END_TEST

/* ---- time ---- */

/* Runs the server alone for this many simulated seconds. */
static void
pass(int seconds)
{
	for (int i = 0; i < seconds * 10; i++) {
		clock_us += S_US / 10;
		rtc_turn(&server);
	}
}

/* Runs both sides for this many seconds; the real time counts, too. */
static void
both_pass(int seconds)
{
	int64_t end_us = rtc_clock() + seconds * S_US;

	while (rtc_clock() < end_us) {
		clock_us += S_US / 10;
		rtc_until(false, 2);
	}
}

START_TEST(silence_of_30_s_fails)
{
	rtc_connect("127.0.0.1", false);
	rtc_expect(server.channels == 2, 5000);
	pass(27);
	ck_assert_int_eq(server.state, RTC_CONNECTED);
	pass(4);
	ck_assert_int_eq(server.state, RTC_FAILED);
	ck_assert_ptr_nonnull(strstr(rtc_peer_failure(server.peer), "30 s"));
}
END_TEST

START_TEST(checks_keep_it_alive)
{
	rtc_connect("127.0.0.1", false);
	for (int i = 0; i < 400; i++) {
		clock_us += S_US / 10;
		rtc_turn(&client);
		rtc_turn(&server);
		usleep(1000);
	}
	ck_assert_int_eq(server.state, RTC_CONNECTED);
	ck_assert_int_eq(client.state, RTC_CONNECTED);
}
END_TEST

START_TEST(a_handshake_that_does_not_come_fails)
{
	unsigned char p[STUN_ROOM];
	int fd;

	rtc_side_open(&server, "127.0.0.1", false, 100);
	rtc_side_peer(&server, true);
	ck_assert(rtc_peer_remote(server.peer, "sha-256", wrong, 5000, false));
	fd = rtc_stranger(rtc_port(server.rtc));
	for (int i = 0; i < 3; i++) {
		ck_assert(raw_is_answered(fd, p, raw_request(p, true)));
		pass(9);
	}
	ck_assert_int_eq(server.state, RTC_FAILED);
	ck_assert_ptr_nonnull(strstr(rtc_peer_failure(server.peer), "handshake"));
	ck_assert(raw_is_dropped(fd, p, raw_request(p, true)));
	close(fd);
}
END_TEST

/* The client opens no data channels, although the server was told to expect them. */
START_TEST(an_association_that_does_not_come_fails_at_the_second_attempt)
{
	rtc_open_both("127.0.0.1");
	rtc_describe(&server, &client);
	ck_assert(rtc_peer_remote(
	    client.peer, "sha-256", rtc_fingerprint(server.rtc), 0, true));
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(
	    server.state == RTC_CONNECTED && client.state == RTC_CONNECTED, 5000);
	both_pass(12);
	ck_assert_int_eq(server.state, RTC_CONNECTED);
	both_pass(8);
	ck_assert_int_eq(server.state, RTC_FAILED);
	ck_assert_ptr_nonnull(strstr(rtc_peer_failure(server.peer), "data channels"));
}
END_TEST

START_TEST(without_data_channels_it_stays)
{
	rtc_open_both("127.0.0.1");
	ck_assert(rtc_peer_remote(
	    server.peer, "sha-256", rtc_fingerprint(client.rtc), 0, false));
	ck_assert(rtc_peer_remote(
	    client.peer, "sha-256", rtc_fingerprint(server.rtc), 0, true));
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(
	    server.state == RTC_CONNECTED && client.state == RTC_CONNECTED, 5000);
	both_pass(20);
	ck_assert_int_eq(server.state, RTC_CONNECTED);
	ck_assert(!rtc_peer_has_channel(server.peer, "_reliable"));
}
END_TEST

/* A microphone is published first, its data channels later. */
START_TEST(data_channels_may_be_described_later)
{
	rtc_open_both("127.0.0.1");
	ck_assert(rtc_peer_remote(
	    server.peer, "sha-256", rtc_fingerprint(client.rtc), 0, false));
	ck_assert(rtc_peer_remote(
	    client.peer, "sha-256", rtc_fingerprint(server.rtc), 0, true));
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(
	    server.state == RTC_CONNECTED && client.state == RTC_CONNECTED, 5000);
	ck_assert(!rtc_peer_remote(server.peer, "sha-256", wrong, 5000, false));
	ck_assert_uint_eq(server.channels, 0);
	rtc_describe(&server, &client);
	rtc_describe(&client, &server);
	rtc_describe(&server, &client);
	rtc_expect(server.channels == 2 && client.channels == 2, 20000);
	ck_assert(rtc_peer_send_message(client.peer, "_reliable", "late", 4));
	rtc_expect(server.messages == 1, 20000);
}
END_TEST

/* ---- hosts with several addresses ---- */

static const struct {
	const char *listen, *address;
} answering[] = { { "127.0.0.1", "127.0.0.1" }, { "0.0.0.0", "127.0.0.1" },
	{ "0.0.0.0", "127.0.0.2" }, { "0.0.0.0", "127.3.2.1" }, { "::", "::1" },
	{ "::1", "::1" } };

START_TEST(answers_come_from_the_address_that_was_asked)
{
	unsigned char p[STUN_ROOM];
	int fd;

	rtc_side_open(&server, answering[_i].listen, false, 100);
	rtc_side_peer(&server, true);
	fd = rtc_stranger_at(answering[_i].address, rtc_port(server.rtc));
	ck_assert(raw_is_answered(fd, p, raw_request(p, true)));
	ck_assert(raw_is_answered(fd, p, raw_request(p, false)));
	close(fd);
}
END_TEST

/* ---- ICE ---- */

START_TEST(a_restart_keeps_everything)
{
	unsigned char p[STUN_ROOM];
	int fd;

	rtc_connect("127.0.0.1", false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	rtc_peer_receive(server.peer, RTP_OPUS, 0);
	fd = rtc_stranger(rtc_port(server.rtc));
	ck_assert(raw_is_answered(fd, p, raw_request(p, false)));

	ice_credentials_new(&server.ice);
	rtc_peer_restart(server.peer, &server.ice);
	rtc_send(&client, 1, 1, "the old pair");
	rtc_expect(server.packets == 1, 5000);
	ck_assert(raw_is_answered(fd, p, raw_request(p, false)));

	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_until(false, 50);
	rtc_send(&client, 1, 2, "the new pair");
	rtc_expect(server.packets == 2, 5000);
	ck_assert_int_eq(server.state, RTC_CONNECTED);
	ck_assert(rtc_peer_send_message(server.peer, "_reliable", "x", 1));
	rtc_expect(client.messages == 1, 5000);
	close(fd);
}
END_TEST

START_TEST(credentials_of_before_a_restart_end_with_it)
{
	struct ice_credentials old;
	unsigned char p[STUN_ROOM];
	size_t n;
	int fd;

	rtc_connect("127.0.0.1", false);
	fd = rtc_stranger(rtc_port(server.rtc));
	n = raw_request(p, false);
	old = server.ice;
	raw_check.peer_pwd = old.pwd;
	ice_credentials_new(&server.ice);
	rtc_peer_restart(server.peer, &server.ice);
	ck_assert(raw_is_answered(fd, p, n));
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	for (int i = 0; i < 100 && !raw_is_dropped(fd, p, n); i++)
		;
	ck_assert(raw_is_dropped(fd, p, n));
	close(fd);
}
END_TEST

START_TEST(the_pair_follows_the_client)
{
	rtc_open_both("127.0.0.1");
	rtc_describe(&server, &client);
	rtc_describe(&client, &server);
	rtc_dial("127.0.0.1", relay_open(0), false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	rtc_peer_receive(client.peer, RTP_OPUS, 0);
	rtc_send(&server, 1, 1, "x");
	rtc_expect(client.packets == 1, 5000);
	relay_move();
	clock_us += 3 * S_US; /* the next check is due */
	for (uint16_t i = 2; client.packets < 2 && i < 500; i++) {
		rtc_send(&server, 1, i, "x");
		rtc_until(client.packets == 2, 10);
	}
	ck_assert_uint_eq(client.packets, 2);
	relay_close();
}
END_TEST

/* ---- ports ---- */

/* A port that another socket uses is refused, until that socket is closed. */
static void
refuse_taken(struct rtc_settings *s, int family, int type)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };
	socklen_t n = family == AF_INET6 ? sizeof(six) : sizeof(four);
	void *at = family == AF_INET6 ? (void *)&six : (void *)&four;
	int fd = socket(family, type, 0);

	six.sin6_addr = in6addr_loopback;
	four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(fd, at, n), 0);
	ck_assert_int_eq(getsockname(fd, at, &n), 0);
	if (type == SOCK_STREAM)
		ck_assert_int_eq(listen(fd, 1), 0);
	s->at.port = ntohs(family == AF_INET6 ? six.sin6_port : four.sin_port);
	ck_assert_ptr_null(rtc_open(mem, s, &rtc_events));
	close(fd);
}

START_TEST(a_port_that_is_taken_is_refused)
{
	static const char *const listens[] = { "127.0.0.1", "127.0.0.1,::1", "::1" };
	struct rtc_settings s = { .at = { .listen = listens[_i], .tcp = true },
		.max_peers = 1 };

	/* another program may use the same number for UDP or TCP */
	for (int i = 0; i < 20 && server.rtc == NULL; i++) {
		refuse_taken(&s, _i > 0 ? AF_INET6 : AF_INET,
		    _i == 2 ? SOCK_STREAM : SOCK_DGRAM);
		server.rtc = rtc_open(mem, &s, &rtc_events);
	}
	ck_assert_ptr_nonnull(server.rtc);
	ck_assert_int_eq(rtc_port(server.rtc), s.at.port);
}
END_TEST

START_TEST(what_is_no_address_is_refused)
{
	struct rtc_settings s = { .at = { .listen = "localhost" }, .max_peers = 1 };

	ck_assert_ptr_null(rtc_open(mem, &s, &rtc_events));
}
END_TEST

START_TEST(both_families_share_a_port)
{
	rtc_side_open(&server, "127.0.0.1, ::1", false, 2);
	rtc_side_open(&client, "127.0.0.1", true, 2);
	for (int i = 0; i < 2; i++) {
		rtc_side_peer(&server, true);
		rtc_side_peer(&client, false);
		rtc_describe(&server, &client);
		rtc_describe(&client, &server);
		rtc_dial(i == 0 ? "127.0.0.1" : "::1", rtc_port(server.rtc), false);
		rtc_expect(server.channels == 2 * (unsigned)i + 2 &&
			       client.channels == 2 * (unsigned)i + 2,
		    5000);
	}
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("rtc_life");
	TCase *t = tcase_create("rtc_life");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, rtc_setup, rtc_teardown);
	tcase_add_test(t, a_wrong_fingerprint_fails);
	tcase_add_test(t, a_hash_that_is_not_known_fails);
	tcase_add_test(t, the_first_fingerprint_is_kept);
	tcase_add_test(t, the_description_may_come_after_the_handshake);
	tcase_add_test(t, silence_of_30_s_fails);
	tcase_add_test(t, checks_keep_it_alive);
	tcase_add_test(t, a_handshake_that_does_not_come_fails);
	tcase_add_test(
	    t, an_association_that_does_not_come_fails_at_the_second_attempt);
	tcase_add_test(t, without_data_channels_it_stays);
	tcase_add_test(t, data_channels_may_be_described_later);
	tcase_add_loop_test(
	    t, answers_come_from_the_address_that_was_asked, 0, COUNT(answering));
	tcase_add_test(t, a_restart_keeps_everything);
	tcase_add_test(t, credentials_of_before_a_restart_end_with_it);
	tcase_add_test(t, the_pair_follows_the_client);
	tcase_add_loop_test(t, a_port_that_is_taken_is_refused, 0, 3);
	tcase_add_test(t, what_is_no_address_is_refused);
	tcase_add_test(t, both_families_share_a_port);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
