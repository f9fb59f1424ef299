/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>

#include "audio/opus_decoder.h"
#include "audio/opus_encoder.h"
#include "audio/rtp.h"
#include "tests/unit/stream_sounds.h"

static struct jitter_buffer line;

static void
empty(void)
{
	line = (struct jitter_buffer){ 0 };
}

/* ---- packets ---- */

/* clang-format off */
static const struct {
	const char *what, *bytes;
	size_t n;
	bool good;
	size_t at, payload;
} packets[] = {
	{ "what Janus forwards",
	  "\x80\x6f\x00\x02\x00\x00\x07\x80\xe1\x20\xd6\x98\xf8\xca\x56", 15, true, 12, 3 },
	{ "a marker", "\x80\xef\x00\x02\0\0\0\0\0\0\0\1\xf8", 13, true, 12, 1 },
	{ "two sources of a mixer",
	  "\x82\x6f\x00\x02\0\0\0\0\0\0\0\1AAAABBBB\xf8", 21, true, 20, 1 },
	{ "an extension of one word",
	  "\x90\x6f\x00\x02\0\0\0\0\0\0\0\1\xbe\xde\0\1\x10\x80\0\0\xf8\xff", 22, true, 20, 2 },
	{ "padding", "\xa0\x6f\x00\x02\0\0\0\0\0\0\0\1\xf8\xff\0\0\3", 17, true, 12, 2 },
	{ "nothing", "", 0, false, 0, 0 },
	{ "a head alone", "\x80\x6f\x00\x02\0\0\0\0\0\0\0\1", 12, false, 0, 0 },
	{ "version 1", "\x40\x6f\x00\x02\0\0\0\0\0\0\0\1\xf8", 13, false, 0, 0 },
	{ "sources that are not there", "\x83\x6f\x00\x02\0\0\0\0\0\0\0\1AAAABBBB\xf8", 21, false, 0, 0 },
	{ "an extension that ends too early", "\x90\x6f\x00\x02\0\0\0\0\0\0\0\1\xbe\xde\0", 15, false, 0, 0 },
	{ "one longer than the packet",
	  "\x90\x6f\x00\x02\0\0\0\0\0\0\0\1\xbe\xde\xff\xff\x10\x80\0\0\xf8", 21, false, 0, 0 },
	{ "nothing but padding", "\xa0\x6f\x00\x02\0\0\0\0\0\0\0\1\0\0\3", 15, false, 0, 0 },
	{ "padding of no bytes", "\xa0\x6f\x00\x02\0\0\0\0\0\0\0\1\xf8\0\0", 15, false, 0, 0 },
	{ "more padding than packet", "\xa0\x6f\x00\x02\0\0\0\0\0\0\0\1\xf8\xff\xff", 15, false, 0, 0 },
};
/* clang-format on */

START_TEST(packets_are_read)
{
	struct rtp_packet r;
	bool good = rtp_read(packets[_i].bytes, packets[_i].n, &r);

	ck_assert_msg(good == packets[_i].good, "%s", packets[_i].what);
	if (!good)
		return;
	ck_assert_int_eq(r.type, RTP_OPUS);
	ck_assert_int_eq(r.seq, 2);
	ck_assert_ptr_eq(r.p, packets[_i].bytes + packets[_i].at);
	ck_assert_uint_eq(r.n, packets[_i].payload);
}
END_TEST

START_TEST(written_values_are_read)
{
	const struct rtp_packet r = { .type = 111,
		.marker = true,
		.seq = 0xfffe,
		.ts = 0x89abcdef,
		.ssrc = 0xdeadbeef,
		.p = (const unsigned char *)"opus",
		.n = 4 };
	static const char bytes[] =
	    "\x80\xef\xff\xfe\x89\xab\xcd\xef\xde\xad\xbe\xefopus";
	unsigned char to[16];
	struct rtp_packet again;

	ck_assert_uint_eq(rtp_write(&r, to, 15), 0);
	ck_assert_uint_eq(rtp_write(&r, to, 16), 16);
	ck_assert_mem_eq(to, bytes, 16);
	ck_assert(rtp_read(to, 16, &again));
	ck_assert(again.marker);
	ck_assert_uint_eq(again.ts, r.ts);
	ck_assert_uint_eq(again.ssrc, r.ssrc);
	ck_assert_mem_eq(again.p, "opus", 4);
}
END_TEST

/* ---- in order ---- */

/* Adds packets a, b, c ...: the first has number 65534, so that numbers wrap. */
static void
put(char c, int64_t now)
{
	unsigned char p[] = { (unsigned char)(4 * (c - 'a')), 1, 2 };
	const struct rtp_packet r = {
		.seq = (uint16_t)(65534 + c - 'a'), .p = p, .n = sizeof(p)
	};

	jitter_buffer_put(&line, &r, now);
}

/*
 * Returns the packets that leave, each after the number of packets lost before it, if
 * any.
 */
static const char *
taken(int64_t now)
{
	char *to = arena_alloc(mem, 64);
	const unsigned char *p;
	size_t n, at = 0;

	while (at < 60 && jitter_buffer_next(&line, now, &p, &n)) {
		struct opus_gap gap = opus_gap_read(p);

		if (gap.lost > 0)
			to[at++] = (char)('0' + gap.lost);
		to[at++] = (char)(p[OPUS_GAP_BYTES] / 4 + 'a');
	}
	return to;
}

/* Packets, each followed by the packets that leave then, separated by blanks. */
/* clang-format off */
static const struct { const char *come, *leave, *left; } orders[] = {
	{ "abcd",        "a b c d",        "" },
	{ "acbd",        "a . bc d",       "" },
	{ "adcbe",       "a . . bcd e",    "" },
	{ "abbac",       "a b . . c",      "" },
	{ "acdef",       "a . . . 1cdef",  "" },
	{ "acdefb",      "a . . . 1cdef .", "" },
	{ "ac",          "a .",            "1c" },
	{ "ae",          "a .",            "3e" },
	{ "aec",         "a . .",          "1c1e" },
	{ "adcefg",      "a . . . 1cdef g", "" },
	{ "abcdn",       "a b c d 9n",     "" }, /* too many packets to wait for */
	{ "",            "",               "" },
};
/* clang-format on */

START_TEST(packets_leave_in_order)
{
	const char *want = orders[_i].leave;

	for (const char *c = orders[_i].come; *c != '\0'; c++) {
		size_t n = strcspn(want, " ");
		const char *is;

		put(*c, 0);
		is = taken(0);
		ck_assert_msg(strncmp(is[0] != '\0' ? is : ".", want, n) == 0 &&
				  (is[0] == '\0' || is[n] == '\0'),
		    "%s: %c: %s, not %.*s", orders[_i].come, *c, is, (int)n, want);
		want += n + (want[n] == ' ');
	}
	ck_assert_str_eq(taken(JITTER_PATIENCE_US - 1), "");
	ck_assert_str_eq(taken(JITTER_PATIENCE_US), orders[_i].left);
	ck_assert_int_eq(line.waiting, 0);
}
END_TEST

START_TEST(a_source_that_begins_anew_is_heard)
{
	static const unsigned char p[] = { 0xf8, 1 };
	struct rtp_packet r = { .seq = 30000, .p = p, .n = 2 };
	static const uint16_t starts[] = { 30000, 7, 60000, 59000, 59100 };
	const unsigned char *got;
	size_t n;

	for (size_t i = 0; i < COUNT(starts); i++)
		for (int k = 0; k < 3; k++) {
			r.seq = (uint16_t)(starts[i] + k);
			jitter_buffer_put(&line, &r, 0);
			ck_assert(jitter_buffer_next(&line, 0, &got, &n));
			ck_assert_uint_eq(n, OPUS_GAP_BYTES + 2);
			ck_assert(!jitter_buffer_next(&line, 0, &got, &n));
		}
}
END_TEST

/* ---- what is missing ---- */

#define FRAME 960 /* 20 ms */

/*
 * Numbers and times in frames since the first packet, and the result for the last one.
 */
/* clang-format off */
static const struct {
	const char *what;
	struct { int seq, ts, at; } come[3];
	unsigned lost;
	uint32_t missing;
} gaps[] = {
	{ "packets that follow",       { { 0, 0, 0 }, { 1, 1, 1 }, { 2, 2, 2 } }, 0, 0 },
	{ "one is lost",               { { 0, 0, 0 }, { 2, 2, 2 } }, 1, FRAME },
	{ "three are lost",            { { 0, 0, 0 }, { 4, 4, 4 } }, 3, 3 * FRAME },
	{ "twenty are lost",           { { 0, 0, 0 }, { 21, 21, 21 } }, 20, 20 * FRAME },
	{ "silence that was not sent", { { 0, 0, 0 }, { 1, 20, 20 } }, 0, 19 * FRAME },
	{ "with a packet lost in it",  { { 0, 0, 0 }, { 2, 40, 40 } }, 1, 39 * FRAME },
	{ "half a minute",             { { 0, 0, 0 }, { 1, 1501, 1501 } }, 0, 1500 * FRAME },
	{ "more than that",            { { 0, 0, 0 }, { 1, 9001, 9001 } }, 0, 1500 * FRAME },
	{ "a second before its time",  { { 0, 0, 0 }, { 1, 51, 1 } }, 0, 50 * FRAME },
	{ "and no more",               { { 0, 0, 0 }, { 1, 9001, 1 } }, 0, 50 * FRAME },
	{ "nor twice",                 { { 0, 0, 0 }, { 1, 51, 1 }, { 2, 9001, 2 } }, 0, 0 },
	{ "clocks that stand",         { { 0, 0, 0 }, { 3, 0, 3 } }, 2, 2 * FRAME },
	{ "clocks that go back",       { { 0, 5000, 0 }, { 1, 0, 3 } }, 0, 0 },
	{ "another source",            { { 2000, 0, 0 }, { 0, 9000, 90 } }, 0, 0 },
};
/* clang-format on */

START_TEST(what_is_missing_is_told)
{
	static const unsigned char opus[] = { 0x08, 1, 2 }; /* 20 ms */
	struct opus_gap gap = { 0 };
	const unsigned char *p;
	size_t n;

	for (int i = 0;
	     i < 3 && (i == 0 || gaps[_i].come[i].seq != 0 || gaps[_i].come[i].ts != 0);
	     i++) {
		const struct rtp_packet r = { .seq = (uint16_t)(65530 +
								gaps[_i].come[i].seq),
			.ts = UINT32_MAX - 500 + FRAME * (uint32_t)gaps[_i].come[i].ts,
			.p = opus,
			.n = sizeof(opus) };
		int64_t now = gaps[_i].come[i].at * INT64_C(20000);

		jitter_buffer_put(&line, &r, now);
		ck_assert(jitter_buffer_next(&line, now + 100000, &p, &n));
		gap = opus_gap_read(p);
	}
	ck_assert_msg(gap.lost == gaps[_i].lost && gap.missing == gaps[_i].missing,
	    "%s: %u, %u", gaps[_i].what, gap.lost, gap.missing);
	ck_assert_mem_eq(p + OPUS_GAP_BYTES, opus, sizeof(opus));
}
END_TEST

/* ---- with Opus ---- */

/* Every tenth packet is lost and every fifth is late: the sound keeps its length. */
START_TEST(sound_keeps_its_length_whatever_is_lost)
{
	struct pcm16 said = tone(2, 300, -10, SPOKEN_HZ);
	struct opus_encoder *out = opus_encoder_new(mem);
	struct opus_decoder *in = opus_decoder_new(mem);
	struct rtp_source source = { .seq = 65500, .first_ts = 1, .last_tick = -1 };
	unsigned char packets_of[100][RTP_MOST];
	size_t sizes[100], n;
	struct buf heard = { .mem = mem };
	const unsigned char *p;
	double sum = 0;

	for (int i = 0; i < 100; i++) {
		struct buf opus = { .mem = mem };
		struct opus_packets made;
		struct opus_packet packet;

		opus_encoder_put(out, said.s + i * OPUS_ENCODER_SAMPLES,
		    OPUS_ENCODER_SAMPLES, false, &opus);
		made = (struct opus_packets){ (unsigned char *)opus.p, opus.len };
		ck_assert(opus_packets_next(&made, &packet));
		sizes[i] = rtp_next(&source, i + 1, packet.bytes, packet.n,
		    packets_of[i], sizeof(packets_of[i]));
	}
	for (int i = 0; i < 100; i++) {
		int k = i % 5 == 1 ? i + 1 : i % 5 == 2 ? i - 1 : i;
		struct rtp_packet r;

		ck_assert(rtp_read(packets_of[k], sizes[k], &r));
		ck_assert(r.marker == (k == 0));
		ck_assert_uint_eq(r.ts, 1 + 960 * (uint32_t)(k + 1));
		if (k % 10 != 5)
			jitter_buffer_put(&line, &r, i * INT64_C(20000));
		while (jitter_buffer_next(&line, i * INT64_C(20000), &p, &n))
			ck_assert_int_eq(opus_decoder_received(in, p, n, &heard), OK);
	}
	n = heard.len / sizeof(int16_t);
	ck_assert_uint_eq(n, 2 * HEARD_HZ);
	for (size_t i = 0; i < n; i++)
		sum += pow(((int16_t *)(void *)heard.p)[i], 2);
	ck_assert_double_gt(10 * log10(sum / (double)n / 32768 / 32768), -12);
}
END_TEST

START_TEST(what_begins_after_silence_is_marked_and_keeps_the_clock)
{
	struct rtp_source source = { .first_ts = UINT32_MAX - 960, .last_tick = -1 };
	unsigned char to[64];
	struct rtp_packet r;

	for (int64_t tick = 1; tick < 10; tick += tick == 2 ? 5 : 1) {
		size_t n = rtp_next(&source, tick, "opus", 4, to, sizeof(to));

		ck_assert(rtp_read(to, n, &r));
		ck_assert(r.marker == (tick == 1 || tick == 7));
		ck_assert_uint_eq(r.ts, (uint32_t)(960 * (tick - 1) - 1));
	}
	ck_assert_int_eq(r.seq, 4);
	ck_assert_uint_eq(rtp_next(&source, 10, "opus", 4, to, 15), 0);
}
END_TEST

/* Each tick is returned once; after a pause, only the last ticks are. */
START_TEST(ticks_follow_the_clock)
{
	int64_t tick = 100;

	ck_assert(!rtp_tick_next(&tick, 100 * RTP_TICK_US + 19999, 5));
	ck_assert_int_eq(rtp_tick_wait_ms(tick, 100 * RTP_TICK_US + 19999), 1);
	for (int64_t due = 101; due <= 103; due++) {
		ck_assert(rtp_tick_next(&tick, 103 * RTP_TICK_US, 5));
		ck_assert_int_eq(tick, due);
	}
	ck_assert(!rtp_tick_next(&tick, 103 * RTP_TICK_US, 5));
	ck_assert_int_eq(rtp_tick_wait_ms(tick, 103 * RTP_TICK_US), RTP_FRAME_MS);
	ck_assert_int_eq(rtp_tick_wait_ms(tick, 200 * RTP_TICK_US), 0);
	for (int64_t due = 196; due <= 200; due++) {
		ck_assert(rtp_tick_next(&tick, 200 * RTP_TICK_US, 5));
		ck_assert_int_eq(tick, due);
	}
	ck_assert(!rtp_tick_next(&tick, 200 * RTP_TICK_US, 5));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("rtp");
	TCase *t = tcase_create("rtp");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_checked_fixture(t, empty, NULL);
	tcase_add_loop_test(t, packets_are_read, 0, COUNT(packets));
	tcase_add_test(t, written_values_are_read);
	tcase_add_loop_test(t, packets_leave_in_order, 0, COUNT(orders));
	tcase_add_test(t, a_source_that_begins_anew_is_heard);
	tcase_add_loop_test(t, what_is_missing_is_told, 0, COUNT(gaps));
	tcase_add_test(t, sound_keeps_its_length_whatever_is_lost);
	tcase_add_test(t, what_begins_after_silence_is_marked_and_keeps_the_clock);
	tcase_add_test(t, ticks_follow_the_clock);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
