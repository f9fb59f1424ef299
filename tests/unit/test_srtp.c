/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our SRTP beside libsrtp: each reads the other's packets. */
#include <check.h>
#include <srtp2/srtp.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "rtc/srtp.h"
#include "tests/unit/suite.h"

#define ROOM 2000

static struct arena *mem;
static struct dtls_keys keys;
static struct packet_cipher *ours, *far_ours;
static srtp_t theirs_in, theirs_out;
static alignas(16) unsigned char packet[ROOM], copy[ROOM];

static srtp_t
reference(unsigned char *key, srtp_ssrc_type_t which)
{
	srtp_policy_t p = {
		.ssrc = { .type = which }, .key = key, .window_size = 1024
	};
	srtp_t s;

	if (keys.profile == DTLS_AEAD_AES_128_GCM) {
		srtp_crypto_policy_set_aes_gcm_128_16_auth(&p.rtp);
		srtp_crypto_policy_set_aes_gcm_128_16_auth(&p.rtcp);
	} else {
		srtp_crypto_policy_set_rtp_default(&p.rtp);
		srtp_crypto_policy_set_rtcp_default(&p.rtcp);
	}
	ck_assert_int_eq(srtp_create(&s, &p), srtp_err_status_ok);
	return s;
}

static void
open_ciphers(int i)
{
	struct dtls_keys swapped;

	mem = arena_new();
	random_bytes(&keys, sizeof(keys));
	keys.profile = i == 0 ? DTLS_AES128_CM_SHA1_80 : DTLS_AEAD_AES_128_GCM;
	swapped = keys;
	memcpy(swapped.local, keys.remote, sizeof(keys.local));
	memcpy(swapped.remote, keys.local, sizeof(keys.local));
	ck_assert_ptr_nonnull(ours = packet_cipher_new(mem, &keys));
	ck_assert_ptr_nonnull(far_ours = packet_cipher_new(mem, &swapped));
	theirs_in = reference(keys.local, ssrc_any_inbound);
	theirs_out = reference(keys.remote, ssrc_any_outbound);
}

static void
close_ciphers(void)
{
	packet_cipher_free(ours);
	packet_cipher_free(far_ours);
	srtp_dealloc(theirs_in);
	srtp_dealloc(theirs_out);
	arena_free(mem);
}

/*
 * Makes a packet with this many sources of a mixer and words of extension (below 0:
 * none).
 */
static size_t
make_packet(uint32_t ssrc, uint16_t seq, int sources, int words, size_t payload)
{
	size_t head =
	    12 + 4 * (size_t)sources + (words >= 0 ? 4 + 4 * (size_t)words : 0);

	random_bytes(packet, head + payload);
	packet[0] = (unsigned char)(0x80 | sources | (words >= 0 ? 0x10 : 0));
	packet[2] = (unsigned char)(seq >> 8);
	packet[3] = (unsigned char)seq;
	memcpy(packet + 8, &ssrc, sizeof(ssrc));
	if (words >= 0) {
		packet[12 + 4 * sources + 2] = 0;
		packet[12 + 4 * sources + 3] = (unsigned char)words;
	}
	memcpy(copy, packet, head + payload);
	return head + payload;
}

static void
cross_rtp(size_t n)
{
	size_t got = packet_cipher_protect(ours, packet, n);
	int len = (int)got;

	ck_assert_uint_eq(got, n + (keys.profile == DTLS_AEAD_AES_128_GCM ? 16 : 10));
	ck_assert_int_eq(srtp_unprotect(theirs_in, packet, &len), srtp_err_status_ok);
	ck_assert_int_eq(len, (int)n);
	ck_assert_mem_eq(packet, copy, n);
	ck_assert_int_eq(srtp_protect(theirs_out, packet, &len), srtp_err_status_ok);
	ck_assert_uint_eq(packet_cipher_unprotect(ours, packet, (size_t)len), n);
	ck_assert_mem_eq(packet, copy, n);
}

START_TEST(packets_are_those_of_libsrtp)
{
	uint16_t seq = 65000;

	open_ciphers(_i);
	for (size_t payload = 1; payload < 1200; payload += 7)
		cross_rtp(make_packet(1, seq++, 0, -1, payload));
	for (int k = 0; k < 1200; k++) /* across a wrap of the sequence numbers */
		cross_rtp(make_packet(1, seq++, k % 16, k % 5 - 1, 80));
	for (uint32_t ssrc = 2; ssrc < 40; ssrc++)
		cross_rtp(make_packet(ssrc, seq, 0, 1, 33));
	cross_rtp(make_packet(1, seq++, 0, -1, 80));
	close_ciphers();
}
END_TEST

START_TEST(reports_are_those_of_libsrtp)
{
	open_ciphers(_i);
	for (size_t n = 8; n < 600; n += 4) {
		size_t got;
		int len;

		make_packet(0, 0, 0, -1, n);
		packet[0] = copy[0] = 0x80;
		packet[1] = copy[1] = 200;
		got = packet_cipher_protect_rtcp(ours, packet, n);
		len = (int)got;
		ck_assert_uint_gt(got, n);
		ck_assert_int_eq(
		    srtp_unprotect_rtcp(theirs_in, packet, &len), srtp_err_status_ok);
		ck_assert_int_eq(len, (int)n);
		ck_assert_mem_eq(packet, copy, n);
		ck_assert_int_eq(
		    srtp_protect_rtcp(theirs_out, packet, &len), srtp_err_status_ok);
		ck_assert_uint_eq(
		    packet_cipher_unprotect_rtcp(ours, packet, (size_t)len), n);
		ck_assert_mem_eq(packet, copy, n);
	}
	close_ciphers();
}
END_TEST

/* Any bit. */
START_TEST(changed_packets_are_refused)
{
	unsigned char good[ROOM];
	size_t n, rtcp;

	open_ciphers(_i % 2);
	rtcp = (size_t)_i / 2;
	n = make_packet(1, 7, 2, 1, 40);
	if (rtcp)
		packet[0] = copy[0] = 0x80;
	n = rtcp ? packet_cipher_protect_rtcp(far_ours, packet, n)
		 : packet_cipher_protect(far_ours, packet, n);
	ck_assert_uint_gt(n, 0);
	memcpy(good, packet, n);
	for (size_t bit = 0; bit < 8 * n; bit++) {
		memcpy(packet, good, n);
		packet[bit / 8] ^= (unsigned char)(1 << bit % 8);
		ck_assert_uint_eq(rtcp ? packet_cipher_unprotect_rtcp(ours, packet, n)
				       : packet_cipher_unprotect(ours, packet, n),
		    0);
	}
	for (size_t less = 0; less < n; less++) {
		memcpy(packet, good, n);
		ck_assert_uint_eq(rtcp
				      ? packet_cipher_unprotect_rtcp(ours, packet, less)
				      : packet_cipher_unprotect(ours, packet, less),
		    0);
	}
	memcpy(packet, good, n);
	ck_assert_uint_gt(rtcp ? packet_cipher_unprotect_rtcp(ours, packet, n)
			       : packet_cipher_unprotect(ours, packet, n),
	    0);
	memcpy(packet, good, n);
	ck_assert_uint_eq(rtcp ? packet_cipher_unprotect_rtcp(ours, packet, n)
			       : packet_cipher_unprotect(ours, packet, n),
	    0);
	close_ciphers();
}
END_TEST

/* Sequence numbers in the order of sending; each but the last must be accepted once. */
static const struct {
	uint16_t seqs[6];
	const char *taken; /* y or n for each: accepted or not */
} orders[] = {
	{ { 1, 3, 2, 3, 2, 1 }, "yyynnn" },
	{ { 1000, 2023, 1000, 1001, 2024, 1001 }, "yynyyn" },
	{ { 1, 1025, 1, 2, 2, 1026 }, "yynyny" },
	{ { 5000, 3977, 3976, 3975, 5001, 3978 }, "yynnyy" },
	{ { 65535, 0, 65534, 1, 0, 65533 }, "yyyyny" },
	{ { 10, 65530, 11, 65530, 12, 13 }, "ynynyy" },
	{ { 0, 30000, 60000, 24464, 60000, 24464 }, "yyyynn" },
};

START_TEST(each_packet_is_taken_once)
{
	static unsigned char sent[6][ROOM];
	size_t sizes[6];

	open_ciphers(_i % 2);
	/* each is sent by a sender of its own, which may repeat numbers */
	for (int k = 0; k < 6; k++) {
		struct dtls_keys swapped = keys;
		struct packet_cipher *c;

		memcpy(swapped.local, keys.remote, sizeof(keys.local));
		memcpy(swapped.remote, keys.local, sizeof(keys.local));
		ck_assert_ptr_nonnull(c = packet_cipher_new(mem, &swapped));
		for (int before = 0; before < k; before++) {
			size_t n =
			    make_packet(1, orders[_i / 2].seqs[before], 0, -1, 9);

			packet_cipher_protect(c, packet, n);
		}
		sizes[k] = make_packet(1, orders[_i / 2].seqs[k], 0, -1, 9);
		memcpy(sent[k], packet, sizes[k]);
		if ((sizes[k] = packet_cipher_protect(c, sent[k], sizes[k])) == 0)
			ck_assert_int_eq(orders[_i / 2].taken[k], 'n');
		packet_cipher_free(c);
	}
	for (int k = 0; k < 6; k++)
		ck_assert_msg((packet_cipher_unprotect(ours, sent[k], sizes[k]) > 0) ==
				  (orders[_i / 2].taken[k] == 'y'),
		    "%d: %d", _i / 2, k);
	close_ciphers();
}
END_TEST

START_TEST(a_sender_never_repeats_a_number)
{
	open_ciphers(_i);
	ck_assert_uint_gt(
	    packet_cipher_protect(ours, packet, make_packet(1, 5, 0, -1, 9)), 0);
	ck_assert_uint_eq(
	    packet_cipher_protect(ours, packet, make_packet(1, 5, 0, -1, 9)), 0);
	ck_assert_uint_gt(
	    packet_cipher_protect(ours, packet, make_packet(2, 5, 0, -1, 9)), 0);
	close_ciphers();
}
END_TEST

START_TEST(malformed_packets_are_refused)
{
	open_ciphers(_i);
	for (size_t n = 0; n < 64; n++) {
		random_bytes(packet, sizeof(packet));
		packet[0] = 0x9f; /* 15 sources and an extension */
		ck_assert_uint_eq(packet_cipher_protect(ours, packet, n), 0);
		ck_assert_uint_eq(packet_cipher_unprotect(ours, packet, n), 0);
		ck_assert_uint_eq(packet_cipher_unprotect_rtcp(ours, packet, n), 0);
	}
	make_packet(1, 1, 0, 0, 100);
	packet[14] = 0xff;
	ck_assert_uint_eq(packet_cipher_protect(ours, packet, 116), 0);
	packet[0] = 0x40;
	ck_assert_uint_eq(packet_cipher_protect(ours, packet, 116), 0);
	ck_assert_uint_eq(packet_cipher_protect_rtcp(ours, packet, 7), 0);
	close_ciphers();
}
END_TEST

START_TEST(sources_of_the_other_side_are_limited)
{
	size_t n, taken = 0;

	open_ciphers(_i);
	for (uint32_t ssrc = 1; ssrc <= 1100; ssrc++) {
		n = packet_cipher_protect(
		    far_ours, packet, make_packet(ssrc, 1, 0, -1, 9));
		taken += packet_cipher_unprotect(ours, packet, n) > 0;
	}
	ck_assert_uint_eq(taken, 1000);
	n = packet_cipher_protect(far_ours, packet, make_packet(5, 2, 0, -1, 9));
	ck_assert_uint_gt(packet_cipher_unprotect(ours, packet, n), 0);
	close_ciphers();
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("srtp");
	TCase *t = tcase_create("srtp");

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, packets_are_those_of_libsrtp, 0, 2);
	tcase_add_loop_test(t, reports_are_those_of_libsrtp, 0, 2);
	tcase_add_loop_test(t, changed_packets_are_refused, 0, 4);
	tcase_add_loop_test(t, each_packet_is_taken_once, 0, 2 * COUNT(orders));
	tcase_add_loop_test(t, a_sender_never_repeats_a_number, 0, 2);
	tcase_add_loop_test(t, malformed_packets_are_refused, 0, 2);
	tcase_add_loop_test(t, sources_of_the_other_side_are_limited, 0, 2);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	if (srtp_init() != srtp_err_status_ok)
		return 1;
	return unit_run(suite());
}
