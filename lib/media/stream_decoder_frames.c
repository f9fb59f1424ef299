/*
 * Frames without a container: MPEG audio and ADTS.  libav's demuxers for these read
 * blocks of a kilobyte; its parsers return a frame with its last byte.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "media/source.h"
#include "media/stream_decoder_internal.h"

#define TABLE_AT 48 /* latest position of the table in its frame */

/* ID3v2: its pictures may contain bytes like those of frames. */
static void
skip_tag(struct live_decoder *l)
{
	const uint8_t *p = l->p;
	size_t n;

	if (!stream_decoder_begins(l, "ID3", 3) || l->n < 10)
		return;
	n = (size_t)(p[6] & 127) << 21 | (size_t)(p[7] & 127) << 14 |
	    (size_t)(p[8] & 127) << 7 | (size_t)(p[9] & 127);
	stream_decoder_exact(l, NULL, 10 + n);
	l->mute = l->n - l->at;
}

/* A silent frame with a table of the file for players. */
static bool
is_table(const AVPacket *pkt)
{
	size_t n = pkt->size < TABLE_AT ? (size_t)pkt->size : TABLE_AT;

	return memmem(pkt->data, n, "Xing", 4) != NULL ||
	       memmem(pkt->data, n, "Info", 4) != NULL;
}

static AVCodecContext *
open_decoder(enum AVCodecID id)
{
	AVCodecParameters *is = avcodec_parameters_alloc();

	if (is == NULL)
		return NULL;
	is->codec_type = AVMEDIA_TYPE_AUDIO;
	is->codec_id = id;
	return source_decoder(is, (AVRational){ 1, 1 }, SOURCE_SOUNDS);
}

void
stream_decoder_frames(struct live_decoder *l, enum AVCodecID id)
{
	AVCodecContext *dec = open_decoder(id);
	AVCodecParserContext *parser = av_parser_init(id);
	AVPacket *pkt = av_packet_alloc();

	if (dec == NULL || parser == NULL || pkt == NULL)
		_exit(EXIT_FAILURE);
	for (;;) {
		int used;

		stream_decoder_fill(l);
		skip_tag(l);
		used =
		    av_parser_parse2(parser, dec, &pkt->data, &pkt->size, l->p + l->at,
			(int)(l->n - l->at), AV_NOPTS_VALUE, AV_NOPTS_VALUE, 0);
		if (used < 0)
			_exit(EXIT_FAILURE);
		l->at += (size_t)used;
		if (pkt->size > 0 && !(id == AV_CODEC_ID_MP3 && is_table(pkt)))
			stream_decoder_decode(l, dec, pkt);
	}
}
