/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/stun_fixture.h"

static const struct stun_check vector_check = {
	.id = VECTOR_ID, .ufrag = "h6vY", .peer_ufrag = "evtj", .peer_pwd = VECTOR_PWD
};

START_TEST(request_of_rfc_5769_is_read)
{
	struct stun_request rq;

	ck_assert(stun_read(BYTES(vector_request), &rq));
	ck_assert_uint_eq(rq.ufrag_n, 4);
	ck_assert_mem_eq(rq.ufrag, "evtj", 4);
	ck_assert_uint_eq(rq.peer_ufrag_n, 4);
	ck_assert_mem_eq(rq.peer_ufrag, "h6vY", 4);
	ck_assert_uint_eq(rq.priority, 0x6e0001ff);
	ck_assert(rq.controlled);
	ck_assert(!rq.use_candidate);
	ck_assert_uint_eq(rq.n_unknown, 0);
	ck_assert(stun_is_from(&rq, VECTOR_PWD));
	ck_assert(!stun_is_from(&rq, "VOkJxbRl1RmTxUk/WvJxBu"));
	ck_assert(!stun_is_from(&rq, ""));
}
END_TEST

START_TEST(responses_of_rfc_5769_are_read)
{
	struct sockaddr_storage mapped;

	ck_assert(stun_read_success(BYTES(vector_response4), &vector_check, &mapped));
	ck_assert_str_eq(address_text(&mapped), "192.0.2.1 32853");
	ck_assert(stun_read_success(BYTES(vector_response6), &vector_check, &mapped));
	ck_assert_str_eq(
	    address_text(&mapped), "2001:db8:1234:5678:11:2233:4455:6677 32853");
}
END_TEST

START_TEST(responses_to_another_check_or_by_another_password_are_refused)
{
	struct sockaddr_storage mapped;
	struct stun_check other = vector_check;

	other.id[11] ^= 1;
	ck_assert(!stun_read_success(BYTES(vector_response4), &other, &mapped));
	other = vector_check;
	other.peer_pwd = "VOkJxbRl1RmTxUk/WvJxBu";
	ck_assert(!stun_read_success(BYTES(vector_response4), &other, &mapped));
	ck_assert(!stun_read_success(BYTES(vector_request), &vector_check, &mapped));
	for (size_t n = 0; n < sizeof(vector_response4) - 1; n++)
		ck_assert(
		    !stun_read_success(vector_response4, n, &vector_check, &mapped));
}
END_TEST

/* A change is detected by FINGERPRINT, and without it by MESSAGE-INTEGRITY. */
START_TEST(changed_bytes_of_a_request_are_noticed)
{
	unsigned char bytes[sizeof(vector_request) - 1];
	const size_t print = sizeof(bytes) - 8;
	struct stun_request rq;

	for (size_t i = 0; i < print; i++) {
		memcpy(bytes, vector_request, sizeof(bytes));
		bytes[i] ^= 0x10;
		ck_assert_msg(!stun_read(bytes, sizeof(bytes), &rq), "byte %zu", i);
		bytes[3] -= 8;
		ck_assert_msg(
		    !stun_read(bytes, print, &rq) || !stun_is_from(&rq, VECTOR_PWD),
		    "byte %zu", i);
	}
	for (size_t n = 0; n < sizeof(bytes); n++)
		ck_assert_msg(!stun_read(vector_request, n, &rq), "%zu bytes", n);
	memcpy(bytes, vector_request, sizeof(bytes));
	bytes[3] -= 8;
	ck_assert(stun_read(bytes, print, &rq) && stun_is_from(&rq, VECTOR_PWD));
}
END_TEST

/* clang-format off */
static const struct {
	const char *attributes;
	size_t n;
	bool good, use_candidate, controlled;
	size_t unknown;
} requests[] = {
	{ BYTES(OURS), true, false, false, 0 },
	{ BYTES(OURS PRIORITY CONTROLLING), true, false, false, 0 },
	{ BYTES(PRIORITY NOMINATES CONTROLLING OURS), true, true, false, 0 },
	{ BYTES(OURS CONTROLLED), true, false, true, 0 },
	{ BYTES(OURS "\xc0\x57\x00\x04\0\0\0\1"), true, false, false, 0 }, /* NETWORK-INFO of Chromium */
	{ BYTES(OURS "\x00\x57\x00\x00"), true, false, false, 1 },
	{ BYTES(OURS "\x7f\xff\x00\x01\1\0\0\0" "\x00\x01\x00\x00" NOMINATES), true, true, false, 2 },
	{ BYTES(OURS "\0\x30\0\0\0\x31\0\0\0\x32\0\0\0\x33\0\0\0\x34\0\0\0\x35\0\0\0\x36\0\0\0\x37\0\0\0\x38\0\0"),
	  true, false, false, STUN_UNKNOWN },
	/* the first attribute counts */
	{ BYTES(OURS "\x00\x06\x00\x03" "a:b\0"), true, false, false, 0 },
	{ BYTES(""), false, false, false, 0 },
	{ BYTES(PRIORITY CONTROLLING), false, false, false, 0 },
	{ BYTES("\x00\x06\x00\x04meyo"), false, false, false, 0 },
	{ BYTES("\x00\x06\x00\x03:yo\0"), false, false, false, 0 },
	{ BYTES("\x00\x06\x00\x00"), false, false, false, 0 },
	{ BYTES(OURS "\x00\x24\x00\x08\0\0\0\0\0\0\0\0"), false, false, false, 0 },
	{ BYTES(OURS "\x00\x08\x00\x10" "0123456789abcdef"), false, false, false, 0 },
	{ BYTES(OURS "\x80\x22\x01\x00\0\0\0\0"), false, false, false, 0 }, /* longer than the message */
	{ BYTES(OURS "\x80\x28\x00\x04\0\0\0\0"), false, false, false, 0 }, /* FINGERPRINT not last */
};
/* clang-format on */

START_TEST(requests_are_read)
{
	struct stun_request rq;
	struct made m;
	bool good;

	made_begin(&m, requests[_i].attributes, requests[_i].n);
	made_sign(&m);
	for (int printed = 0; printed < 2; printed++) {
		good = stun_read(m.p, m.n, &rq);
		ck_assert_msg(good == requests[_i].good, "row %d", _i);
		if (good) {
			ck_assert(stun_is_from(&rq, PWD));
			ck_assert_uint_eq(rq.ufrag_n, 2);
			ck_assert_mem_eq(rq.ufrag, "me", 2);
			ck_assert_uint_eq(rq.peer_ufrag_n, 2);
			ck_assert_mem_eq(rq.peer_ufrag, "yo", 2);
			ck_assert_int_eq(rq.use_candidate, requests[_i].use_candidate);
			ck_assert_int_eq(rq.controlled, requests[_i].controlled);
			ck_assert_uint_eq(rq.n_unknown, requests[_i].unknown);
		}
		made_print(&m);
	}
}
END_TEST

START_TEST(attributes_behind_the_integrity_count_for_nothing)
{
	struct stun_request rq;
	struct made m;

	made_begin(&m, BYTES(OURS));
	made_sign(&m);
	made_put(&m, BYTES(NOMINATES CONTROLLED "\x7f\xff\x00\x00"));
	made_print(&m);
	ck_assert(stun_read(m.p, m.n, &rq));
	ck_assert(stun_is_from(&rq, PWD));
	ck_assert(!rq.use_candidate && !rq.controlled && rq.n_unknown == 0);
	made_begin(&m, BYTES(CONTROLLING));
	made_sign(&m);
	made_put(&m, BYTES(OURS));
	ck_assert(!stun_read(m.p, m.n, &rq));
}
END_TEST

START_TEST(requests_without_integrity_are_dropped)
{
	struct stun_request rq;
	struct made m;

	made_begin(&m, BYTES(OURS PRIORITY));
	ck_assert(!stun_read(m.p, m.n, &rq));
	made_print(&m);
	ck_assert(!stun_read(m.p, m.n, &rq));
}
END_TEST

START_TEST(wrong_fingerprints_are_dropped)
{
	struct stun_request rq;
	struct made m;

	made_begin(&m, BYTES(OURS));
	made_sign(&m);
	made_print(&m);
	m.p[m.n - 1] ^= 1;
	ck_assert(!stun_read(m.p, m.n, &rq));
	m.p[m.n - 1] ^= 1;
	ck_assert(stun_read(m.p, m.n, &rq));
	made_put(&m, BYTES("\x80\x22\x00\x00"));
	ck_assert(!stun_read(m.p, m.n, &rq));
}
END_TEST

/* By kind, cookie and lengths. */
static const struct {
	size_t at;
	unsigned char is;
} changes[] = { { 0, 1 }, { 1, 0x11 }, { 1, 3 }, { 1, 2 }, { 4, 0x20 }, { 7, 0x43 },
	{ 2, 1 }, { 3, 0 }, { 3, 37 }, { 3, 40 } };

START_TEST(other_messages_are_dropped)
{
	struct stun_request rq;
	struct made m;

	made_begin(&m, BYTES(OURS));
	made_sign(&m);
	ck_assert(stun_read(m.p, m.n, &rq));
	m.p[changes[_i].at] = changes[_i].is;
	ck_assert(!stun_read(m.p, m.n, &rq));
}
END_TEST

START_TEST(large_messages_are_dropped)
{
	unsigned char large[1600] = "\x80\x22";
	struct stun_request rq;
	struct made m;

	large[2] = (1400 - 4) >> 8, large[3] = (1400 - 4) & 255;
	made_begin(&m, BYTES(OURS));
	made_put(&m, large, 1400);
	made_sign(&m);
	ck_assert(stun_read(m.p, m.n, &rq) && stun_is_from(&rq, PWD));
	large[2] = (1448 - 4) >> 8, large[3] = (1448 - 4) & 255;
	made_begin(&m, BYTES(OURS));
	made_put(&m, large, 1448);
	made_sign(&m);
	ck_assert_uint_gt(m.n, STUN_MOST);
	ck_assert(!stun_read(m.p, m.n, &rq));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stun");
	TCase *t = tcase_create("rfc 5769");

	tcase_add_test(t, request_of_rfc_5769_is_read);
	tcase_add_test(t, responses_of_rfc_5769_are_read);
	tcase_add_test(
	    t, responses_to_another_check_or_by_another_password_are_refused);
	tcase_add_test(t, changed_bytes_of_a_request_are_noticed);
	suite_add_tcase(s, t);
	t = tcase_create("requests");
	tcase_add_loop_test(t, requests_are_read, 0, COUNT(requests));
	tcase_add_test(t, attributes_behind_the_integrity_count_for_nothing);
	tcase_add_test(t, requests_without_integrity_are_dropped);
	tcase_add_test(t, wrong_fingerprints_are_dropped);
	tcase_add_loop_test(t, other_messages_are_dropped, 0, COUNT(changes));
	tcase_add_test(t, large_messages_are_dropped);
	suite_add_tcase(s, t);
	return unit_run(s);
}
