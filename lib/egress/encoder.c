#include "egress/encoder.h"

#include <string.h>

#define BIT_RATE 96000
#define OPUS_BIT_RATE 64000

bool
encoder_open(struct encoder *e, enum AVCodecID id, int64_t begins)
{
	const AVCodec *codec = avcodec_find_encoder(id);
	AVCodecContext *c = avcodec_alloc_context3(codec);

	*e = (struct encoder){ .codec = c,
		.frame = av_frame_alloc(),
		.packet = av_packet_alloc(),
		.pts = begins };
	if (codec == NULL || c == NULL || e->frame == NULL || e->packet == NULL)
		return false;
	/* Of one channel both are the same samples. */
	c->sample_fmt = id == AV_CODEC_ID_OPUS ? AV_SAMPLE_FMT_FLT : AV_SAMPLE_FMT_FLTP;
	c->sample_rate = EGRESS_HZ;
	c->ch_layout = (AVChannelLayout)AV_CHANNEL_LAYOUT_MONO;
	c->bit_rate = id == AV_CODEC_ID_OPUS ? OPUS_BIT_RATE : BIT_RATE;
	c->time_base = (AVRational){ 1, EGRESS_HZ };
	c->thread_count = 1;
	c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
	if (avcodec_open2(c, codec, NULL) != 0)
		return false;
	e->frame->format = c->sample_fmt;
	e->frame->sample_rate = c->sample_rate;
	e->frame->nb_samples = c->frame_size;
	return av_channel_layout_copy(&e->frame->ch_layout, &c->ch_layout) == 0 &&
	       av_frame_get_buffer(e->frame, 0) == 0;
}

void
encoder_put(struct encoder *e, const float s[EGRESS_TICK],
    void (*put)(void *sink, size_t language, const AVPacket *), void *sink,
    size_t language)
{
	for (int i = 0, some; i < EGRESS_TICK; i += some) {
		some = e->codec->frame_size - e->n;
		some = some < EGRESS_TICK - i ? some : EGRESS_TICK - i;
		if (e->n == 0 && av_frame_make_writable(e->frame) != 0)
			return;
		memcpy((float *)(void *)e->frame->data[0] + e->n, s + i,
		    (size_t)some * sizeof(*s));
		e->n += some;
		if (e->n < e->codec->frame_size)
			continue;
		e->frame->pts = e->pts;
		e->pts += e->n;
		e->n = 0;
		if (avcodec_send_frame(e->codec, e->frame) != 0)
			continue;
		while (avcodec_receive_packet(e->codec, e->packet) == 0) {
			put(sink, language, e->packet);
			av_packet_unref(e->packet);
		}
	}
}
