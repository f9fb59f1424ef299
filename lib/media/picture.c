/*
 * Still pictures need no demuxer: the file is the packet.
 */
#include <libavcodec/avcodec.h>
#include <libavutil/intreadwrite.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "media/media_internal.h"

#define BYTES_MAX (256 << 20)
#define PIXELS_MAX (200 << 20) /* cameras have up to 200 million */

/* All of descriptor 0, padded for decoders; NULL: too large, or empty. */
static AVPacket *
read_packet(void)
{
	AVPacket *pkt = av_packet_alloc();
	struct stat st;
	ssize_t did;

	if (pkt == NULL || fstat(STDIN_FILENO, &st) < 0 || st.st_size == 0 ||
	    st.st_size > BYTES_MAX || av_new_packet(pkt, (int)st.st_size) < 0)
		return NULL;
	for (int n = 0; n < pkt->size; n += (int)did)
		if ((did = pread(
			 STDIN_FILENO, pkt->data + n, (size_t)(pkt->size - n), n)) <= 0)
			return NULL;
	return pkt;
}

/*
 * libav decodes only still WebP.  The frames of an animation are WebP pictures without
 * a head: keep the head and the first frame.
 */
static void
keep_first_frame(AVPacket *pkt)
{
	enum { HEAD = 12, CHUNK = 8, PLACE = 16 }; /* bytes */
	int64_t at = HEAD, size;

	for (; at + CHUNK + PLACE < pkt->size; at += CHUNK + size + size % 2) {
		size = AV_RL32(pkt->data + at + 4);
		if (memcmp(pkt->data + at, "ANMF", 4) != 0)
			continue;
		if (size <= PLACE || size > pkt->size - at - CHUNK)
			return;
		size -= PLACE;
		memmove(pkt->data + HEAD, pkt->data + at + CHUNK + PLACE, (size_t)size);
		AV_WL32(pkt->data + 4, (uint32_t)size + 4);
		av_shrink_packet(pkt, HEAD + (int)size);
		return;
	}
}

bool
picture_decodes(const char *decoder)
{
	const AVCodec *codec = avcodec_find_decoder_by_name(decoder);
	AVCodecContext *dec = avcodec_alloc_context3(codec);
	AVFrame *frame = av_frame_alloc();
	AVPacket *pkt = read_packet();

	if (codec == NULL || dec == NULL || frame == NULL || pkt == NULL)
		return false;
	if (codec->id == AV_CODEC_ID_WEBP)
		keep_first_frame(pkt);
	dec->thread_count = 1;
	dec->max_pixels = PIXELS_MAX;
	dec->err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK;
	return avcodec_open2(dec, codec, NULL) == 0 &&
	       avcodec_send_packet(dec, pkt) == 0 &&
	       avcodec_send_packet(dec, NULL) == 0 &&
	       avcodec_receive_frame(dec, frame) == 0 && frame->width > 0;
}
