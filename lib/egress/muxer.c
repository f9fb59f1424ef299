/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "egress/muxer.h"

#include <string.h>

bool
muxer_begin(AVFormatContext *fmt)
{
	AVDictionary *how = NULL;
	bool done;

	/* Options of MP4, which other muxers ignore. */
	av_dict_set(&how, "movflags",
	    "+frag_custom+empty_moov+default_base_moof+frag_discont+skip_trailer", 0);
	av_dict_set(&how, "use_editlist", "0", 0);
	av_dict_set(&how, "video_track_timescale", "48000", 0);
	done = avformat_write_header(fmt, &how) >= 0;
	av_dict_free(&how);
	return done;
}

bool
muxer_describe_picture(
    AVCodecParameters *is, const void *head, size_t n, int width, int height)
{
	is->codec_type = AVMEDIA_TYPE_VIDEO;
	is->codec_id = AV_CODEC_ID_H264;
	is->width = width;
	is->height = height;
	is->extradata = av_mallocz(n + AV_INPUT_BUFFER_PADDING_SIZE);
	if (is->extradata == NULL)
		return false;
	memcpy(is->extradata, head, n);
	is->extradata_size = (int)n;
	return true;
}

AVPacket *
muxer_picture_packet(const struct picture *is, int64_t pts, int64_t dts)
{
	AVPacket *p = av_packet_alloc();

	if (p == NULL || av_new_packet(p, (int)is->n) != 0) {
		av_packet_free(&p);
		return NULL;
	}
	memcpy(p->data, is->bytes, is->n);
	p->pts = pts;
	p->dts = dts;
	p->flags = is->key ? AV_PKT_FLAG_KEY : 0;
	return p;
}
