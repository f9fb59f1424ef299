/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pings to silent clients, over a real connection. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/uv_plugin.h"
#include "tests/unit/suite.h"

/* A step of the ping queue takes a tenth of a second. */
static int64_t
fast_us(void)
{
	return monotonic_us() * 100;
}

/* False: the host lacks the plugin. */
static bool has_uv;

static bool
finds_uv(void)
{
	return has_uv && uv_plugin_found();
}

#define monotonic_us fast_us
#define uv_plugin_found finds_uv
#include "lib/gateway/websocket.c"

#define HEAD                                                                           \
	"GET /x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"  \
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" \
	"\r\n"
#define PING 0x89
#define PONG 0x8a
#define MASKED 0x80
#define TURN_US (50 * INT64_C(1000))
#define ENOUGH 5 /* pings, over more time than a connection without answers has */

static struct event_loop *all;
static int client, pings;
static bool answers, gone;
static int told; /* close code in the log */
static struct buf came;

static void *
opened(void *arg, struct websocket *socket, void *request)
{
	(void)arg, (void)request;
	websocket_name(socket, &(const struct websocket_name){ .kind = "s2s" });
	return socket;
}

static void
closed(void *conn)
{
	(void)conn;
	gone = true;
	event_loop_stop(all);
}

static void
message(void *conn, const char *p, size_t n, bool binary)
{
	(void)conn, (void)p, (void)n, (void)binary;
	ck_abort_msg("no message was sent");
}

/* The content of the ping, under a mask of zeros. */
static void
answer(const unsigned char *ping)
{
	unsigned char pong[6 + 125] = { PONG, MASKED | ping[1] };
	ssize_t n = 6 + ping[1];

	memcpy(pong + 6, ping + 2, ping[1]);
	ck_assert_int_eq(send(client, pong, (size_t)n, 0), n);
}

/* The client's part: reads the received bytes and answers pings. */
static int64_t
turn(void *arg)
{
	ssize_t n = recv(client, buf_room(&came, 4096), 4096, MSG_DONTWAIT);
	const char *frame;

	(void)arg;
	came.len += n > 0 ? (size_t)n : 0;
	frame = came.len > 0 ? memmem(came.p, came.len, "\r\n\r\n", 4) : NULL;
	for (frame = frame != NULL ? frame + 4 : NULL;
	     frame != NULL && frame < came.p + came.len; frame += 2 + frame[1])
		if ((unsigned char)frame[0] == PING && pings++ < ENOUGH && answers)
			answer((const unsigned char *)frame);
	if (frame != NULL)
		came.len = (size_t)(stpcpy(came.p, "\r\n\r\n") - came.p);
	if (pings == ENOUGH)
		event_loop_stop(all);
	return TURN_US;
}

static void
lost(void *arg, void *request)
{
	(void)arg, (void)request;
}

static void
told_end(void *arg, const struct websocket_name *name, int code, const char *reason)
{
	(void)arg, (void)name;
	ck_assert_int_eq(told, 0);
	ck_assert_str_eq(reason, "no answer to a ping");
	told = code;
}

static const struct websocket_owner owner = { .opened = opened,
	.lost = lost,
	.closed = closed,
	.message = message,
	.turn = turn,
	.ended = told_end };

static int
connected(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd;

	ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, n), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&at, &n), 0);
	client = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(connect(client, (struct sockaddr *)&at, n), 0);
	fd = accept(listener, NULL, NULL);
	ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	close(listener);
	return fd;
}

START_TEST(a_connection_lives_as_long_as_it_answers)
{
	struct arena *mem = arena_new();

	answers = (_i & 1) != 0;
	has_uv = (_i & 2) != 0;
	came.mem = mem;
	all = event_loop_open(mem, &owner, NULL);
	ck_assert_ptr_nonnull(all);
	ck_assert_int_eq(all->by_uv, has_uv);
	event_loop_adopt(all, NULL, connected(), HEAD, sizeof(HEAD) - 1, NULL);
	event_loop_run(all);
	ck_assert_int_eq(gone, !answers);
	ck_assert_int_eq(told, answers ? 0 : 1006);
	ck_assert_int_eq(pings, answers ? ENOUGH : 1);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("gateway: pings");
	TCase *t = tcase_create("pings");

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, a_connection_lives_as_long_as_it_answers, 0, 4);
	suite_add_tcase(suite, t);
	return unit_run(suite);
}
