/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <unistd.h>

#include "rtc/dtls.c"
#include "tests/unit/suite.h"

#define DATAGRAMS 20

static struct arena *mem;
static struct dtls_context *context;

/* The datagrams that each side has sent, and the decrypted data. */
static struct side {
	struct dtls *dtls;
	struct {
		unsigned char p[1500];
		size_t n;
	} sent[DATAGRAMS];
	int n;
	char data[100];
} client, server;

static void
keep(void *arg, const void *p, size_t n)
{
	struct side *s = arg;

	ck_assert_int_lt(s->n, DATAGRAMS);
	ck_assert_uint_le(n, sizeof(s->sent->p));
	memcpy(s->sent[s->n].p, p, n);
	s->sent[s->n++].n = n;
}

static void
take(void *arg, const void *p, size_t n)
{
	struct side *s = arg;

	ck_assert_uint_lt(n, sizeof(s->data));
	memcpy(s->data, p, n);
	s->data[n] = '\0';
}

static const struct dtls_events events = { keep, take };

static void
setup(void)
{
	mem = arena_new();
	context = dtls_context_new(mem);
	client.n = server.n = 0;
	*client.data = *server.data = '\0';
	server.dtls = dtls_new(mem, context, false, &events, &server);
	client.dtls = dtls_new(mem, context, true, &events, &client);
}

static void
teardown(void)
{
	dtls_free(client.dtls);
	dtls_free(server.dtls);
	arena_free(mem);
}

/* Delivers a flight, which is one datagram. */
static void
pass(struct side *from, struct side *to)
{
	ck_assert_int_eq(from->n, 1);
	from->n = 0;
	dtls_put(to->dtls, from->sent->p, from->sent->n);
}

/* Loses a flight, and lets its timer expire, so that it is repeated. */
static void
lose(struct side *s)
{
	ck_assert_int_eq(s->n, 1);
	s->n = 0;
	ck_assert_int_gt(dtls_wait_us(s->dtls), 0);
	while (s->n == 0) {
		usleep(10000);
		dtls_tick(s->dtls);
	}
}

/* ---- tests ---- */

START_TEST(each_flight_is_one_datagram)
{
	pass(&client, &server);
	pass(&server, &client);
	pass(&client, &server);
	ck_assert_int_eq(dtls_state(server.dtls), DTLS_UP);
	pass(&server, &client);
	ck_assert_int_eq(dtls_state(client.dtls), DTLS_UP);

	ck_assert(dtls_send(client.dtls, "there", 5));
	pass(&client, &server);
	ck_assert_str_eq(server.data, "there");
	ck_assert(dtls_send(server.dtls, "back", 4));
	pass(&server, &client);
	ck_assert_str_eq(client.data, "back");
}
END_TEST

/* FFmpeg with GnuTLS has such a certificate, and is the server. */
START_TEST(a_server_on_a_small_curve_is_accepted)
{
	struct dtls_context *theirs = dtls_context_new(mem);

	ck_assert(use_certificate(theirs, "P-224"));
	dtls_free(server.dtls);
	server.dtls = dtls_new(mem, theirs, false, &events, &server);
	pass(&client, &server);
	pass(&server, &client);
	pass(&client, &server);
	pass(&server, &client);
	ck_assert_int_eq(dtls_state(client.dtls), DTLS_UP);
	ck_assert(
	    dtls_is_from(client.dtls, "sha-256", dtls_context_fingerprint(theirs)));
}
END_TEST

START_TEST(a_lost_flight_is_one_datagram_again)
{
	lose(&client);
	pass(&client, &server);
	lose(&server);
	pass(&server, &client);
	lose(&client);
	lose(&client);
	pass(&client, &server);
	ck_assert_int_eq(dtls_state(server.dtls), DTLS_UP);

	/*
	 * The last flight has no timer: it is repeated when the flight before it is
	 * repeated.
	 */
	server.n = 0;
	client.n = 1;
	lose(&client);
	pass(&client, &server);
	pass(&server, &client);
	ck_assert_int_eq(dtls_state(client.dtls), DTLS_UP);
	ck_assert(dtls_send(client.dtls, "there", 5));
	pass(&client, &server);
	ck_assert_str_eq(server.data, "there");
}
END_TEST

START_TEST(what_is_sent_at_once_is_a_datagram_each)
{
	pass(&client, &server);
	pass(&server, &client);
	pass(&client, &server);
	pass(&server, &client);
	for (int i = 0; i < 3; i++)
		ck_assert(dtls_send(server.dtls, "x", 1));
	ck_assert_int_eq(server.n, 3);
	server.n = 0;
	dtls_close(server.dtls);
	pass(&server, &client);
	ck_assert_int_eq(dtls_state(client.dtls), DTLS_CLOSED);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("dtls");
	TCase *t = tcase_create("flights");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_lost_flight_is_one_datagram_again);
	/* Valgrind takes longer for a flight than it takes until one is repeated. */
	if (!RUNNING_ON_VALGRIND) {
		tcase_add_test(t, each_flight_is_one_datagram);
		tcase_add_test(t, a_server_on_a_small_curve_is_accepted);
		tcase_add_test(t, what_is_sent_at_once_is_a_datagram_each);
	}
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
