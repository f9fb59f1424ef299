/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoding speech as packets of 20 ms, from input in pieces of any size. */
#include <check.h>
#include <opus/opus.h>

#include "audio/opus_encoder.h"
#include "tests/unit/stream_sounds.h"

static struct opus_packets
encode(struct opus_encoder *o, struct pcm16 said, size_t piece)
{
	struct buf to = { .mem = mem };

	for (size_t at = 0; at < said.n; at += piece) {
		size_t n = said.n - at < piece ? said.n - at : piece;

		opus_encoder_put(o, said.s + at, n, at + n == said.n, &to);
	}
	return (struct opus_packets){ (unsigned char *)to.p, to.len };
}

/* Decodes; lost packets are replaced by FEC or concealment. */
static struct pcm16
decode(struct opus_packets packets)
{
	struct pcm16 heard = silence(20, SPOKEN_HZ);
	int wrong;
	OpusDecoder *d = opus_decoder_create(SPOKEN_HZ, 1, &wrong);
	struct opus_packet p;

	heard.n = 0;
	while (opus_packets_next(&packets, &p)) {
		int n = opus_decode(d, p.bytes, (int32_t)p.n, heard.s + heard.n,
		    OPUS_ENCODER_SAMPLES, 0);

		ck_assert_int_eq(n, OPUS_ENCODER_SAMPLES);
		heard.n += (size_t)n;
	}
	ck_assert_uint_eq(packets.n, 0);
	opus_decoder_destroy(d);
	return heard;
}

/* clang-format off */
static const struct { size_t samples, piece, packets; } pieces[] = {
	{ 4800, 4800, 10 }, /* a chunk */
	{ 4801, 4800, 11 },
	{ 4800, 7, 10 },
	{ 4810, 481, 11 },
	{ 1, 1, 1 },
	{ 480, 480, 1 },
	{ 0, 1, 0 },
};
/* clang-format on */

START_TEST(samples_that_fill_no_packet_wait_and_the_last_packet_is_padded)
{
	struct opus_encoder *o = opus_encoder_new(mem);
	struct pcm16 said = tone(1, 300, -20, SPOKEN_HZ);

	said.n = pieces[_i].samples;
	ck_assert_uint_eq(
	    opus_packets_count(encode(o, said, pieces[_i].piece)), pieces[_i].packets);
}
END_TEST

START_TEST(speech_takes_no_more_than_its_bits)
{
	struct pcm16 said = tone(8, 220, -20, SPOKEN_HZ);
	struct opus_packets packets;

	add_tone(said, 900, -26, SPOKEN_HZ);
	add_noise(said, -50);
	packets = encode(opus_encoder_new(mem), said, 4800);
	ck_assert_uint_eq(opus_packets_count(packets), 8000 / OPUS_PACKETS_MS);
	ck_assert_uint_lt(packets.n, 8 * 26000 / 8 + 400 * 2);
	ck_assert_double_gt(level_db(decode(packets).s + 4800, 20000), -22);
}
END_TEST

/* Nothing of a dropped phrase may be left in the next one. */
START_TEST(phrases_begin_anew)
{
	struct opus_encoder *o = opus_encoder_new(mem);
	struct pcm16 said = tone(1, 300, -20, SPOKEN_HZ);
	struct opus_packets first = encode(o, said, 4800), again;
	struct buf dropped = { .mem = mem };

	opus_encoder_put(o, said.s, 700, false, &dropped);
	opus_encoder_begin(o);
	again = encode(o, said, 4800);
	ck_assert_uint_eq(again.n, first.n);
	ck_assert_mem_eq(again.bytes, first.bytes, first.n);
}
END_TEST

/* Measures the sound of packet 20 that the FEC of packet 21 gives after packet 19. */
static double
recovered_db(struct opus_packets packets, bool fec)
{
	int16_t s[OPUS_ENCODER_SAMPLES];
	int wrong, n = 0;
	OpusDecoder *d = opus_decoder_create(SPOKEN_HZ, 1, &wrong);
	struct opus_packet p;

	for (int i = 0; i < 20; i++) {
		ck_assert(opus_packets_next(&packets, &p));
		ck_assert_int_gt(
		    opus_decode(d, p.bytes, (int32_t)p.n, s, OPUS_ENCODER_SAMPLES, 0),
		    0);
	}
	ck_assert(opus_packets_next(&packets, &p));
	ck_assert(opus_packets_next(&packets, &p));
	n = opus_decode(d, fec ? p.bytes : NULL, fec ? (int32_t)p.n : 0, s,
	    OPUS_ENCODER_SAMPLES, fec);
	ck_assert_int_eq(n, OPUS_ENCODER_SAMPLES);
	opus_decoder_destroy(d);
	return level_db(s, OPUS_ENCODER_SAMPLES);
}

/*
 * Returns silence, then a tone. If the tone's first packet is lost, only FEC has its
 * onset.
 */
static struct opus_packets
onset(int percent)
{
	struct opus_encoder *o = opus_encoder_new(mem);

	opus_encoder_loss(o, percent);
	return encode(
	    o, joined(silence(0.4, SPOKEN_HZ), tone(0.4, 300, -12, SPOKEN_HZ)), 4800);
}

START_TEST(a_lost_packet_comes_back_by_the_next_one)
{
	struct opus_packets packets = onset(20);

	ck_assert_double_lt(recovered_db(packets, false), -50);
	ck_assert_double_gt(recovered_db(packets, true), -25);
}
END_TEST

START_TEST(expected_loss_has_limits)
{
	struct opus_packets least = onset(-3), at_first = onset(OPUS_ENCODER_LOSS);
	struct opus_packets most = onset(20), beyond = onset(100);

	ck_assert_uint_eq(least.n, at_first.n);
	ck_assert_mem_eq(least.bytes, at_first.bytes, least.n);
	ck_assert_uint_eq(most.n, beyond.n);
	ck_assert_mem_eq(most.bytes, beyond.bytes, most.n);
	ck_assert(most.n != least.n || memcmp(most.bytes, least.bytes, most.n) != 0);
}
END_TEST

/*
 * Silence between two phrases is silent, and the second phrase sounds like the first.
 */
START_TEST(silence_between_phrases_is_silent)
{
	struct opus_encoder *o = opus_encoder_new(mem);
	struct buf all = { .mem = mem };
	struct pcm16 said = tone(0.4, 300, -20, SPOKEN_HZ), heard;

	opus_encoder_put(o, said.s, said.n, true, &all);
	for (int i = 0; i < 3; i++)
		opus_packets_put(
		    &all, opus_packets_silence().bytes, opus_packets_silence().n);
	opus_encoder_begin(o);
	opus_encoder_put(o, said.s, said.n, true, &all);
	heard = decode((struct opus_packets){ (unsigned char *)all.p, all.len });
	ck_assert_double_lt(level_db(heard.s + 9600 + 960, 480), -60);
	ck_assert_double_gt(level_db(heard.s + 9600 + 1440 + 960, 4800), -22);
	ck_assert_double_lt(level_db(heard.s + 9600 + 1440 + 960, 4800), -18);
}
END_TEST

START_TEST(damaged_packets_end_the_list)
{
	static const char *const lists[] = { "", "\0", "\0\1", "\0\2a", "\0\0a",
		"\xff\xffz" };
	static const size_t sizes[] = { 0, 1, 2, 3, 3, 3 };
	struct opus_packets packets = { (const unsigned char *)lists[_i], sizes[_i] };
	struct opus_packet packet;

	ck_assert(!opus_packets_next(&packets, &packet));
	ck_assert_uint_eq(opus_packets_count(packets), 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("opus_encoder");
	TCase *t = tcase_create("opus_encoder");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t,
	    samples_that_fill_no_packet_wait_and_the_last_packet_is_padded, 0,
	    COUNT(pieces));
	tcase_add_test(t, speech_takes_no_more_than_its_bits);
	tcase_add_test(t, phrases_begin_anew);
	tcase_add_test(t, a_lost_packet_comes_back_by_the_next_one);
	tcase_add_test(t, expected_loss_has_limits);
	tcase_add_test(t, silence_between_phrases_is_silent);
	tcase_add_loop_test(t, damaged_packets_end_the_list, 0, 6);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
