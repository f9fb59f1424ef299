/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ogg pages made of packets; a receiver can begin with any page. */
#include <check.h>

#include "audio/opus_decoder.h"
#include "audio/opus_encoder.h"
#include "audio/opus_muxer.h"
#include "tests/unit/stream_sounds.h"

static struct opus_packets
encoded(struct pcm16 said)
{
	struct buf to = { .mem = mem };

	opus_encoder_put(opus_encoder_new(mem), said.s, said.n, true, &to);
	return (struct opus_packets){ (unsigned char *)to.p, to.len };
}

/* Makes seconds of a tone, as pages of this many packets. */
static size_t
mux(struct opus_muxer *m, double seconds, int packets, struct buf pages[16])
{
	struct opus_packets all = encoded(tone(seconds, 300, -20, SPOKEN_HZ));
	struct opus_packet packet;
	size_t n = 0;

	for (int i = 1; opus_packets_next(&all, &packet); i++) {
		opus_muxer_put(m, &packet);
		if (i % packets != 0)
			continue;
		pages[n] = (struct buf){ .mem = mem };
		opus_muxer_page(m, &pages[n++]);
	}
	return n;
}

static struct pcm16
decode(const struct buf *stream)
{
	struct buf to = { .mem = mem };

	ck_assert_int_eq(opus_decoder_stream(opus_decoder_new(mem), stream->p,
			     stream->len, &to, 60 * HEARD_HZ * sizeof(int16_t)),
	    OK);
	return (struct pcm16){ (int16_t *)(void *)to.p, to.len / sizeof(int16_t) };
}

#define SKIPPED (312 / 3)

START_TEST(a_receiver_begins_with_any_page)
{
	struct opus_muxer *m = opus_muxer_new(mem);
	struct buf pages[16], stream = { .mem = mem };
	size_t n = mux(m, 4, 50, pages);
	struct pcm16 heard;

	ck_assert_uint_eq(n, 4);
	opus_muxer_head(m, &stream);
	for (size_t i = (size_t)_i; i < n; i++)
		buf_put(&stream, pages[i].p, pages[i].len);
	heard = decode(&stream);
	ck_assert_uint_eq(heard.n, (4 - (size_t)_i) * HEARD_HZ - SKIPPED);
	ck_assert_double_gt(level_db(heard.s + 1600, heard.n - 1600), -22);
}
END_TEST

/* RFC 3533, 6: flags, granule position, serial number, page number. */
START_TEST(pages_are_numbered_and_dated)
{
	struct opus_muxer *m = opus_muxer_new(mem);
	struct buf pages[16], head = { .mem = mem };

	mux(m, 2, 50, pages);
	opus_muxer_head(m, &head);
	ck_assert_mem_eq(head.p + 28, "OpusHead", 8);
	ck_assert_int_eq(head.p[5], 2); /* flag: the stream begins */
	for (int i = 0; i < 2; i++) {
		const unsigned char *p = (const unsigned char *)pages[i].p;

		ck_assert_mem_eq(p, "OggS", 4);
		ck_assert_int_eq(p[5], 0);
		ck_assert_int_eq(p[6] | p[7] << 8 | p[8] << 16, 48000 * (i + 1));
		ck_assert_mem_eq(p + 14, head.p + 14, 4); /* of the same stream */
		ck_assert_int_eq(p[18], 2 + i);
	}
}
END_TEST

START_TEST(without_packets_there_is_no_page)
{
	struct opus_muxer *m = opus_muxer_new(mem);
	struct buf to = { .mem = mem };

	opus_muxer_page(m, &to);
	ck_assert_uint_eq(to.len, 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("opus_muxer");
	TCase *t = tcase_create("opus_muxer");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_receiver_begins_with_any_page, 0, 4);
	tcase_add_test(t, pages_are_numbered_and_dated);
	tcase_add_test(t, without_packets_there_is_no_page);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
