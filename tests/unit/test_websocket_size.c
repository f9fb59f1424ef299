/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The greatest size of a message, over a real connection. */
#include <arpa/inet.h>
#include <fcntl.h>
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
#define TURN_US (50 * INT64_C(1000))
#define MOST WEBSOCKET_READER_BYTES
#define FIN 0x80
#define TEXT 1
#define CONTINUED 0
#define CLOSE 8
#define PING 9
#define PONG 10

static struct arena *mem;
static struct event_loop *all;
static int client;
static size_t heard; /* bytes of the received message; 0: none came */
static struct buf came;
static struct buf told; /* a line for each close code in the log */
static bool stays;      /* the time in which nothing must happen */

static void *
opened(void *arg, struct websocket *socket, void *visitor)
{
	(void)arg, (void)visitor;
	websocket_name(socket,
	    &(const struct websocket_name){ "s2s", true, "a channel", "192.0.2.7" });
	websocket_limit(socket, MOST);
	return socket;
}

static void
closed(void *conn)
{
	(void)conn;
	event_loop_stop(all);
}

static void
message(void *conn, const char *p, size_t n, bool binary)
{
	(void)conn, (void)p;
	ck_assert(!binary);
	heard = n;
	event_loop_stop(all);
}

/*
 * Returns the first byte of the server's frame after the head of its answer; 0: none.
 */
static unsigned char
answer(const unsigned char **at)
{
	const char *end = strstr(buf_text(&came), "\r\n\r\n");

	if (end == NULL || came.len < (size_t)(end + 6 - came.p))
		return 0;
	*at = (const unsigned char *)end + 4;
	return **at;
}

static void
read_some(void)
{
	char p[4096];
	ssize_t n;

	while ((n = read(client, p, sizeof(p))) > 0)
		buf_put(&came, p, (size_t)n);
}

static int64_t
turn(void *arg)
{
	const unsigned char *at;

	(void)arg;
	read_some();
	if ((answer(&at) == (FIN | CLOSE) && !stays) ||
	    (stays && answer(&at) == (FIN | PONG)))
		event_loop_stop(all);
	return TURN_US;
}

static void
told_end(void *arg, const struct websocket_name *n, int code, const char *reason)
{
	(void)arg;
	buf_printf(&told, "%s %d %s, %d %s, %s\n", n->kind, code, reason, n->channel,
	    n->stream, n->address);
}

static const struct websocket_owner owner = { .opened = opened,
	.message = message,
	.closed = closed,
	.turn = turn,
	.ended = told_end };

static int
connected(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), fd;

	ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&at, &n), 0);
	client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(connect(client, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_ge(fd = accept(listener, NULL, NULL), 0);
	fcntl(client, F_SETFL, O_NONBLOCK);
	close(listener);
	return fd;
}

/*
 * Writes a frame of this size, of which some bytes are sent; its mask is 0 (RFC 6455
 * 5.2).
 */
static void
put_frame(struct buf *b, int first, size_t bytes, size_t sent)
{
	char c[14] = { (char)first, (char)(FIN | (bytes < 126 ? (int)bytes : 127)) };

	for (int i = 0; bytes >= 126 && i < 8; i++)
		c[2 + i] = (char)(bytes >> (56 - 8 * i));
	buf_put(b, c, bytes < 126 ? 6 : 14);
	for (size_t i = 0; i < sent; i++)
		buf_put(b, "x", 1);
}

static const struct {
	struct {
		int first;
		size_t bytes, sent;
	} frames[4];
	size_t message; /* 0: no message is received, */
	bool stays;     /* and the connection stays; else it is closed 1009 */
} cases[] = {
	{ { { FIN | TEXT, 1, 1 } }, 1, true },
	{ { { FIN | TEXT, MOST, MOST } }, MOST, true },
	{ { { TEXT, 2000, 2000 }, { CONTINUED, 2000, 2000 },
	      { FIN | CONTINUED, MOST - 4000, MOST - 4000 } },
	    MOST, true },
	{ { { TEXT, MOST, MOST } }, 0, true },
	{ { { FIN | TEXT, MOST + 1, MOST + 1 } }, 0, false },
	/* detected by the frame's header */
	{ { { FIN | TEXT, MOST + 1, 1 } }, 0, false },
	{ { { FIN | TEXT, 1 << 20, 1 } }, 0, false },
	{ { { TEXT, 1 << 20, 100 } }, 0, false },
	{ { { TEXT, 2000, 2000 }, { CONTINUED, 2000, 2000 }, { CONTINUED, 97, 97 } }, 0,
	    false },
	{ { { TEXT, MOST, MOST }, { CONTINUED, 1, 1 } }, 0, false },
	{ { { TEXT, 1, 1 }, { CONTINUED, (size_t)1 << 62, 1 } }, 0, false },
};

START_TEST(a_message_of_a_reader_is_no_larger_than_it_may_be)
{
	struct buf b = { .mem = mem };
	const unsigned char *at;

	for (int i = 0; i < 4 && cases[_i].frames[i].bytes > 0; i++)
		put_frame(&b, cases[_i].frames[i].first, cases[_i].frames[i].bytes,
		    cases[_i].frames[i].sent);
	if (cases[_i].stays && cases[_i].message == 0)
		put_frame(&b, FIN | PING, 0, 0);
	stays = cases[_i].stays;
	event_loop_adopt(all, NULL, connected(), HEAD, sizeof(HEAD) - 1, NULL);
	ck_assert_int_eq(send(client, b.p, b.len, 0), (ssize_t)b.len);
	event_loop_run(all);
	ck_assert_uint_eq(heard, cases[_i].message);
	ck_assert_str_eq(buf_text(&told),
	    cases[_i].stays ? ""
			    : "s2s 1009 message too large, 1 a channel, 192.0.2.7\n");
	if (cases[_i].stays)
		return;
	read_some(); /* it may have been closed before the frame was read */
	ck_assert_int_eq(answer(&at), FIN | CLOSE);
	ck_assert_int_eq(at[2] << 8 | at[3], 1009);
}
END_TEST

static const struct {
	const char *frame; /* NULL: the client closes without a closing frame */
	const char *told;
} ends[] = {
	{ "\x81\x81\0\0\0\0\xff", "s2s 1007 invalid payload" },
	{ "\x83\x81\0\0\0\0x", "s2s 1002 protocol error" },
	{ "\xf1\x81\0\0\0\0x", "s2s 1002 protocol error" },
	{ "\x88\x82\0\0\0\0\x03\xe8", "" },
	{ "\x88\x82\0\0\0\0\x03\xf0", "" },
	{ NULL, "" },
};

START_TEST(an_end_by_the_server_is_told_once)
{
	const char *frame = ends[_i].frame;
	ssize_t n = frame != NULL ? 6 + (frame[1] & 0x7f) : 0;

	event_loop_adopt(all, NULL, connected(), HEAD, sizeof(HEAD) - 1, NULL);
	if (frame == NULL)
		close(client);
	else
		ck_assert_int_eq(send(client, frame, (size_t)n, 0), n);
	stays = true; /* until it is closed */
	event_loop_run(all);
	ck_assert_str_eq(buf_text(&told),
	    ends[_i].told[0] == '\0'
		? ""
		: arena_printf(mem, "%s, 1 a channel, 192.0.2.7\n", ends[_i].told));
}
END_TEST

static void
begin(void)
{
	mem = arena_new();
	came.mem = told.mem = mem;
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
	Suite *suite = suite_create("gateway: size");
	TCase *t = tcase_create("size");

	tcase_add_checked_fixture(t, begin, end);
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(
	    t, a_message_of_a_reader_is_no_larger_than_it_may_be, 0, COUNT(cases));
	tcase_add_loop_test(t, an_end_by_the_server_is_told_once, 0, COUNT(ends));
	suite_add_tcase(suite, t);
	return unit_run(suite);
}
