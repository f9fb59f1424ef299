/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lost packets are concealed, and packets that were not sent are silence. */
#include <check.h>

#include "audio/opus_decoder.h"
#include "audio/opus_encoder.h"
#include "tests/unit/stream_sounds.h"

#define FRAME 960 /* 20 ms, units of 1 / OPUS_GAP_HZ */
#define HEARD (HEARD_HZ / 50)

/* Silence up to packet 20, then a tone; 40 packets that have copies. */
static struct opus_packet onset[40];

static void
encode_onset(void)
{
	struct opus_encoder *o = opus_encoder_new(mem);
	struct pcm16 said =
	    joined(silence(0.4, SPOKEN_HZ), tone(0.4, 300, -12, SPOKEN_HZ));
	struct buf to = { .mem = mem };
	struct opus_packets all;

	opus_encoder_loss(o, OPUS_ENCODER_LOSS_MOST);
	opus_encoder_put(o, said.s, said.n, true, &to);
	all = (struct opus_packets){ (unsigned char *)to.p, to.len };
	for (size_t i = 0; i < COUNT(onset); i++)
		ck_assert(opus_packets_next(&all, &onset[i]));
}

static void
begin(void)
{
	setup();
	encode_onset();
}

static void
receive(struct opus_decoder *in, const struct opus_packet *packet, unsigned lost,
    uint32_t missing, struct buf *to)
{
	unsigned char bytes[OPUS_GAP_BYTES + OPUS_ENCODER_BYTES];

	opus_gap_write(&(struct opus_gap){ lost, missing }, bytes);
	memcpy(bytes + OPUS_GAP_BYTES, packet->bytes, packet->n);
	ck_assert_int_eq(
	    opus_decoder_received(in, bytes, OPUS_GAP_BYTES + packet->n, to), OK);
}

/* Decodes packets up to `until`, then one with a gap before it; returns the sound of
   that one. */
static struct pcm16
after(struct opus_decoder *in, size_t until, const struct opus_packet *packet,
    unsigned lost, uint32_t missing)
{
	struct buf to = { .mem = mem };

	for (size_t i = 0; i < until; i++)
		receive(in, &onset[i], 0, 0, &to);
	to.len = 0;
	receive(in, packet, lost, missing, &to);
	return (struct pcm16){ (int16_t *)(void *)to.p, to.len / sizeof(int16_t) };
}

START_TEST(a_lost_frame_comes_back_from_the_next_packet)
{
	struct opus_decoder *in = opus_decoder_new(mem), *plain = opus_decoder_new(mem);
	struct opus_packet without = opus_packets_silence();
	struct pcm16 got = after(in, 20, &onset[21], 1, FRAME);
	struct pcm16 guessed = after(plain, 20, &without, 1, FRAME);

	ck_assert(opus_gap_has_copy(onset[21].bytes, onset[21].n));
	ck_assert(!opus_gap_has_copy(without.bytes, without.n));
	ck_assert_uint_eq(got.n, 2 * HEARD);
	ck_assert_double_gt(level_db(got.s, HEARD), -25);
	ck_assert_uint_eq(guessed.n, 2 * HEARD);
	ck_assert_double_lt(level_db(guessed.s, HEARD), -50);
	ck_assert_uint_eq(opus_decoder_losses(in)->recovered, 1);
	ck_assert_uint_eq(opus_decoder_losses(in)->concealed, 0);
	ck_assert_uint_eq(opus_decoder_losses(plain)->recovered, 0);
	ck_assert_uint_eq(opus_decoder_losses(plain)->concealed, 1);
	ck_assert_uint_eq(opus_decoder_losses(plain)->lost, 1);
}
END_TEST

/*
 * Loss in the tone: at most 9 packets are concealed, the tenth is restored from the
 * copy.
 */
START_TEST(larger_gaps_are_guessed_for_a_tenth_of_a_second)
{
	struct opus_decoder *in = opus_decoder_new(mem);
	struct pcm16 got = after(in, 28, &onset[38], 10, 10 * FRAME);

	ck_assert_uint_eq(got.n, 11 * HEARD);
	ck_assert_double_gt(level_db(got.s, HEARD), -25);
	ck_assert_double_lt(level_db(got.s + 5 * HEARD, 4 * HEARD), -90);
	ck_assert_double_gt(level_db(got.s + 9 * HEARD, 2 * HEARD), -25);
	ck_assert_uint_eq(opus_decoder_losses(in)->lost, 10);
	ck_assert_uint_eq(opus_decoder_losses(in)->concealed, 5);
	ck_assert_uint_eq(opus_decoder_losses(in)->recovered, 1);
}
END_TEST

START_TEST(what_was_not_sent_is_silence)
{
	struct opus_decoder *in = opus_decoder_new(mem);
	struct pcm16 got = after(in, 28, &onset[28], 0, 1500 * FRAME);

	ck_assert_uint_eq(got.n, 1501 * HEARD);
	ck_assert_double_lt(level_db(got.s, 1500 * HEARD), -90);
	ck_assert_double_gt(level_db(got.s + 1500 * HEARD, HEARD), -25);
	ck_assert_uint_eq(opus_decoder_losses(in)->lost, 0);
	ck_assert_uint_eq(opus_decoder_losses(in)->concealed, 0);
}
END_TEST

/* The loss of a packet of silence is noticed only by the time. */
START_TEST(silence_with_a_lost_packet_keeps_its_length)
{
	struct opus_decoder *in = opus_decoder_new(mem);
	struct pcm16 got = after(in, 28, &onset[28], 1, 40 * FRAME);

	ck_assert_uint_eq(got.n, 41 * HEARD);
	ck_assert_double_lt(level_db(got.s, 39 * HEARD), -90);
}
END_TEST

START_TEST(both_rates_are_as_long)
{
	struct opus_decoder *in = opus_decoder_new(mem);
	struct buf fine = { .mem = mem };
	struct pcm16 got;

	opus_decoder_fine(in, &fine);
	got = after(in, 28, &onset[38], 10, 10 * FRAME + 7);
	ck_assert_uint_eq(got.n, 11 * HEARD + 2);
	ck_assert_uint_eq(fine.len / sizeof(int16_t), 39 * SPOKEN_HZ / 50 + 3);
}
END_TEST

START_TEST(what_is_no_packet_is_refused)
{
	static const char *const bad[] = { "", "\0\0\0\0\0", "\0\0\0\0\0\0",
		"\0\0\0\0\0\0\3", "\0\1\0\0\xff\xff\xff\xff",
		"\0\0\0\0\3\xc0\x0a\xf0\1" }; /* after silence, cut within its frames */
	static const size_t sizes[] = { 0, 5, 6, 7, 8, 9 };
	struct opus_decoder *in = opus_decoder_new(mem);
	struct buf to = { .mem = mem };

	ck_assert_int_eq(
	    opus_decoder_received(in, bad[_i], sizes[_i], &to), ERR_REFUSED);
	ck_assert_uint_eq(to.len, 0);
}
END_TEST

START_TEST(gaps_are_read_as_they_were_written)
{
	const struct opus_gap gap = { 0xfedc, 0x89abcdef };
	unsigned char bytes[OPUS_GAP_BYTES];

	opus_gap_write(&gap, bytes);
	ck_assert_mem_eq(bytes, "\xfe\xdc\x89\xab\xcd\xef", OPUS_GAP_BYTES);
	ck_assert_uint_eq(opus_gap_read(bytes).lost, gap.lost);
	ck_assert_uint_eq(opus_gap_read(bytes).missing, gap.missing);
	ck_assert_uint_eq(opus_gap_duration((const unsigned char *)"\x08z", 2), FRAME);
	ck_assert_uint_eq(opus_gap_duration((const unsigned char *)"", 0), 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("opus_gap");
	TCase *t = tcase_create("opus_gap");

	tcase_add_checked_fixture(t, begin, teardown);
	tcase_add_test(t, a_lost_frame_comes_back_from_the_next_packet);
	tcase_add_test(t, larger_gaps_are_guessed_for_a_tenth_of_a_second);
	tcase_add_test(t, what_was_not_sent_is_silence);
	tcase_add_test(t, silence_with_a_lost_packet_keeps_its_length);
	tcase_add_test(t, both_rates_are_as_long);
	tcase_add_loop_test(t, what_is_no_packet_is_refused, 0, 6);
	tcase_add_test(t, gaps_are_read_as_they_were_written);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
