/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/peer.h"
#include "tests/unit/rtc_raw.h"
#include "tests/unit/rtc_relay.h"

/* ---- checks ---- */

/* Changes the request so that it must be dropped. */
static size_t
not_a_request(unsigned char *p, size_t n)
{
	p[0] = 1; /* a success */
	return n;
}

static size_t
wrong_cookie(unsigned char *p, size_t n)
{
	p[4] ^= 1;
	return n;
}

static size_t
wrong_length(unsigned char *p, size_t n)
{
	p[3] = (unsigned char)(p[3] + 4);
	return n;
}

static size_t
too_short(unsigned char *p, size_t n)
{
	(void)p;
	return n - 8;
}

static size_t
too_long(unsigned char *p, size_t n)
{
	(void)p;
	return n + 4;
}

static size_t
wrong_content(unsigned char *p, size_t n)
{
	p[30] ^= 1; /* a byte of USERNAME */
	return n;
}

static size_t
head_alone(unsigned char *p, size_t n)
{
	(void)n;
	p[3] = 0;
	return 20;
}

static size_t
one_byte(unsigned char *p, size_t n)
{
	(void)p, (void)n;
	return 1;
}

static size_t (*const spoils[])(unsigned char *, size_t) = { not_a_request,
	wrong_cookie, wrong_length, too_short, too_long, wrong_content, head_alone,
	one_byte };

START_TEST(bad_checks_are_dropped_without_an_answer)
{
	unsigned char p[STUN_ROOM + 8] = "";
	struct rtc_stats stats;
	int fd;
	size_t n;

	rtc_side_open(&server, "127.0.0.1", false, 100);
	rtc_side_peer(&server, true);
	fd = rtc_stranger(rtc_port(server.rtc));
	n = spoils[_i](p, raw_request(p, true));
	ck_assert_int_eq(send(fd, p, n, 0), (ssize_t)n);
	ck_assert_int_lt(raw_answer(fd, p, sizeof(p), 30), 0);
	rtc_stats(server.rtc, &stats);
	ck_assert_uint_eq(stats.bad_stun, 1);
	ck_assert_uint_eq(stats.datagrams_out, 0);
	ck_assert_int_eq(server.state, RTC_NEW);
	ck_assert(raw_is_answered(fd, p, raw_request(p, true)));
	ck_assert_int_eq(server.state, RTC_CHECKED);
	close(fd);
}
END_TEST

START_TEST(a_wrong_password_or_ufrag_is_dropped)
{
	struct ice_credentials is;
	unsigned char p[STUN_ROOM];
	int fd;

	rtc_side_open(&server, "127.0.0.1", false, 100);
	rtc_side_peer(&server, true);
	fd = rtc_stranger(rtc_port(server.rtc));
	is = server.ice;
	server.ice.pwd[0] ^= 1;
	ck_assert(raw_is_dropped(fd, p, raw_request(p, true)));
	server.ice = is;
	server.ice.ufrag[0] ^= 1;
	ck_assert(raw_is_dropped(fd, p, raw_request(p, true)));
	ck_assert_int_eq(server.state, RTC_NEW);
	close(fd);
}
END_TEST

START_TEST(strangers_are_not_answered)
{
	static const unsigned char firsts[] = { 4, 19, 20, 22, 63, 64, 127, 128, 144,
		191, 192, 255 };
	unsigned char p[1600] = "";
	struct rtc_stats stats;
	int fd;

	rtc_connect("127.0.0.1", false);
	fd = rtc_stranger(rtc_port(server.rtc));
	for (int i = 0; i < COUNT(firsts); i++) {
		p[0] = firsts[i];
		ck_assert_int_eq(send(fd, p, 100, 0), 100);
	}
	ck_assert_int_eq(send(fd, p, 0, 0), 0);
	ck_assert_int_eq(send(fd, p, 1501, 0), 1501);
	ck_assert_int_eq(send(fd, p, 1600, 0), 1600);
	ck_assert_int_lt(raw_answer(fd, p, sizeof(p), 30), 0);
	rtc_stats(server.rtc, &stats);
	ck_assert_uint_eq(stats.unknown, COUNT(firsts) + 3);
	close(fd);
}
END_TEST

/* ---- from one that has passed a check ---- */

START_TEST(a_peer_has_sixteen_paths)
{
	unsigned char p[STUN_ROOM];
	int fds[20];
	struct rtc_stats before, after;

	rtc_side_open(&server, "127.0.0.1", false, 100);
	rtc_side_peer(&server, true);
	for (int i = 0; i < COUNT(fds); i++) {
		fds[i] = rtc_stranger(rtc_port(server.rtc));
		ck_assert(raw_is_answered(fds[i], p, raw_request(p, false)));
	}
	rtc_stats(server.rtc, &before);
	for (int i = 0; i < COUNT(fds); i++) {
		ck_assert_int_eq(send(fds[i], "\x80", 1, 0), 1);
		rtc_until(false, 0);
		rtc_stats(server.rtc, &after);
		ck_assert_uint_eq(after.unknown - before.unknown, i < 4 ? 1 : 0);
		before = after;
		close(fds[i]);
	}
}
END_TEST

/* A client that receives, and sends no more checks. */
static void
connect_and_fall_silent(struct rtc **silent)
{
	rtc_connect("127.0.0.1", false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	*silent = client.rtc;
	client.rtc = NULL;
}

/*
 * Returns the number of the server's packets that arrive at the socket, this many
 * seconds from now.
 */
static int
packets_at(int fd, int64_t s)
{
	static uint16_t seq;
	unsigned char p[2000];
	int n = 0;
	ssize_t got;

	clock_us += s * S_US;
	rtc_until(false, 0);
	for (int i = 0; i < 20; i++)
		rtc_send(&server, 9, seq++, "speech");
	while ((got = raw_answer(fd, p, sizeof(p), 0)) >= 0)
		n += got > 0 && p[0] >= 128;
	return n;
}

/*
 * One check may have a forged source address. Without the limit, a listener's stream
 * could be sent to another host for 30 s.
 */
START_TEST(a_path_of_one_check_is_sent_to_for_5_s)
{
	unsigned char p[STUN_ROOM];
	struct rtc *silent;
	int fd;
	size_t n;

	connect_and_fall_silent(&silent);
	fd = rtc_stranger(rtc_port(server.rtc));
	n = raw_request(p, true);
	ck_assert(raw_is_answered(fd, p, n));
	ck_assert_int_eq(packets_at(fd, 0), 20);
	ck_assert_int_eq(packets_at(fd, 4), 20);
	ck_assert(raw_is_answered(fd, p, n));
	ck_assert_int_eq(packets_at(fd, 2), 0);
	ck_assert(raw_is_answered(fd, p, n));
	ck_assert_int_eq(packets_at(fd, 0), 0);
	client.rtc = silent;
	clock_us += 3 * S_US; /* its next check is due */
	rtc_peer_receive(client.peer, RTP_OPUS, 0);
	for (uint16_t i = 100; client.packets == 0 && i < 600; i++) {
		rtc_send(&server, 9, i, "speech");
		rtc_until(client.packets > 0, 10);
	}
	ck_assert_uint_gt(client.packets, 0);
	close(fd);
}
END_TEST

/* Nomination as browsers do it: a check, then a second check that nominates. */
START_TEST(a_path_of_two_checks_is_sent_to)
{
	unsigned char p[STUN_ROOM];
	struct rtc *silent;
	int fd;

	connect_and_fall_silent(&silent);
	fd = rtc_stranger(rtc_port(server.rtc));
	ck_assert(raw_is_answered(fd, p, raw_request(p, _i == 0)));
	ck_assert(raw_is_answered(fd, p, raw_request(p, _i == 1)));
	ck_assert_int_eq(packets_at(fd, 0), 20);
	ck_assert_int_eq(packets_at(fd, 8), 20);
	client.rtc = silent;
	close(fd);
}
END_TEST

/* After 5 s the address sends again, or another address that was used before. */
START_TEST(a_path_may_be_proven_late)
{
	unsigned char p[STUN_ROOM];
	struct rtc *silent;
	int fd, other;

	connect_and_fall_silent(&silent);
	fd = rtc_stranger(rtc_port(server.rtc));
	ck_assert(raw_is_answered(fd, p, raw_request(p, true)));
	ck_assert_int_eq(packets_at(fd, 6), 0);
	ck_assert(raw_is_answered(fd, p, raw_request(p, true)));
	ck_assert_int_eq(packets_at(fd, 0), 20);
	other = rtc_stranger(rtc_port(server.rtc));
	ck_assert(raw_is_answered(other, p, raw_request(p, true)));
	ck_assert_int_eq(packets_at(other, 6), 0);
	ck_assert_int_eq(packets_at(fd, 0), 0);
	ck_assert(raw_is_answered(fd, p, raw_request(p, false)));
	ck_assert_int_eq(packets_at(fd, 0), 20);
	ck_assert_int_eq(packets_at(other, 0), 0);
	client.rtc = silent;
	close(fd);
	close(other);
}
END_TEST

/* Encrypted data of the client proves more than a check. */
START_TEST(media_prove_a_path)
{
	rtc_open_both("127.0.0.1");
	rtc_describe(&server, &client);
	rtc_describe(&client, &server);
	rtc_dial("127.0.0.1", relay_open(0), false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	rtc_peer_receive(server.peer, RTP_OPUS, 7);
	rtc_peer_receive(client.peer, RTP_OPUS, 0);
	relay_move();
	rtc_peer_connect(client.peer, &(struct ice_candidate){ .port = 0 },
	    server.ice.ufrag, server.ice.pwd); /* checks now */
	rtc_until(false, 50);
	rtc_send(&client, 7, 1, "speech");
	rtc_expect(server.packets == 1, 5000);
	client.peer->check->due_us = INT64_MAX;
	clock_us += 6 * S_US;
	rtc_until(false, 5);
	rtc_send(&server, 9, 1, "speech");
	rtc_expect(client.packets == 1, 1000);
	relay_close();
}
END_TEST

START_TEST(datagrams_beyond_the_rate_are_dropped)
{
	unsigned char p[STUN_ROOM];
	struct rtc_stats stats;
	int fd;

	rtc_side_open(&server, "127.0.0.1", false, 100);
	rtc_side_peer(&server, true);
	fd = rtc_stranger(rtc_port(server.rtc));
	ck_assert(raw_is_answered(fd, p, raw_request(p, false)));
	for (int i = 0; i < 3000; i++) {
		ck_assert_int_eq(send(fd, "\x80", 1, 0), 1);
		if (i % 50 == 0)
			rtc_turn(&server);
	}
	rtc_until(false, 10);
	rtc_stats(server.rtc, &stats);
	ck_assert_uint_le(stats.unknown, 3000 - 799);
	ck_assert_uint_ge(stats.unknown, 100);
	ck_assert_uint_ge(stats.datagrams_in, 2500);
	clock_us += S_US;
	rtc_until(false, 10);
	ck_assert(raw_is_answered(fd, p, raw_request(p, false)));
	close(fd);
}
END_TEST

/* A datagram with the first byte of each kind and random content. */
static size_t
random_datagram(unsigned char *p, uint32_t *state)
{
	static const unsigned char firsts[] = { 0, 1, 20, 21, 22, 23, 25, 63, 128, 144,
		160, 176 };
	size_t n;

	random_bytes(p, 1400);
	*state = *state * 1664525 + 1013904223;
	n = 1 + (*state >> 8) % 1400;
	p[0] = firsts[(*state >> 4) % COUNT(firsts)];
	if (p[0] >= 20 && p[0] < 64 && n > 13) {
		memcpy(p + 1, "\xfe\xfd\0", 3);
		p[4] = p[4] & 1;
		p[11] = (unsigned char)((n - 13) >> 8);
		p[12] = (unsigned char)(n - 13);
	}
	return n;
}

/* The garbage arrives on a path of the peer and does no harm: sound still passes in
   both directions. */
START_TEST(garbage_does_no_harm)
{
	unsigned char p[1500];
	uint32_t state = 1;
	int fd;

	rtc_connect("127.0.0.1", false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	rtc_peer_receive(server.peer, RTP_OPUS, 0);
	rtc_peer_report(server.peer, 1, "x", true);
	fd = rtc_stranger(rtc_port(server.rtc));
	ck_assert(raw_is_answered(fd, p, raw_request(p, false)));
	for (int i = 0; i < 8000; i++) {
		size_t n = random_datagram(p, &state);

		send(fd, p, n, 0);
		if (i % 20 != 0)
			continue;
		clock_us += S_US / 20;
		rtc_turn(&server);
		rtc_turn(&client);
	}
	rtc_until(false, 20);
	ck_assert_int_eq(server.state, RTC_CONNECTED);
	clock_us += 2 * S_US;
	rtc_until(false, 20);
	rtc_send(&client, 1, 1, "x");
	ck_assert(rtc_peer_send_message(client.peer, "_reliable", "x", 1));
	ck_assert(rtc_peer_send_message(server.peer, "_reliable", "x", 1));
	rtc_expect(
	    server.packets == 1 && server.messages == 1 && client.messages == 1, 5000);
	close(fd);
}
END_TEST

/* OpenSSL 3.0 would end the connection. */
START_TEST(records_without_room_for_their_tag_are_dropped)
{
	unsigned char p[STUN_ROOM];
	int fd;

	rtc_connect("127.0.0.1", false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	fd = rtc_stranger(rtc_port(server.rtc));
	ck_assert(raw_is_answered(fd, p, raw_request(p, false)));
	for (int type = 20; type < 24; type++)
		for (unsigned char n = 0; n < 40; n++) {
			memcpy(p, "\x17\xfe\xfd\0\1\0\0\0\0\0\xff\0", 12);
			p[0] = (unsigned char)type;
			p[12] = n;
			ck_assert_int_eq(send(fd, p, 13U + n, 0), 13 + n);
		}
	rtc_until(false, 50);
	ck_assert_int_eq(server.state, RTC_CONNECTED);
	ck_assert(rtc_peer_send_message(server.peer, "_reliable", "x", 1));
	rtc_expect(client.messages == 1, 5000);
	close(fd);
}
END_TEST

/* Before the DTLS handshake is complete. */
START_TEST(garbage_before_the_handshake_does_no_harm)
{
	unsigned char p[1500];
	uint32_t state = 2;
	int fd;

	rtc_open_both("127.0.0.1");
	rtc_describe(&server, &client);
	rtc_describe(&client, &server);
	fd = rtc_stranger(rtc_port(server.rtc));
	ck_assert(raw_is_answered(fd, p, raw_request(p, false)));
	for (int i = 0; i < 500; i++) {
		size_t n = random_datagram(p, &state);

		p[13] |= 0x80; /* not a ClientHello */
		send(fd, p, n, 0);
		rtc_turn(&server);
	}
	ck_assert_int_ne(server.state, RTC_FAILED);
	clock_us += 2 * S_US;
	rtc_dial("127.0.0.1", rtc_port(server.rtc), false);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	close(fd);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("rtc_hostile");
	TCase *t = tcase_create("rtc_hostile");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, rtc_setup, rtc_teardown);
	tcase_add_loop_test(
	    t, bad_checks_are_dropped_without_an_answer, 0, COUNT(spoils));
	tcase_add_test(t, a_wrong_password_or_ufrag_is_dropped);
	tcase_add_test(t, strangers_are_not_answered);
	tcase_add_test(t, a_peer_has_sixteen_paths);
	tcase_add_test(t, a_path_of_one_check_is_sent_to_for_5_s);
	tcase_add_loop_test(t, a_path_of_two_checks_is_sent_to, 0, 2);
	tcase_add_test(t, a_path_may_be_proven_late);
	tcase_add_test(t, media_prove_a_path);
	tcase_add_test(t, datagrams_beyond_the_rate_are_dropped);
	tcase_add_test(t, garbage_does_no_harm);
	tcase_add_test(t, records_without_room_for_their_tag_are_dropped);
	tcase_add_test(t, garbage_before_the_handshake_does_no_harm);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
