/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A muxer of fragments that runs for days. */
#include "tests/unit/suite.h"

#include <malloc.h>

#include "egress/egress.h"
#include "egress/muxer.h"

static AVFormatContext *fmt;

static void
put_fragment(int64_t pts)
{
	AVPacket *p = av_packet_alloc();
	uint8_t *bytes = NULL;

	ck_assert_int_eq(av_new_packet(p, 10), 0);
	memset(p->data, 1, 10);
	p->pts = p->dts = pts;
	p->duration = 1024;
	av_packet_rescale_ts(
	    p, (AVRational){ 1, EGRESS_HZ }, fmt->streams[0]->time_base);
	ck_assert_int_ge(av_write_frame(fmt, p), 0);
	ck_assert_int_ge(av_write_frame(fmt, NULL), 0);
	ck_assert_int_gt(avio_close_dyn_buf(fmt->pb, &bytes), 0);
	av_free(bytes);
	ck_assert_int_ge(avio_open_dyn_buf(&fmt->pb), 0);
	av_packet_free(&p);
}

/* Returns the bytes of the heap and of large blocks outside it. */
static size_t
used(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

START_TEST(what_was_written_is_forgotten)
{
	static struct encoder encoder;
	AVStream *s;
	size_t before;

	ck_assert(encoder_open(&encoder, AV_CODEC_ID_AAC, 0));
	ck_assert_int_ge(avformat_alloc_output_context2(&fmt, NULL, "mp4", NULL), 0);
	s = avformat_new_stream(fmt, NULL);
	ck_assert_ptr_nonnull(s);
	ck_assert_int_ge(
	    avcodec_parameters_from_context(s->codecpar, encoder.codec), 0);
	s->time_base = (AVRational){ 1, EGRESS_HZ };
	ck_assert_int_ge(avio_open_dyn_buf(&fmt->pb), 0);
	ck_assert(muxer_begin(fmt));
	for (int i = 0; i < 100; i++)
		put_fragment(i * 1024);
	before = used();
	for (int i = 100; i < 40000; i++)
		put_fragment(i * 1024);
	ck_assert_uint_lt(used(), before + 100000);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("fragments");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, what_was_written_is_forgotten);
	suite_add_tcase(s, t);
	return unit_run(s);
}
