/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/tcp_connection.h"
#include "tests/unit/rtc_raw.h"

/* ---- ICE-TCP ---- */

START_TEST(all_goes_over_tcp_too)
{
	static unsigned char p[64 << 10];
	struct rtc_peer_stats stats;

	random_bytes(p, sizeof(p));
	rtc_connect("127.0.0.1", true);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
	rtc_peer_receive(server.peer, RTP_OPUS, 7);
	rtc_peer_receive(client.peer, RTP_OPUS, 9);
	for (uint16_t i = 0; i < 50; i++) {
		rtc_send(&client, 7, i, "from the client");
		rtc_send(&server, 9, i, "from the server");
	}
	ck_assert(rtc_peer_send_message(server.peer, "_reliable", p, sizeof(p)));
	ck_assert(rtc_peer_send_message(client.peer, "_reliable", p, sizeof(p)));
	rtc_expect(server.packets == 50 && client.packets == 50, 5000);
	rtc_expect(server.messages == 1 && client.messages == 1, 5000);
	ck_assert_mem_eq(client.message, p, sizeof(p));
	rtc_peer_stats(server.peer, &stats);
	ck_assert(stats.tcp);
}
END_TEST

START_TEST(over_ipv6_too)
{
	rtc_connect("::1", true);
	rtc_expect(server.channels == 2 && client.channels == 2, 5000);
}
END_TEST

static int
raw_connect(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)rtc_port(server.rtc)) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

/* True if the server closes the connection within that time. */
static bool
closes(int fd, int ms)
{
	unsigned char p[2000];
	ssize_t n = -1;

	rtc_until(
	    (n = recv(fd, p, sizeof(p), MSG_DONTWAIT)) >= 0 || errno == ECONNRESET, ms);
	return n == 0 || (n < 0 && errno == ECONNRESET);
}

static bool
is_closed(int fd)
{
	return closes(fd, 5000);
}

static bool
stays(int fd)
{
	return !closes(fd, 30);
}

/* Sends the frame in pieces of this many bytes. */
static bool
raw_frame_is_answered(int fd, size_t piece)
{
	unsigned char p[2 + STUN_ROOM], answer[2000];
	size_t n = raw_request(p + 2, true);
	struct sockaddr_storage mapped;
	ssize_t got;

	p[0] = (unsigned char)(n >> 8);
	p[1] = (unsigned char)n;
	for (size_t at = 0; at < n + 2; at += piece) {
		size_t some = n + 2 - at < piece ? n + 2 - at : piece;

		ck_assert_int_eq(send(fd, p + at, some, MSG_NOSIGNAL), (ssize_t)some);
		if (piece < 10)
			rtc_until(false, 1);
	}
	got = raw_answer(fd, answer, sizeof(answer), 5000);
	return got > 2 &&
	       stun_read_success(answer + 2, (size_t)got - 2, &raw_check, &mapped);
}

static void
open_server(void)
{
	rtc_side_open(&server, "127.0.0.1", false, 100);
	rtc_side_peer(&server, true);
}

START_TEST(frames_may_come_in_pieces)
{
	int fd;

	open_server();
	fd = raw_connect();
	ck_assert(raw_frame_is_answered(fd, 1000));
	ck_assert(raw_frame_is_answered(fd, 1));
	ck_assert(raw_frame_is_answered(fd, 7));
	ck_assert_int_eq(server.state, RTC_CHECKED);
	close(fd);
	rtc_until(false, 20);
	ck_assert_int_eq(server.state, RTC_CHECKED);
}
END_TEST

START_TEST(a_frame_over_the_limit_ends_the_connection)
{
	int fd;

	open_server();
	fd = raw_connect();
	ck_assert(raw_frame_is_answered(fd, 1000));
	ck_assert_int_eq(send(fd, "\x05\xdd", 2, 0), 2); /* 1501 */
	ck_assert(is_closed(fd));
	close(fd);
}
END_TEST

START_TEST(a_connection_without_a_check_ends_after_10_s)
{
	int fd, proven;

	open_server();
	fd = raw_connect();
	proven = raw_connect();
	ck_assert(raw_frame_is_answered(proven, 1000));
	clock_us += 8 * S_US;
	ck_assert(stays(fd));
	ck_assert_int_eq(send(fd, "\0\1\x80", 3, 0), 3);
	clock_us += 3 * S_US;
	ck_assert(is_closed(fd));
	ck_assert(stays(proven));
	close(fd);
	close(proven);
}
END_TEST

START_TEST(an_address_has_sixteen_connections_without_a_check)
{
	int fds[17], more;

	open_server();
	for (int i = 0; i < 16; i++)
		fds[i] = raw_connect();
	for (int i = 0; i < 16; i++)
		ck_assert(stays(fds[i]));
	more = raw_connect();
	ck_assert(is_closed(more));
	close(more);
	ck_assert(raw_frame_is_answered(fds[0], 1000));
	fds[16] = raw_connect();
	ck_assert(stays(fds[16]));
	for (int i = 0; i < 17; i++)
		close(fds[i]);
	rtc_until(false, 20);
}
END_TEST

START_TEST(connections_are_counted)
{
	int fds[3];

	rtc_side_open(&server, "127.0.0.1", false, 2);
	rtc_side_peer(&server, true);
	for (int i = 0; i < 3; i++) {
		fds[i] = raw_connect();
		if (i < 2)
			ck_assert(raw_frame_is_answered(fds[i], 1000));
	}
	ck_assert(is_closed(fds[2]));
	close(fds[0]);
	rtc_until(false, 20);
	close(fds[2]);
	fds[2] = raw_connect();
	ck_assert(raw_frame_is_answered(fds[2], 1000));
	close(fds[1]);
	close(fds[2]);
}
END_TEST

/* The peer continues by UDP, or by another connection, at the next check. */
START_TEST(a_connection_that_ends_is_replaced)
{
	int fd;

	open_server();
	fd = raw_connect();
	ck_assert(raw_frame_is_answered(fd, 1000));
	close(fd);
	rtc_until(false, 20);
	ck_assert_int_eq(server.state, RTC_CHECKED);
	fd = raw_connect();
	ck_assert(raw_frame_is_answered(fd, 1000));
	close(fd);
}
END_TEST

/* ---- framing alone ---- */

static struct tcp_connection tcp;
static int far_end;

static void
open_pair(void)
{
	int fds[2], bytes = 4096;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	tcp = (struct tcp_connection){ .mem = mem, .fd = fds[0] };
	far_end = fds[1];
}

static void
close_pair(void)
{
	close(tcp.fd);
	close(far_end);
}

START_TEST(late_media_are_dropped_and_data_are_not)
{
	static unsigned char p[1200], got[2048];
	size_t media, all = 0;
	ssize_t n;

	open_pair();
	for (int i = 0; i < 100; i++)
		tcp_connection_send(&tcp, p, sizeof(p), true);
	media = tcp.out_n;
	ck_assert_uint_le(media, 64 << 10);
	ck_assert_uint_gt(media, 60 << 10);
	for (int i = 0; i < 100; i++)
		tcp_connection_send(&tcp, p, sizeof(p), false);
	ck_assert_uint_eq(tcp.out_n, media + 100 * (2 + sizeof(p)));
	ck_assert(!tcp.broken);
	while (!tcp_connection_flush(&tcp))
		while ((n = recv(far_end, got, sizeof(got), 0)) > 0)
			all += (size_t)n;
	while ((n = recv(far_end, got, sizeof(got), 0)) > 0)
		all += (size_t)n;
	ck_assert_uint_eq(all % (2 + sizeof(p)), 0);
	for (int i = 0; i < 400 && !tcp.broken; i++)
		tcp_connection_send(&tcp, p, sizeof(p), false);
	ck_assert(tcp.broken);
	ck_assert_uint_le(tcp.out_n, 256 << 10);
	close_pair();
}
END_TEST

static size_t heard, heard_n;

static void
fill(unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(n + i);
}

/*
 * Only one assertion per frame, because Check becomes slower with the number of
 * assertions.
 */
static void
hear(void *arg, unsigned char *p, size_t n)
{
	unsigned char wanted[TCP_FRAME_MOST];

	ck_assert_ptr_eq(arg, &heard);
	heard++;
	heard_n += n;
	fill(wanted, n);
	ck_assert_mem_eq(p, wanted, n);
}

/* Frames of each length up to the limit, in pieces of any size. */
START_TEST(frames_keep_their_length)
{
	unsigned char p[TCP_FRAME_MOST];
	size_t all = 0;

	open_pair();
	heard = heard_n = 0;
	for (size_t n = 0; n <= TCP_FRAME_MOST; n++) {
		struct tcp_connection out = { .mem = mem, .fd = far_end };

		fill(p, n);
		tcp_connection_send(&out, p, n, false);
		tcp_connection_read(&tcp, hear, &heard);
		ck_assert_uint_eq(out.out_n, 0);
		all += n;
	}
	ck_assert_uint_eq(heard, TCP_FRAME_MOST + 1);
	ck_assert_uint_eq(heard_n, all);
	close(far_end);
	tcp_connection_read(&tcp, hear, &heard);
	ck_assert(tcp.broken);
	close(tcp.fd);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("rtc_tcp");
	TCase *t = tcase_create("rtc_tcp");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, rtc_setup, rtc_teardown);
	tcase_add_test(t, all_goes_over_tcp_too);
	tcase_add_test(t, over_ipv6_too);
	tcase_add_test(t, frames_may_come_in_pieces);
	tcase_add_test(t, a_frame_over_the_limit_ends_the_connection);
	tcase_add_test(t, a_connection_without_a_check_ends_after_10_s);
	tcase_add_test(t, an_address_has_sixteen_connections_without_a_check);
	tcase_add_test(t, connections_are_counted);
	tcase_add_test(t, a_connection_that_ends_is_replaced);
	tcase_add_test(t, late_media_are_dropped_and_data_are_not);
	tcase_add_test(t, frames_keep_their_length);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
