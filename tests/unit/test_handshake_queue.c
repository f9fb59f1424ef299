/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which handshakes of a crowd are served. */
#include "rtc/handshake_queue.h"

#include <string.h>

#include "base/buf.h"
#include "rtc/peer.h"
#include "tests/unit/suite.h"

#define CROWD 2000
#define EACH 8 /* datagrams of one peer that may wait */

static struct arena *mem;
static struct handshake_queue q;
static struct rtc_peer peers[CROWD];
static struct dtls *const some_dtls = (struct dtls *)&q; /* not used */
static const struct transport_path from = { .port = 7 };
static struct buf said; /* "NUMBER BYTE " of each datagram served */

static void
begin(void)
{
	mem = arena_new();
	said = (struct buf){ .mem = mem };
	q = (struct handshake_queue){ 0 };
	memset(peers, 0, sizeof(peers));
	handshake_queue_start(&q);
}

static void
end(void)
{
	for (int i = 0; i < CROWD; i++)
		handshake_queue_forget(&q, &peers[i]);
	ck_assert(handshake_queue_is_empty(&q));
	arena_free(mem);
}

static void
put(int peer, char byte)
{
	handshake_queue_put(&q, &peers[peer], &from, (unsigned char *)&byte, 1);
}

static void
serve(struct rtc_peer *p, const struct transport_path *path, const unsigned char *bytes,
    size_t n)
{
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(path->port, from.port);
	buf_printf(&said, "%d%c ", (int)(p - peers), *bytes);
}

static const char *
serve_all(void)
{
	while (!handshake_queue_is_empty(&q))
		handshake_queue_run(&q, serve);
	return buf_text(&said);
}

START_TEST(a_handshake_that_has_begun_comes_first)
{
	put(0, 'a');
	put(1, 'a');
	peers[2].dtls = some_dtls;
	put(2, 'b');
	ck_assert_str_eq(serve_all(), "2b 0a 1a ");
}
END_TEST

static void
begin_dtls(struct rtc_peer *p, const struct transport_path *path,
    const unsigned char *bytes, size_t n)
{
	p->dtls = some_dtls;
	serve(p, path, bytes, n);
}

START_TEST(datagrams_of_a_peer_keep_their_order)
{
	put(0, 'a');
	put(0, 'b');
	put(1, 'a');
	put(0, 'c');
	put(1, 'b');
	while (!handshake_queue_is_empty(&q))
		handshake_queue_run(&q, begin_dtls);
	ck_assert_str_eq(buf_text(&said), "0a 1a 0b 0c 1b ");
}
END_TEST

START_TEST(a_peer_that_has_gone_is_not_served)
{
	put(0, 'a');
	put(1, 'a');
	put(1, 'b');
	put(2, 'a');
	handshake_queue_forget(&q, &peers[1]);
	handshake_queue_forget(&q, &peers[1]);
	ck_assert_str_eq(serve_all(), "0a 2a ");
	handshake_queue_run(&q, serve);
	ck_assert_str_eq(buf_text(&said), "0a 2a ");
}
END_TEST

START_TEST(no_peer_fills_the_queue)
{
	for (int i = 0; i < 100; i++)
		put(0, 'a');
	put(1, 'b');
	ck_assert_int_eq(peers[0].handshake.n, EACH);
	ck_assert_int_eq(peers[1].handshake.n, 1);
}
END_TEST

START_TEST(the_queue_has_an_end)
{
	for (int i = 0; i < CROWD; i++)
		for (int k = 0; k < EACH; k++)
			put(i, 'a');
	ck_assert_int_lt(q.n, CROWD * EACH);
	ck_assert_int_eq(peers[CROWD - 1].handshake.n, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("handshake_queue");
	TCase *t = tcase_create("handshake_queue");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, a_handshake_that_has_begun_comes_first);
	tcase_add_test(t, datagrams_of_a_peer_keep_their_order);
	tcase_add_test(t, a_peer_that_has_gone_is_not_served);
	tcase_add_test(t, no_peer_fills_the_queue);
	tcase_add_test(t, the_queue_has_an_end);
	suite_add_tcase(s, t);
	return unit_run(s);
}
