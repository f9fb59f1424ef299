/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/stun_fixture.h"

static const struct stun_check check = { .id = ID,
	.ufrag = "yo",
	.peer_ufrag = "me",
	.peer_pwd = PWD,
	.priority = 0x6e7f1eff,
	.tie_breaker = 0x0123456789abcdef,
	.use_candidate = true };

START_TEST(requests_written_are_read)
{
	unsigned char to[STUN_ROOM];
	struct stun_request rq;
	struct stun_check k = check;

	for (int nominates = 0; nominates < 2; nominates++) {
		k.use_candidate = nominates;
		ck_assert(stun_read(to, stun_write_request(&k, to), &rq));
		ck_assert(stun_is_from(&rq, PWD));
		ck_assert_mem_eq(rq.bytes + 8, ID, STUN_ID);
		ck_assert_mem_eq(rq.ufrag, "me", 2);
		ck_assert_mem_eq(rq.peer_ufrag, "yo", 2);
		ck_assert_uint_eq(rq.priority, check.priority);
		ck_assert_int_eq(rq.use_candidate, nominates);
		ck_assert(!rq.controlled && rq.n_unknown == 0);
	}
}
END_TEST

START_TEST(ufrags_of_a_request_have_room)
{
	char ufrag[STUN_UFRAG_MOST + 2] = "";
	unsigned char to[STUN_ROOM];
	struct stun_request rq;
	struct stun_check k = check;
	size_t n;

	memset(ufrag, 'x', STUN_UFRAG_MOST);
	k.ufrag = k.peer_ufrag = ufrag;
	n = stun_write_request(&k, to);
	ck_assert_uint_le(n, STUN_ROOM);
	ck_assert(stun_read(to, n, &rq));
	ck_assert_uint_eq(rq.ufrag_n, STUN_UFRAG_MOST);
	ck_assert_uint_eq(rq.peer_ufrag_n, STUN_UFRAG_MOST);
	ufrag[STUN_UFRAG_MOST] = 'x';
	ck_assert_uint_eq(stun_write_request(&k, to), 0);
}
END_TEST

static const struct {
	const char *address;
	int port;
} sources[] = { { "192.0.2.1", 32853 }, { "127.0.0.1", 1 },
	{ "255.255.255.255", 65535 }, { "2001:db8:1234:5678:11:2233:4455:6677", 32853 },
	{ "::1", 8794 } };

static struct sockaddr_storage
source(int i)
{
	struct sockaddr_storage s = { .ss_family = AF_INET };
	struct sockaddr_in *in4 = (void *)&s;
	struct sockaddr_in6 *in6 = (void *)&s;

	in4->sin_port =
	    htons((uint16_t)sources[i].port); /* at the same place in both messages */
	if (inet_pton(AF_INET, sources[i].address, &in4->sin_addr) == 1)
		return s;
	s.ss_family = AF_INET6;
	ck_assert_int_eq(inet_pton(AF_INET6, sources[i].address, &in6->sin6_addr), 1);
	return s;
}

START_TEST(success_tells_the_source)
{
	struct sockaddr_storage from = source(_i), mapped;
	unsigned char ask[STUN_ROOM], to[STUN_ROOM];
	char expected[80];
	struct stun_request rq;
	size_t asked = stun_write_request(&check, ask), n;

	ck_assert(stun_read(ask, asked, &rq));
	n = stun_write_success(&rq, PWD, (const void *)&from, to);
	ck_assert_uint_lt(n, asked + 60);
	ck_assert(stun_read_success(to, n, &check, &mapped));
	snprintf(
	    expected, sizeof(expected), "%s %d", sources[_i].address, sources[_i].port);
	ck_assert_str_eq(address_text(&mapped), expected);
	ck_assert_uint_eq(to[n - 8] << 8 | to[n - 7], 0x8028);
}
END_TEST

/* The request of the RFC gets the RFC's bytes, except SOFTWARE. */
START_TEST(success_is_that_of_rfc_5769)
{
	struct sockaddr_storage from = source(0);
	unsigned char to[STUN_ROOM];
	struct stun_request rq;

	ck_assert(stun_read(BYTES(vector_request), &rq));
	ck_assert_uint_eq(
	    stun_write_success(&rq, VECTOR_PWD, (const void *)&from, to), 64);
	ck_assert_mem_eq(to, "\x01\x01\x00\x2c\x21\x12\xa4\x42" VECTOR_ID, 20);
	ck_assert_mem_eq(to + 20, vector_response4 + 36, 12);
}
END_TEST

static void
is_failure(const unsigned char *p, size_t n, const char *attributes, size_t size)
{
	struct made answer;

	made_begin(&answer, attributes, size);
	answer.p[0] = 1, answer.p[1] = 0x11;
	made_sign(&answer);
	made_print(&answer);
	ck_assert_uint_eq(n, answer.n);
	ck_assert_mem_eq(p, answer.p, n);
}

START_TEST(errors_tell_what_is_wrong)
{
	unsigned char to[STUN_ROOM];
	struct stun_request rq;
	struct made m;
	size_t n;

	made_begin(&m, BYTES(OURS "\x7f\xff\x00\x00\x00\x57\x00\x00"));
	made_sign(&m);
	ck_assert(stun_read(m.p, m.n, &rq));
	n = stun_write_error(&rq, PWD, STUN_UNKNOWN_ATTRIBUTE, to);
	is_failure(
	    to, n, BYTES("\x00\x09\x00\x04\0\0\4\x14\x00\x0a\x00\x04\x7f\xff\x00\x57"));

	n = stun_write_error(&rq, PWD, STUN_ROLE_CONFLICT, to);
	is_failure(to, n, BYTES("\x00\x09\x00\x04\0\0\4\x57"));
}
END_TEST

/*
 * An answer is at most 60 bytes longer than its request, also with many unknown
 * attributes.
 */
START_TEST(errors_are_short)
{
	unsigned char to[STUN_ROOM];
	struct stun_request rq;
	struct made m;

	made_begin(&m, BYTES(OURS));
	for (int i = 0; i < 20; i++)
		made_put(&m, BYTES("\x7f\xff\x00\x00"));
	made_sign(&m);
	ck_assert(stun_read(m.p, m.n, &rq));
	ck_assert_uint_lt(
	    stun_write_error(&rq, PWD, STUN_UNKNOWN_ATTRIBUTE, to), m.n + 60);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stun_answers");
	TCase *t = tcase_create("answers");
	tcase_add_test(t, requests_written_are_read);
	tcase_add_test(t, ufrags_of_a_request_have_room);
	tcase_add_loop_test(t, success_tells_the_source, 0, COUNT(sources));
	tcase_add_test(t, success_is_that_of_rfc_5769);
	tcase_add_test(t, errors_tell_what_is_wrong);
	tcase_add_test(t, errors_are_short);
	suite_add_tcase(s, t);
	return unit_run(s);
}
