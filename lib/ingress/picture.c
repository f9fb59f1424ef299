#include "ingress/picture.h"

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>

struct picture_track {
	AVRational times;
	AVBSFContext *filter;
	AVCodecParserContext *parser;
	AVCodecContext *context; /* of the parser */
	AVPacket *packet;
	unsigned char *head;
	size_t n_head;
};

struct picture_track *
picture_track_new(struct arena *mem, const AVStream *s)
{
	struct picture_track *t = arena_alloc(mem, sizeof(*t));

	if (s->codecpar->codec_id != AV_CODEC_ID_H264)
		return NULL;
	t->times = s->time_base;
	t->parser = av_parser_init(AV_CODEC_ID_H264);
	t->context = avcodec_alloc_context3(NULL);
	t->packet = av_packet_alloc();
	/* A byte stream, whatever it was; and its parameter sets as they come. */
	if (t->parser == NULL || t->context == NULL || t->packet == NULL ||
	    av_bsf_list_parse_str("h264_mp4toannexb,extract_extradata", &t->filter) <
		0 ||
	    avcodec_parameters_copy(t->filter->par_in, s->codecpar) < 0)
		return NULL;
	t->filter->time_base_in = s->time_base;
	t->parser->flags |= PARSER_FLAG_COMPLETE_FRAMES;
	t->context->codec_id = AV_CODEC_ID_H264;
	return av_bsf_init(t->filter) < 0 ? NULL : t;
}

static void
take_head(struct picture_track *t)
{
	size_t n;
	const uint8_t *head =
	    av_packet_get_side_data(t->packet, AV_PKT_DATA_NEW_EXTRADATA, &n);
	uint8_t *out;
	int n_out;

	if (head == NULL)
		return;
	av_free(t->head);
	t->head = av_memdup(head, n);
	t->n_head = t->head != NULL ? n : 0;
	av_parser_parse2(t->parser, t->context, &out, &n_out, t->packet->data,
	    t->packet->size, AV_NOPTS_VALUE, AV_NOPTS_VALUE, 0);
}

void
picture_track_put(struct picture_track *t, const AVPacket *p, int64_t offset_us,
    void (*put)(void *, const struct picture *), void *arg)
{
	const AVRational us = { 1, 1000000 };
	AVPacket *copy = av_packet_clone(p);

	if (copy == NULL || av_bsf_send_packet(t->filter, copy) < 0) {
		av_packet_free(&copy);
		return;
	}
	av_packet_free(&copy);
	for (; av_bsf_receive_packet(t->filter, t->packet) == 0;
	     av_packet_unref(t->packet)) {
		take_head(t);
		if (t->n_head == 0 || t->parser->width <= 0 ||
		    t->packet->dts == AV_NOPTS_VALUE ||
		    t->packet->pts == AV_NOPTS_VALUE)
			continue;
		put(arg,
		    &(const struct picture){
			.key = (t->packet->flags & AV_PKT_FLAG_KEY) != 0,
			.pts = av_rescale_q(t->packet->pts, t->times, us) + offset_us,
			.dts = av_rescale_q(t->packet->dts, t->times, us) + offset_us,
			.width = t->parser->width,
			.height = t->parser->height,
			.head = t->head,
			.n_head = t->n_head,
			.bytes = t->packet->data,
			.n = (size_t)t->packet->size });
	}
}

void
picture_track_free(struct picture_track *t)
{
	if (t == NULL)
		return;
	av_bsf_free(&t->filter);
	av_parser_close(t->parser);
	avcodec_free_context(&t->context);
	av_packet_free(&t->packet);
	av_free(t->head);
}
