/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client that reads too slowly, on a real connection. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "gateway/websocket.h"
#include "tests/unit/suite.h"

#define HEAD                                                                           \
	"GET /x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"  \
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" \
	"\r\n"
#define SMALL 4096 /* bytes that a connection allocates itself */
#define GROUPS 40
#define PIECES 10 /* pieces of a group */
#define PIECE 8192
#define OP_TEXT 1
#define OP_PING 9
/* no byte moved for this long: the connection is full */
#define TURN_US (50 * INT64_C(1000))
#define STUCK_US (200 * INT64_C(1000))

static struct arena *mem;
static struct event_loop *all;
static struct websocket *s;
static int client;
static size_t given;    /* to be sent */
static size_t unsent;   /* before the first message was dropped */
static struct buf came; /* received by the client */

static void *
opened(void *arg, struct websocket *socket, void *visitor)
{
	(void)arg, (void)visitor;
	s = socket;
	return socket;
}

static void
closed(void *conn)
{
	ck_assert_ptr_eq(conn, s);
	event_loop_stop(all);
}

static void
send_one(int64_t group, const char *text, size_t n)
{
	struct shared_buffer *p = shared_buffer_new(text, n);

	websocket_send(s, p, group);
	shared_buffer_drop(p);
	given += n;
}

/* Sends "GROUP PIECE" and dots; a text without group follows each group. */
static void
send_all(void)
{
	static char piece[PIECE];

	for (int g = 1; g <= GROUPS; g++) {
		for (int i = 0; i < PIECES; i++) {
			memset(piece, '.', sizeof(piece));
			snprintf(piece, sizeof(piece), "%d %d", g, i);
			send_one(g, piece, sizeof(piece));
		}
		send_one(0, piece, (size_t)snprintf(piece, sizeof(piece), "T %d", g));
	}
}

/* Drops the rest of a group after a part of it was sent. */
static void
leave_out(int64_t now)
{
	int64_t since_us;
	size_t waiting = websocket_unsent(s, &since_us);

	if (waiting == given || now < since_us + STUCK_US)
		return;
	unsent = waiting;
	websocket_skip(s, now);
	websocket_end(s, 1000, "done");
}

static void
read_some(void)
{
	char p[16384];
	ssize_t n;

	while ((n = read(client, p, sizeof(p))) > 0)
		buf_put(&came, p, (size_t)n);
}

/* Sends, waits until no byte moves, drops, and only then reads. */
static int64_t
turn(void *arg)
{
	(void)arg;
	if (s == NULL)
		return TURN_US;
	if (given == 0)
		send_all();
	else if (unsent == 0)
		leave_out(monotonic_us());
	else
		read_some();
	return TURN_US;
}

static const struct websocket_owner owner = {
	.opened = opened, .closed = closed, .turn = turn
};

static int
small_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), bytes = SMALL;

	ck_assert_int_ge(fd, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	return fd;
}

/* The server's end of a connection, with the buffer sizes of the gateway's listener. */
static int
connected(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	const struct timeval patience = { .tv_sec = 60 };
	int listener = small_socket(), fd;

	ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&at, &n), 0);
	client = small_socket();
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ck_assert_int_eq(connect(client, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_ge(fd = accept(listener, NULL, NULL), 0);
	fcntl(client, F_SETFL, O_NONBLOCK);
	close(listener);
	return fd;
}

/*
 * Returns the next text of the server (RFC 6455 5.2), without pings; NULL: it closed.
 */
static const unsigned char *
next_text(size_t *at, size_t *n)
{
	const unsigned char *p = (const unsigned char *)came.p + *at;
	size_t head = p[1] < 126 ? 2 : 4;

	ck_assert_uint_le(*at + head, came.len);
	*n = p[1] < 126 ? p[1] : (size_t)p[2] << 8 | p[3];
	ck_assert_uint_le(*at += head + *n, came.len);
	if ((p[0] & 15) == OP_PING)
		return next_text(at, n);
	return (p[0] & 15) == OP_TEXT ? p + head : NULL;
}

START_TEST(a_slow_listener_misses_whole_groups_and_no_text)
{
	const unsigned char *p;
	size_t at, n;
	int texts = 0, groups = 0, group = 0, piece = PIECES;

	event_loop_adopt(all, NULL, connected(), HEAD, sizeof(HEAD) - 1, NULL);
	event_loop_run(all);
	fcntl(client, F_SETFL, 0); /* bytes that are still in transit */
	read_some();
	ck_assert_uint_gt(unsent, GROUPS * PIECES * PIECE / 2);
	at = (size_t)(strstr(buf_text(&came), "\r\n\r\n") + 4 - came.p);
	while ((p = next_text(&at, &n)) != NULL)
		if (p[0] == 'T') {
			ck_assert_int_eq(atoi((const char *)p + 2), ++texts);
		} else {
			if (piece == PIECES) {
				group = atoi((const char *)p);
				groups++;
				piece = 0;
			}
			ck_assert_int_eq(atoi((const char *)p), group);
			ck_assert_int_eq(atoi(strchr((const char *)p, ' ')), piece++);
		}
	ck_assert_int_eq(piece, PIECES);
	ck_assert_int_eq(texts, GROUPS);
	ck_assert_int_ge(groups, 1);
	ck_assert_int_lt(groups, GROUPS / 2);
}
END_TEST

static void
begin(void)
{
	mem = arena_new();
	came.mem = mem;
	all = event_loop_open(mem, &owner, NULL);
	ck_assert_ptr_nonnull(all);
}

/* The sockets last until the program ends, as in a gateway. */
static void
end(void)
{
	close(client);
}

int
main(void)
{
	Suite *suite = suite_create("gateway: reader");
	TCase *t = tcase_create("slow");

	tcase_add_checked_fixture(t, begin, end);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_slow_listener_misses_whole_groups_and_no_text);
	suite_add_tcase(suite, t);
	return unit_run(suite);
}
