#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "media/room.h"
#include "media/source.h"

#define PICTURE_BYTES_MAX (256 << 20)
#define PICTURE_PIXELS_MAX (256 << 20)

/* All of descriptor 0, padded as decoders want it; NULL: too much or too little. */
static AVPacket *
read_packet(void)
{
	AVPacket *pkt = av_packet_alloc();
	struct stat st;
	ssize_t did;

	if (pkt == NULL || fstat(STDIN_FILENO, &st) < 0 || st.st_size == 0 ||
	    st.st_size > PICTURE_BYTES_MAX || av_new_packet(pkt, (int)st.st_size) < 0)
		return NULL;
	for (int n = 0; n < pkt->size; n += (int)did)
		if ((did = pread(
			 STDIN_FILENO, pkt->data + n, (size_t)(pkt->size - n), n)) <= 0)
			return NULL;
	return pkt;
}

bool
picture_decodes(const char *decoder)
{
	AVCodecContext *dec =
	    avcodec_alloc_context3(avcodec_find_decoder_by_name(decoder));
	AVFrame *frame = av_frame_alloc();
	AVPacket *pkt = read_packet();

	if (dec == NULL || frame == NULL || pkt == NULL)
		return false;
	dec->thread_count = 1;
	dec->max_pixels = PICTURE_PIXELS_MAX;
	dec->err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK;
	return avcodec_open2(dec, NULL, NULL) == 0 &&
	       avcodec_send_packet(dec, pkt) == 0 &&
	       avcodec_send_packet(dec, NULL) == 0 &&
	       avcodec_receive_frame(dec, frame) == 0 && frame->width > 0;
}

/* Does one frame of this type of stream decode? */
static bool
stream_decodes(const struct kind *kind, enum AVMediaType type, struct wire *w)
{
	struct source src;

	if (source_open(&src, kind, type) != MEDIA_FINE || source_next(&src) == NULL)
		return false;
	source_tell(&src, w);
	return true;
}

static bool
kind_decodes(const struct kind *kind, struct wire *w)
{
	if (kind->picture != NULL)
		return picture_decodes(kind->picture);
	return stream_decodes(kind, AVMEDIA_TYPE_AUDIO, w) ||
	       stream_decodes(kind, AVMEDIA_TYPE_VIDEO, w);
}

void
room_check(const char *mime_type, struct answer *a)
{
	const struct kind *kind = sniff(STDIN_FILENO, mime_type);

	a->head.duration_s = NAN;
	a->head.verdict = MEDIA_MISMATCH;
	if (kind == NULL || !kind_decodes(kind, &a->head))
		return;
	a->head.verdict = MEDIA_FINE;
	snprintf(a->head.format, sizeof(a->head.format), "%s", kind->name);
	if (kind->picture != NULL)
		snprintf(a->head.codec, sizeof(a->head.codec), "%s", kind->name);
}
