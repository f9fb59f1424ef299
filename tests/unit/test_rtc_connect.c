/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/rtc_relay.h"

#define LARGE (256 << 10)

/* ---- media ---- */

START_TEST(packets_go_both_ways)
{
	rtc_connect("127.0.0.1", false);
	rtc_peer_receive(server.peer, RTP_OPUS, 7);
	rtc_peer_receive(client.peer, RTP_OPUS, 0);
	for (uint16_t i = 0; i < 50; i++) {
		rtc_send(&client, 7, (uint16_t)(65510 + i), "from the client");
		rtc_send(&server, 9, i, "from the server");
	}
	rtc_expect(server.packets == 50 && client.packets == 50, 5000);
	ck_assert_uint_eq(server.last.ssrc, 7);
	ck_assert_uint_eq(server.last.n, strlen("from the client"));
	ck_assert_mem_eq(server.last.p, "from the client", server.last.n);
	ck_assert_uint_eq(client.last.ssrc, 9);
	ck_assert_uint_eq(client.last.ts, 960 * 49);
}
END_TEST

/* Sends media and data in both directions; either side may have begun DTLS. */
static void
assert_connected(void)
{
	rtc_expect(
	    server.state == RTC_CONNECTED && client.state == RTC_CONNECTED, 5000);
	rtc_peer_receive(server.peer, RTP_OPUS, 7);
	rtc_peer_receive(client.peer, RTP_OPUS, 0);
	rtc_send(&client, 7, 1, "from the client");
	rtc_send(&server, 9, 1, "from the server");
	rtc_expect(server.packets == 1 && client.packets == 1, 5000);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	ck_assert(rtc_peer_send_message(server.peer, "_reliable", "to it", 5));
	ck_assert(rtc_peer_send_message(client.peer, "_reliable", "back", 4));
	rtc_expect(server.messages == 1 && client.messages == 1, 5000);
	ck_assert_mem_eq(client.message, "to it", 5);
	ck_assert_mem_eq(server.message, "back", 4);
}

START_TEST(a_passive_client_is_called)
{
	rtc_open_both("127.0.0.1");
	rtc_describe_passive(&server, &client);
	rtc_describe_passive(&client, &server);
	rtc_dial("127.0.0.1", rtc_port(server.rtc), _i == 1);
	assert_connected();
}
END_TEST

/* The client's checks may arrive before its description. */
START_TEST(a_passive_client_is_called_once_it_is_described)
{
	rtc_open_both("127.0.0.1");
	rtc_describe_passive(&client, &server);
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(server.state == RTC_CHECKED, 5000);
	rtc_until(false, 50);
	ck_assert_int_eq(server.state, RTC_CHECKED);
	rtc_describe_passive(&server, &client);
	assert_connected();
	ck_assert(rtc_peer_remote(/* the role stays the same */
	    server.peer, "sha-256", rtc_fingerprint(client.rtc), 5000, false));
	rtc_send(&server, 9, 2, "again");
	rtc_expect(client.packets == 2, 5000);
}
END_TEST

START_TEST(a_passive_client_behind_loss_is_called)
{
	rtc_open_both("127.0.0.1");
	rtc_describe_passive(&server, &client);
	rtc_describe_passive(&client, &server);
	rtc_dial("127.0.0.1", relay_open(20), false);
	rtc_expect(
	    server.state == RTC_CONNECTED && client.state == RTC_CONNECTED, 5000);
}
END_TEST

START_TEST(a_passive_client_with_another_certificate_fails)
{
	rtc_open_both("127.0.0.1");
	ck_assert(rtc_peer_remote(
	    server.peer, "sha-256", rtc_fingerprint(server.rtc), 5000, true));
	rtc_describe_passive(&client, &server);
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(server.state == RTC_FAILED, 5000);
}
END_TEST

START_TEST(packets_over_ipv6)
{
	rtc_connect("::1", false);
	rtc_peer_receive(server.peer, RTP_OPUS, 7);
	rtc_send(&client, 7, 1, "six");
	rtc_expect(server.packets == 1, 5000);
}
END_TEST

/* DTX: 400 ms between packets, across a wrap of numbers and of time. */
START_TEST(gaps_do_not_end_a_stream)
{
	rtc_connect("127.0.0.1", false);
	rtc_peer_receive(server.peer, RTP_OPUS, 7);
	for (int i = 0; i < 20; i++) {
		rtc_send(&client, 7, (uint16_t)(65000 + 100 * i), "sound");
		clock_us += 400000;
		rtc_expect(server.packets == (unsigned)i + 1, 5000);
	}
}
END_TEST

START_TEST(only_the_source_that_is_named_is_heard)
{
	struct rtp_packet video = {
		.type = 96, .ssrc = 7, .p = (const unsigned char *)"x", .n = 1
	};

	rtc_connect("127.0.0.1", false);
	rtc_send(&client, 7, 1, "before it is wanted");
	rtc_until(false, 20);
	rtc_peer_receive(server.peer, RTP_OPUS, 7);
	rtc_send(&client, 8, 1, "another source");
	rtc_peer_send(client.peer, &video);
	rtc_send(&client, 7, 2, "wanted");
	rtc_expect(server.packets > 0, 5000);
	ck_assert_uint_eq(server.packets, 1);
	ck_assert_uint_eq(server.last.seq, 2);
}
END_TEST

START_TEST(the_first_source_stays_while_it_speaks)
{
	rtc_connect("127.0.0.1", false);
	rtc_peer_receive(server.peer, RTP_OPUS, 0);
	rtc_send(&client, 7, 1, "first");
	rtc_send(&client, 8, 1, "second");
	rtc_send(&client, 7, 2, "first");
	rtc_expect(server.packets == 2, 5000);
	ck_assert_uint_eq(server.last.ssrc, 7);
	clock_us += 3 * S_US;
	rtc_until(false, 20);
	rtc_send(&client, 8, 2, "second");
	rtc_expect(server.packets == 3, 5000);
	ck_assert_uint_eq(server.last.ssrc, 8);
}
END_TEST

START_TEST(receivers_report_their_loss)
{
	struct rtc_peer_stats stats;

	rtc_connect("127.0.0.1", false);
	rtc_peer_receive(client.peer, RTP_OPUS, 0);
	rtc_peer_report(server.peer, 9, "PA_translator", true);
	for (uint16_t i = 0; i < 100; i++)
		if (i % 4 != 2)
			rtc_send(&server, 9, i, "sound");
	rtc_expect(client.packets == 75, 5000);
	clock_us += 6 * S_US;
	rtc_expect(server.loss >= 0, 5000);
	ck_assert_int_eq(server.loss, 25);
	ck_assert_uint_eq(server.loss_ssrc, 9);
	rtc_peer_report(server.peer, 8, NULL, false);
	rtc_peer_report(server.peer, 9, NULL, false);
	server.loss = -1;
	clock_us += 6 * S_US;
	rtc_until(false, 50);
	ck_assert_int_eq(server.loss, -1);
	rtc_peer_stats(client.peer, &stats);
	ck_assert_uint_eq(stats.received, 75);
	ck_assert_uint_eq(stats.lost, 25);
	ck_assert_int_gt(stats.connected_us, stats.open_us);
}
END_TEST

START_TEST(repeated_packets_are_dropped)
{
	struct rtc_peer_stats stats;
	unsigned char p[1500];
	ssize_t n;

	rtc_open_both("127.0.0.1");
	rtc_describe(&server, &client);
	rtc_describe(&client, &server);
	rtc_dial("127.0.0.1", relay_open(0), false);
	rtc_expect(
	    server.state == RTC_CONNECTED && client.state == RTC_CONNECTED, 5000);
	rtc_peer_receive(server.peer, RTP_OPUS, 7);
	rtc_until(false, 50);
	rtc_send(&client, 7, 1, "once");
	while ((n = recv(relay.near, p, sizeof(p), 0)) > 0 && p[0] != 0x80)
		;
	ck_assert_int_gt(n, 12);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(send(relay.far, p, (size_t)n, 0), n);
	rtc_until(false, 50);
	ck_assert_uint_eq(server.packets, 1);
	rtc_peer_stats(server.peer, &stats);
	ck_assert_uint_eq(stats.srtp_failures, 2);
	relay_close();
}
END_TEST

/* ---- data ---- */

START_TEST(messages_go_both_ways)
{
	rtc_connect("127.0.0.1", false);
	ck_assert(!rtc_peer_send_message(client.peer, "_reliable", "too early", 9));
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	ck_assert(rtc_peer_send_message(server.peer, "_reliable", "down", 4));
	ck_assert(rtc_peer_send_message(client.peer, "_lossy", "up", 2));
	rtc_expect(server.messages == 1 && client.messages == 1, 5000);
	ck_assert_str_eq(server.label, "_lossy");
	ck_assert_mem_eq(server.message, "up", 2);
	ck_assert_str_eq(client.label, "_reliable");
	ck_assert_mem_eq(client.message, "down", 4);
	ck_assert(!rtc_peer_send_message(server.peer, "_other", "x", 1));
	ck_assert(!rtc_peer_has_channel(server.peer, "_other"));
}
END_TEST

static const size_t sizes[] = { 1, 1150, 15 << 10, 64 << 10, 200 << 10, LARGE };

START_TEST(long_messages_arrive_whole)
{
	static unsigned char p[LARGE + 1];
	size_t n = sizes[_i];

	random_bytes(p, sizeof(p));
	rtc_connect("127.0.0.1", false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	ck_assert(rtc_peer_send_message(server.peer, "_reliable", p, n));
	ck_assert(rtc_peer_send_message(client.peer, "_reliable", p, n));
	rtc_expect(server.messages == 1 && client.messages == 1, 5000);
	ck_assert_uint_eq(server.message_n, n);
	ck_assert_mem_eq(server.message, p, n);
	ck_assert_uint_eq(client.message_n, n);
	ck_assert_mem_eq(client.message, p, n);
	ck_assert(!rtc_peer_send_message(server.peer, "_reliable", p, LARGE + 1));
}
END_TEST

/* The number of waiting messages is bounded, and they arrive when the client reads
   again. */
START_TEST(messages_wait_up_to_a_limit)
{
	static unsigned char p[64 << 10];
	unsigned sent = 0;
	int64_t since;

	rtc_connect("127.0.0.1", false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	ck_assert_uint_eq(rtc_peer_unsent(server.peer, &since), 0);
	while (rtc_peer_send_message(server.peer, "_reliable", p, sizeof(p)))
		ck_assert_uint_lt(++sent, 40);
	ck_assert_uint_ge(sent, 16);
	ck_assert_uint_le(rtc_peer_unsent(server.peer, &since), 1 << 20);
	ck_assert_uint_ge(rtc_peer_unsent(server.peer, &since), 15 << 16);
	ck_assert_int_gt(since, 0);
	rtc_expect(client.messages == sent, 10000);
	ck_assert_uint_eq(rtc_peer_unsent(server.peer, &since), 0);
	ck_assert(rtc_peer_send_message(server.peer, "_reliable", p, 5));
	rtc_expect(client.messages == sent + 1, 5000);
}
END_TEST

/* The client opens the channels, as on a publisher's peer connection. */
START_TEST(the_client_may_open_the_channels)
{
	rtc_side_open(&server, "127.0.0.1", false, 100);
	rtc_side_open(&client, "127.0.0.1", true, 100);
	rtc_side_peer(&server, false);
	rtc_side_peer(&client, true);
	rtc_describe(&server, &client);
	rtc_describe(&client, &server);
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	ck_assert(rtc_peer_send_message(client.peer, "_reliable", "hello", 5));
	rtc_expect(server.messages == 1, 5000);
	ck_assert(rtc_peer_send_message(server.peer, "_reliable", "hello", 5));
	rtc_expect(client.messages == 1, 5000);
}
END_TEST

/* ---- loss ---- */

START_TEST(a_fifth_of_all_datagrams_may_be_lost)
{
	unsigned sent = 0;

	rtc_open_both("127.0.0.1");
	rtc_describe(&server, &client);
	rtc_describe(&client, &server);
	rtc_dial("127.0.0.1", relay_open(20), false);
	rtc_expect(server.channels == 2 && client.channels == 2, 15000);
	ck_assert_uint_gt(relay.lost, 2);
	rtc_peer_receive(server.peer, RTP_OPUS, 7);
	for (uint16_t i = 0; i < 100; i++) {
		rtc_send(&client, 7, i, "sound");
		sent += rtc_peer_send_message(server.peer, "_reliable", "text", 4);
	}
	ck_assert_uint_eq(sent, 100);
	rtc_expect(client.messages == 100, 15000);
	ck_assert_uint_gt(server.packets, 60);
	ck_assert_uint_lt(server.packets, 98);
	relay_close();
}
END_TEST

/* ---- life ---- */

START_TEST(closing_tells_the_other_side)
{
	rtc_connect("127.0.0.1", false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	rtc_peer_close(client.peer);
	client.peer = NULL;
	rtc_expect(server.state == RTC_FAILED, 5000);
	ck_assert_ptr_nonnull(
	    strstr(rtc_peer_failure(server.peer), "the other side ended"));
	rtc_peer_send(server.peer, &(struct rtp_packet){ 0 });
	ck_assert(!rtc_peer_send_message(server.peer, "_reliable", "x", 1));
}
END_TEST

/*
 * The peer connection is closed in the callbacks of state, packet, channel and message.
 */
START_TEST(a_callback_may_close_its_peer_connection)
{
	if (_i == 0) {
		rtc_open_both("127.0.0.1");
		rtc_describe(&server, &client);
		rtc_describe(&client, &server);
		server.closes = true;
		rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	} else {
		rtc_connect("127.0.0.1", false);
		server.closes = _i == 2 && server.channels < 2;
	}
	if (_i != 2)
		rtc_until(client.channels == 2 && server.channels == 2,
		    server.closes ? 100 : 5000);
	if (_i == 1) {
		rtc_peer_receive(server.peer, RTP_OPUS, 0);
		server.closes = true;
		rtc_send(&client, 1, 1, "x");
		rtc_send(&client, 1, 2, "x");
	} else if (_i == 3) {
		server.closes = true;
		for (int i = 0; i < 5; i++)
			ck_assert(
			    rtc_peer_send_message(client.peer, "_reliable", "x", 1));
	}
	rtc_expect(server.peer == NULL, 5000);
	rtc_until(false, 50);
	if (_i != 0)
		ck_assert_int_eq(client.state, RTC_FAILED);
}
END_TEST

START_TEST(peer_connections_are_counted)
{
	struct rtc_peer *first, *second;
	struct rtc_stats stats;

	rtc_side_open(&server, "127.0.0.1", false, 2);
	rtc_side_peer(&server, true);
	first = server.peer;
	rtc_side_peer(&server, true);
	second = server.peer;
	ice_credentials_new(&server.ice);
	ck_assert_ptr_null(rtc_peer_open(server.rtc, &server, &server.ice, true));
	rtc_stats(server.rtc, &stats);
	ck_assert_uint_eq(stats.peers[RTC_NEW], 2);
	rtc_peer_close(first);
	rtc_stats(server.rtc, &stats);
	ck_assert_uint_eq(stats.peers[RTC_NEW], 1);
	ck_assert_ptr_nonnull(rtc_peer_open(server.rtc, &server, &server.ice, true));
	rtc_peer_close(second);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("rtc_connect");
	TCase *t = tcase_create("rtc_connect");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, rtc_setup, rtc_teardown);
	tcase_add_test(t, packets_go_both_ways);
	tcase_add_loop_test(t, a_passive_client_is_called, 0, 2);
	tcase_add_test(t, a_passive_client_is_called_once_it_is_described);
	tcase_add_test(t, a_passive_client_behind_loss_is_called);
	tcase_add_test(t, a_passive_client_with_another_certificate_fails);
	tcase_add_test(t, packets_over_ipv6);
	tcase_add_test(t, gaps_do_not_end_a_stream);
	tcase_add_test(t, only_the_source_that_is_named_is_heard);
	tcase_add_test(t, the_first_source_stays_while_it_speaks);
	tcase_add_test(t, receivers_report_their_loss);
	tcase_add_test(t, repeated_packets_are_dropped);
	tcase_add_test(t, messages_go_both_ways);
	tcase_add_loop_test(t, long_messages_arrive_whole, 0, COUNT(sizes));
	tcase_add_test(t, messages_wait_up_to_a_limit);
	tcase_add_test(t, the_client_may_open_the_channels);
	tcase_add_test(t, a_fifth_of_all_datagrams_may_be_lost);
	tcase_add_test(t, closing_tells_the_other_side);
	tcase_add_loop_test(t, a_callback_may_close_its_peer_connection, 0, 4);
	tcase_add_test(t, peer_connections_are_counted);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
