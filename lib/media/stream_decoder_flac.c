/*
 * A native FLAC stream (RFC 9639).  libav's parser returns a frame only after ten more,
 * which is seconds.  But each frame ends with its CRC, so its end is known at once.
 */
#include <libavutil/crc.h>
#include <libavutil/mem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "media/source.h"
#include "media/stream_decoder_internal.h"

#define MAGIC "fLaC"
#define STREAMINFO 34        /* bytes of the first block, of type 0 */
#define LARGEST (256 * 1024) /* bytes of a frame, at most */

struct splitter {
	uint8_t *p;
	size_t n, most; /* bytes held; of a frame, at most */
	size_t read;    /* of them, in the CRC */
	uint32_t crc;
};

/* ---- the beginning ---- */

static bool
begins(const struct live_decoder *l)
{
	return stream_decoder_begins(l, MAGIC, 4);
}

static bool
read_info(struct live_decoder *l, uint8_t info[STREAMINFO])
{
	uint8_t head[4];
	size_t n;
	bool first = true;

	stream_decoder_exact(l, head, 4);
	if (memcmp(head, MAGIC, 4) != 0)
		return false;
	do {
		stream_decoder_exact(l, head, 4);
		n = (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
		if (first && ((head[0] & 127) != 0 || n != STREAMINFO))
			return false;
		stream_decoder_exact(l, first ? info : NULL, n);
		l->mute = 0;
		first = false;
	} while ((head[0] & 128) == 0);
	return true;
}

static AVCodecContext *
open_decoder(const uint8_t info[STREAMINFO])
{
	AVCodecParameters *is = avcodec_parameters_alloc();
	AVCodecContext *dec = NULL;

	if (is == NULL)
		return NULL;
	is->codec_type = AVMEDIA_TYPE_AUDIO;
	is->codec_id = AV_CODEC_ID_FLAC;
	is->extradata = av_mallocz(STREAMINFO + AV_INPUT_BUFFER_PADDING_SIZE);
	if (is->extradata != NULL) {
		memcpy(is->extradata, info, STREAMINFO);
		is->extradata_size = STREAMINFO;
		dec = source_decoder(is, (AVRational){ 1, 1 }, SOURCE_SOUNDS);
	}
	avcodec_parameters_free(&is);
	return dec;
}

/* A frame is not larger than its samples uncompressed. */
static size_t
largest(const uint8_t info[STREAMINFO])
{
	size_t samples = (size_t)info[2] << 8 | info[3];
	size_t channels = (info[12] >> 1 & 7U) + 1;
	size_t bits = ((info[12] & 1U) << 4 | info[13] >> 4) +
		      2; /* one more for a side channel */
	size_t n = (samples * channels * bits + 7) / 8 + 64;

	return n < LARGEST ? n : LARGEST;
}

/* ---- frames ---- */

/* Whether a frame may begin with these bytes; n may be 1. */
static bool
may_begin(const uint8_t *p, size_t n)
{
	return p[0] == 0xff && (n < 2 || (p[1] & 0xfe) == 0xf8);
}

static void
drop(struct splitter *s, size_t n)
{
	memmove(s->p, s->p + n, s->n - n);
	s->n -= n;
	s->read = 0;
	s->crc = 0;
}

/* Drop at least so many bytes, up to a possible begin of a frame. */
static void
drop_to_sync(struct splitter *s, size_t least)
{
	size_t at = least;

	while (at < s->n && !may_begin(s->p + at, s->n - at))
		at++;
	if (at > 0)
		drop(s, at < s->n ? at : s->n);
}

/*
 * Bytes of the first frame, if it is complete.  Without bytes after it, one piece in
 * 65,536 seems to complete a frame that goes on; that frame is lost.
 */
static size_t
whole_frame(struct splitter *s)
{
	const AVCRC *table = av_crc_get_table(AV_CRC_16_ANSI);

	while (s->read < s->n) {
		s->crc = av_crc(table, s->crc, s->p + s->read++, 1);
		if (s->crc == 0 &&
		    (s->read == s->n || may_begin(s->p + s->read, s->n - s->read)))
			return s->read;
	}
	return 0;
}

static void
split(struct live_decoder *l, struct splitter *s, AVCodecContext *dec, AVPacket *pkt)
{
	size_t n;

	drop_to_sync(s, 0);
	for (;;) {
		if ((n = whole_frame(s)) > 0) {
			pkt->data = s->p;
			pkt->size = (int)n;
			stream_decoder_decode(l, dec, pkt);
			drop(s, n);
			drop_to_sync(s, 0);
		} else if (s->n >= s->most) {
			drop_to_sync(s, 1);
		} else {
			return;
		}
	}
}

/* Until a piece begins like a file. */
static void
take_frames(
    struct live_decoder *l, struct splitter *s, AVCodecContext *dec, AVPacket *pkt)
{
	s->n = s->read = s->crc = 0;
	for (;;) {
		size_t n;

		stream_decoder_fill(l);
		if (begins(l))
			return;
		n = l->n - l->at < s->most - s->n ? l->n - l->at : s->most - s->n;
		memcpy(s->p + s->n, l->p + l->at, n);
		l->at += n;
		s->n += n;
		split(l, s, dec, pkt);
	}
}

void
stream_decoder_flac(struct live_decoder *l)
{
	struct splitter s = { .p = av_mallocz(LARGEST + AV_INPUT_BUFFER_PADDING_SIZE) };
	AVPacket *pkt = av_packet_alloc();
	AVCodecContext *dec;
	uint8_t info[STREAMINFO];

	if (s.p == NULL || pkt == NULL)
		_exit(EXIT_FAILURE);
	for (;;) {
		if (!read_info(l, info) || (dec = open_decoder(info)) == NULL) {
			l->unread = true;
			stream_decoder_await(l, begins);
			continue;
		}
		s.most = largest(info);
		take_frames(l, &s, dec, pkt);
		avcodec_free_context(&dec);
	}
}
