/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "tests/unit/stream_files.h"
#include "tests/unit/stream_reading.h"

START_TEST(opus_packets_are_decoded_one_a_message)
{
	struct pcm16 p = tone(2, 300, -20, 48000), got;
	struct audio_decoder *in = open_sound(AUDIO_OPUS, 0, 0);
	struct buf all = { .mem = mem };
	size_t n;
	struct packet *packets = opus_packets(p, 1, &n);

	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(audio_decoder_feed(
				     in, packets[i].p, (size_t)packets[i].n, mem, &got),
		    OK);
		ck_assert_uint_eq(got.n, HEARD_HZ / 50);
		buf_put(&all, got.s, got.n * sizeof(*got.s));
		if (i % 30 == 5) { /* none of these is a packet */
			assert_refused(in, "\x4f", 1);
			assert_refused(in, "\xff\xff\xff", 3);
			assert_refused(in, "\x03\x3f\0\0\0\0", 6);
			ck_assert_int_eq(audio_decoder_feed(in, "", 0, mem, &got), OK);
			ck_assert_uint_eq(got.n, 0);
		}
	}
	ck_assert_double_eq_tol(
	    level_db((int16_t *)(void *)all.p + 8000, 16000), -20, 1);
	ck_assert_int_eq(audio_decoder_us(in), 2000000);
}
END_TEST

/* One channel, then two of opposite phase, then one again, in one stream. */
START_TEST(channels_may_change_within_a_stream)
{
	struct pcm16 one = tone(2, 300, -20, 48000), got;
	struct pcm16 both = { arena_alloc(mem, 4 * one.n), 2 * one.n };
	struct audio_decoder *in = open_sound(AUDIO_OPUS, 0, 0);
	struct packet *packets[3];
	struct buf all = { .mem = mem };
	size_t n;

	for (size_t i = 0; i < one.n; i++) {
		both.s[2 * i] = one.s[i];
		both.s[2 * i + 1] = (int16_t)-one.s[i];
	}
	packets[0] = packets[2] = opus_packets(one, 1, &n);
	packets[1] = opus_packets(both, 2, &n);
	for (size_t i = 0; i < 3 * n; i++) {
		const struct packet *p = packets[i / n] + i % n;

		if (i % 30 == 5)
			/* packets with two channels, and with none */
			assert_refused(in, "\x4f", 1);
		ck_assert_int_eq(
		    audio_decoder_feed(in, p->p, (size_t)p->n, mem, &got), OK);
		ck_assert_uint_eq(got.n, HEARD_HZ / 50);
		buf_put(&all, got.s, got.n * sizeof(*got.s));
	}
	for (size_t i = 0; i < 3; i++)
		ck_assert_double_eq_tol(
		    level_db((int16_t *)(void *)all.p + i * 32000 + 8000, 20000), -20,
		    1);
}
END_TEST

START_TEST(an_ogg_stream_is_the_packets_less_what_is_to_be_skipped)
{
	struct pcm16 p = melody(48000), plain = { .n = 0 }, got;
	struct audio_decoder *in = open_sound(AUDIO_OPUS, 0, 0);
	size_t n, skip = 312 / 3;
	struct packet *packets = opus_packets(p, 1, &n);
	struct buf file = ogg_file(packets, n, 1), two = ogg_file(packets, n, 2);

	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(audio_decoder_feed(
				     in, packets[i].p, (size_t)packets[i].n, mem, &got),
		    OK);
		plain = joined(plain, got);
	}
	plain.s += skip;
	plain.n -= skip;
	assert_same(heard(open_sound(AUDIO_OPUS, 0, 0), file.p, file.len, 0), plain);
	buf_put(&file, two.p, two.len); /* chained */
	assert_same(heard(open_sound(AUDIO_OPUS, 0, 0), file.p, file.len, 2000),
	    joined(plain, plain));
}
END_TEST

START_TEST(an_ogg_stream_may_begin_with_an_empty_packet)
{
	size_t n;
	struct packet *packets = opus_packets(melody(48000), 1, &n);
	struct buf rest = ogg_file(packets + 1, n - 1, 1), file;

	packets[0].n = 0;
	file = ogg_file(packets, n, 1);
	assert_same(heard(open_sound(AUDIO_OPUS, 0, 0), file.p, file.len, 0),
	    heard(open_sound(AUDIO_OPUS, 0, 0), rest.p, rest.len, 0));
}
END_TEST

START_TEST(a_torn_page_costs_no_more_than_itself)
{
	size_t n;
	struct packet *packets = opus_packets(melody(48000), 1, &n);
	struct buf file = ogg_file(packets, n, 1);
	struct pcm16 whole = heard(open_sound(AUDIO_OPUS, 0, 0), file.p, file.len, 0);
	struct pcm16 got;

	file.p[file.len / 2] ^= 1;
	got = heard(open_sound(AUDIO_OPUS, 0, 0), file.p, file.len, 100);
	ck_assert_uint_lt(got.n, whole.n);
	ck_assert_uint_ge(got.n + 11 * HEARD_HZ / 50, whole.n);
}
END_TEST

START_TEST(ogg_without_opus_is_refused_until_opus_comes)
{
	struct buf vorbis = { .mem = mem }, good;
	struct audio_decoder *in = open_sound(AUDIO_OPUS, 0, 0);
	struct packet *packets;
	ogg_stream_state s;
	size_t n;

	ogg_stream_init(&s, 5);
	put_packet(&s, "\1vorbis and so on", 17, 0, false);
	put_pages(&vorbis, &s, true);
	put_packet(&s, "\3vorbis", 7, 1, true);
	put_pages(&vorbis, &s, true);
	ogg_stream_clear(&s);
	assert_refused(in, vorbis.p, vorbis.len);
	assert_refused(in, "abcd", 4);
	packets = opus_packets(melody(48000), 1, &n);
	good = ogg_file(packets, n, 1);
	ck_assert_uint_gt(heard(in, good.p, good.len, 0).n, HEARD_HZ);
}
END_TEST

/* A packet of silence is one byte for 60 ms; a page holds 255. */
START_TEST(a_flood_of_tiny_packets_ends_at_a_minute)
{
	struct packet quiet = { "\x18", 1 }, *many;
	struct audio_decoder *in = open_sound(AUDIO_OPUS, 0, 0);
	size_t n = 20000;
	struct pcm16 got;
	struct buf file;

	many = arena_alloc(mem, n * sizeof(*many));
	for (size_t i = 0; i < n; i++)
		many[i] = quiet;
	file = ogg_file(many, n, 9);
	ck_assert_int_eq(
	    audio_decoder_feed(in, file.p, file.len, mem, &got), ERR_LIMIT);
	ck_assert_uint_ge(got.n, AUDIO_MOST_S * HEARD_HZ);
	ck_assert_uint_lt(got.n, (AUDIO_MOST_S + 1) * HEARD_HZ);
}
END_TEST

/* An Ogg packet may go on from page to page for good. */
START_TEST(a_packet_without_an_end_is_refused)
{
	struct buf file = { .mem = mem };
	ogg_stream_state s;
	char *big = arena_alloc(mem, 3 << 20);

	ogg_stream_init(&s, 5);
	put_packet(&s, OPUS_HEAD, sizeof(OPUS_HEAD) - 1, 0, false);
	put_pages(&file, &s, true);
	put_packet(&s, big, 3 << 20, 1, true);
	put_pages(&file, &s, true);
	ogg_stream_clear(&s);
	assert_refused(open_sound(AUDIO_OPUS, 0, 0), file.p, file.len);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("opus_decoder");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, opus_packets_are_decoded_one_a_message);
	tcase_add_test(t, channels_may_change_within_a_stream);
	tcase_add_test(t, an_ogg_stream_is_the_packets_less_what_is_to_be_skipped);
	tcase_add_test(t, an_ogg_stream_may_begin_with_an_empty_packet);
	tcase_add_test(t, a_torn_page_costs_no_more_than_itself);
	tcase_add_test(t, ogg_without_opus_is_refused_until_opus_comes);
	tcase_add_test(t, a_flood_of_tiny_packets_ends_at_a_minute);
	tcase_add_test(t, a_packet_without_an_end_is_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
