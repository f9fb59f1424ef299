/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <string.h>

#include "base/clock.h"
#include "rtc/rtcp.h"
#include "tests/unit/suite.h"

/* ---- reports ---- */

START_TEST(a_sender_report_is_read_as_it_was_written)
{
	const struct rtcp_sender s = { .ssrc = 0xdeadbeef,
		.time_us = INT64_C(1700000000) * S_US + S_US / 2,
		.ts = 0x89abcdef,
		.packets = 5,
		.octets = 500 };
	/* 1700000000 s after 1970 is 0xe8fe6f80 s after 1900. */
	static const unsigned char head[] = { 0x80, 200, 0, 6, 0xde, 0xad, 0xbe, 0xef,
		0xe8, 0xfe, 0x6f, 0x80, 0x80, 0, 0, 0, 0x89, 0xab, 0xcd, 0xef, 0, 0, 0,
		5, 0, 0, 1, 0xf4, 0x81, 202, 0, 3, 0xde, 0xad, 0xbe, 0xef, 1, 5, 'c',
		'n', 'a', 'm', 'e', 0 };
	unsigned char p[RTCP_MOST];
	size_t n = rtcp_write_sender(&s, "cname", p);
	struct rtcp_reader r;
	struct rtcp_item i;

	ck_assert_uint_eq(n, 44);
	ck_assert_mem_eq(p, head, sizeof(head));
	ck_assert_uint_eq(p[43], 0);
	rtcp_read(&r, p, n);
	ck_assert(rtcp_next(&r, &i));
	ck_assert_int_eq(i.kind, RTCP_SENDER);
	ck_assert_uint_eq(i.ssrc, s.ssrc);
	ck_assert_uint_eq(i.last_sr, 0x6f808000);
	ck_assert(!rtcp_next(&r, &i));
	ck_assert(rtcp_is(p, n));
}
END_TEST

START_TEST(names_of_any_length_are_padded)
{
	char cname[RTCP_CNAME + 8] = "";
	const struct rtcp_sender s = { .ssrc = 1 };
	unsigned char p[RTCP_MOST];
	struct rtcp_reader r;
	struct rtcp_item i;

	for (size_t k = 0; k < sizeof(cname) - 1; k++) {
		size_t n = rtcp_write_sender(&s, cname, p);

		ck_assert_uint_le(n, sizeof(p));
		ck_assert_uint_eq(n % 4, 0);
		ck_assert_uint_eq(p[n - 1], 0);
		ck_assert_uint_eq(n, 28 + 4 * ((size_t)p[31] + 1));
		rtcp_read(&r, p, n);
		ck_assert(rtcp_next(&r, &i) && !rtcp_next(&r, &i));
		cname[k] = 'x';
	}
}
END_TEST

static const struct rtcp_block blocks[] = {
	{ 0 },
	{ 1, 255, 1, 2, 3, 4, 5 },
	{ UINT32_MAX, 128, 0x7fffff, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX },
	{ 7, 1, -0x800000, 65536, 9, 8, 7 },
	{ 7, 1, -1, 65536, 9, 8, 7 },
};

START_TEST(a_receiver_report_is_read_as_it_was_written)
{
	const struct rtcp_block *b = &blocks[_i];
	unsigned char p[RTCP_MOST];
	size_t n = rtcp_write_receiver(9, b, p);
	struct rtcp_reader r;
	struct rtcp_item i;

	ck_assert_uint_eq(n, 32);
	rtcp_read(&r, p, n);
	ck_assert(rtcp_next(&r, &i));
	ck_assert_int_eq(i.kind, RTCP_BLOCK);
	ck_assert_uint_eq(i.block.ssrc, b->ssrc);
	ck_assert_uint_eq(i.block.fraction, b->fraction);
	ck_assert_int_eq(i.block.lost, b->lost);
	ck_assert_uint_eq(i.block.highest, b->highest);
	ck_assert_uint_eq(i.block.jitter, b->jitter);
	ck_assert_uint_eq(i.block.last_sr, b->last_sr);
	ck_assert_uint_eq(i.block.since_sr, b->since_sr);
	ck_assert(!rtcp_next(&r, &i));
}
END_TEST

/* The items of a compound packet: S for a sender, digits for SSRCs of blocks. */
/* clang-format off */
static const struct { const char *what, *bytes; size_t n; const char *items; } compounds[] = {
	{ "nothing", "", 0, "" },
	{ "less than a head", "\x80\xc9\0", 3, "" },
	{ "a report without blocks", "\x80\xc9\0\1\0\0\0\1", 8, "" },
	{ "another version", "\x40\xc8\0\6\0\0\0\1" "01234567" "0123" "0123" "0123", 28, "" },
	{ "longer than what came", "\x80\xc8\0\7\0\0\0\1" "01234567" "0123" "0123" "0123", 28, "" },
	{ "a sender", "\x80\xc8\0\6\0\0\0\1" "01234567" "0123" "0123" "0123", 28, "S" },
	{ "a sender that is too short", "\x80\xc8\0\1\0\0\0\1", 8, "" },
	{ "feedback, then a report",
	  "\x81\xce\0\2\0\0\0\1\0\0\0\2" "\x81\xc9\0\7\0\0\0\1" "\0\0\0\4" "01234567890123456789", 44, "4" },
	{ "more blocks told than there are",
	  "\x9f\xc9\0\7\0\0\0\1" "\0\0\0\4" "01234567890123456789", 32, "4" },
	{ "a sender with a block, then a name",
	  "\x81\xc8\0\xc\0\0\0\1" "01234567" "0123" "0123" "0123" "\0\0\0\5" "01234567890123456789"
	  "\x81\xca\0\2\0\0\0\1\1\1x\0", 64, "S5" },
	{ "a packet of no length behind a good one", "\x80\xc9\0\1\0\0\0\1\x80\xc9", 10, "" },
};
/* clang-format on */

START_TEST(compounds_are_read_up_to_what_is_malformed)
{
	struct rtcp_reader r;
	struct rtcp_item i;
	char items[16] = "";
	size_t n = 0;

	rtcp_read(&r, compounds[_i].bytes, compounds[_i].n);
	while (n < sizeof(items) - 1 && rtcp_next(&r, &i))
		items[n++] = i.kind == RTCP_SENDER ? 'S' : (char)('0' + i.block.ssrc);
	ck_assert_msg(strcmp(items, compounds[_i].items) == 0, "%s: %s",
	    compounds[_i].what, items);
}
END_TEST

START_TEST(types_of_packets_are_told_from_payloads)
{
	ck_assert(!rtcp_is("\x80", 1));
	ck_assert(!rtcp_is("\x80\x6f", 2));
	ck_assert(!rtcp_is("\x80\xef", 2)); /* with a marker bit */
	ck_assert(rtcp_is("\x80\xc0", 2));
	ck_assert(rtcp_is("\x80\xdf", 2));
	ck_assert(!rtcp_is("\x80\xe0", 2));
}
END_TEST

/* ---- reception ---- */

static struct rtcp_reception heard;

static void
hear(uint16_t seq, int64_t now)
{
	const struct rtp_packet p = { .ssrc = 1, .seq = seq, .ts = 960U * seq };

	rtcp_reception_put(&heard, &p, now);
}

START_TEST(loss_is_counted_by_period_and_in_all)
{
	struct rtcp_block b;

	heard = (struct rtcp_reception){ 0 };
	for (int i = 0; i < 100; i++)
		if (i % 10 != 5)
			hear((uint16_t)(65500 + i), 20000 * i);
	b = rtcp_reception_block(&heard, 0);
	ck_assert_uint_eq(b.fraction, 25); /* of 256 */
	ck_assert_int_eq(b.lost, 10);
	ck_assert_uint_eq(b.highest, 65536 + 63);
	for (int i = 100; i < 200; i++)
		hear((uint16_t)(65500 + i), 20000 * i);
	b = rtcp_reception_block(&heard, 0);
	ck_assert_uint_eq(b.fraction, 0);
	ck_assert_int_eq(b.lost, 10);
	b = rtcp_reception_block(&heard, 0);
	ck_assert_uint_eq(b.fraction, 0);
}
END_TEST

START_TEST(order_and_repetitions_do_not_count_as_loss)
{
	static const uint16_t seqs[] = { 10, 12, 11, 13, 13, 13 };
	struct rtcp_block b;

	heard = (struct rtcp_reception){ 0 };
	for (int i = 0; i < COUNT(seqs); i++)
		hear(seqs[i], 0);
	b = rtcp_reception_block(&heard, 0);
	ck_assert_uint_eq(b.fraction, 0);
	ck_assert_int_eq(b.lost, -2);
	ck_assert_int_eq(rtcp_reception_lost(&heard), -2);
}
END_TEST

START_TEST(all_but_one_lost_is_a_fraction_of_255)
{
	struct rtcp_block b;

	heard = (struct rtcp_reception){ 0 };
	hear(0, 0);
	rtcp_reception_block(&heard, 0);
	hear(30000, 0);
	b = rtcp_reception_block(&heard, 0);
	ck_assert_uint_eq(b.fraction, 255);
	ck_assert_int_eq(b.lost, 29999);
}
END_TEST

START_TEST(jitter_is_that_of_the_arrivals)
{
	heard = (struct rtcp_reception){ 0 };
	for (int i = 0; i < 1000; i++)
		hear((uint16_t)i, 20000 * i);
	ck_assert_double_lt(heard.jitter, 1);
	for (int i = 1000; i < 2000; i++)
		hear((uint16_t)i, 20000 * i + (i % 2 != 0 ? 5000 : 0));
	ck_assert_double_eq_tol(heard.jitter, 240, 1); /* 5 ms of 48 kHz */
}
END_TEST

START_TEST(the_last_sender_report_is_told)
{
	struct rtcp_block b;

	heard = (struct rtcp_reception){ 0 };
	hear(0, 0);
	b = rtcp_reception_block(&heard, 3 * S_US);
	ck_assert_uint_eq(b.last_sr, 0);
	ck_assert_uint_eq(b.since_sr, 0);
	heard.last_sr = 0x12345678;
	heard.last_sr_us = S_US;
	b = rtcp_reception_block(&heard, 3 * S_US + S_US / 2);
	ck_assert_uint_eq(b.last_sr, 0x12345678);
	ck_assert_uint_eq(b.since_sr, 5 * 65536 / 2);
}
END_TEST

START_TEST(another_source_begins_anew)
{
	const struct rtp_packet p = { .ssrc = 2, .seq = 7 };

	heard = (struct rtcp_reception){ 0 };
	hear(0, 0);
	hear(100, 0);
	rtcp_reception_put(&heard, &p, 0);
	ck_assert_int_eq(rtcp_reception_lost(&heard), 0);
	ck_assert_uint_eq(heard.received, 1);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("rtcp");
	TCase *t = tcase_create("rtcp");

	tcase_add_test(t, a_sender_report_is_read_as_it_was_written);
	tcase_add_test(t, names_of_any_length_are_padded);
	tcase_add_loop_test(
	    t, a_receiver_report_is_read_as_it_was_written, 0, COUNT(blocks));
	tcase_add_loop_test(
	    t, compounds_are_read_up_to_what_is_malformed, 0, COUNT(compounds));
	tcase_add_test(t, types_of_packets_are_told_from_payloads);
	tcase_add_test(t, loss_is_counted_by_period_and_in_all);
	tcase_add_test(t, order_and_repetitions_do_not_count_as_loss);
	tcase_add_test(t, all_but_one_lost_is_a_fraction_of_255);
	tcase_add_test(t, jitter_is_that_of_the_arrivals);
	tcase_add_test(t, the_last_sender_report_is_told);
	tcase_add_test(t, another_source_begins_anew);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
