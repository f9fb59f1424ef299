/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads frames from a descriptor, with few features of libav: one container format, the
 * allowed decoders, no other files, no threads.
 */
#include "media/source.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define IO_BYTES 32768
#define STREAMS_MAX "32"
#define PROBE_BYTES "2000000"
#define FORMAT_BYTES "32768"
#define PROBE_US "10000000" /* playing time to probe */
#define CHANNELS_MAX 8
#define RATE_MIN_HZ 1000
#define RATE_MAX_HZ 384000
#define DURATION_MAX_US (INT64_C(1000000) * 86400 * 365) /* more is not believed */
#define PIXELS_MAX (8192 * 8192)

/* clang-format off */
#define VIDEO_CODECS \
	"h264,hevc,mpeg4,vp8,vp9,libdav1d,mpeg1video,mpeg2video,mpegvideo"
/* clang-format on */

/* The file, which libav sees from its content on. */
struct input {
	int fd;
	int64_t from;
};

static int
io_read(void *input, uint8_t *to, int n)
{
	const struct input *in = input;
	ssize_t did = TEMP_FAILURE_RETRY(read(in->fd, to, (size_t)n));

	return did > 0 ? (int)did : did == 0 ? AVERROR_EOF : AVERROR(errno);
}

static int64_t
io_seek(void *input, int64_t to, int whence)
{
	const struct input *in = input;
	struct stat st;
	off_t at;

	whence &= ~AVSEEK_FORCE;
	if ((whence & AVSEEK_SIZE) != 0)
		return fstat(in->fd, &st) == 0 ? st.st_size - in->from : AVERROR(errno);
	at = lseek(in->fd, whence == SEEK_SET ? to + in->from : to, whence);
	return at >= 0 ? at - in->from : AVERROR(errno);
}

/* Files may refer to other files; these are not opened. */
static int
io_refuse(AVFormatContext *fmt, AVIOContext **io, const char *url, int flags,
    AVDictionary **options)
{
	(void)fmt, (void)io, (void)url, (void)flags, (void)options;
	return AVERROR(EPERM);
}

AVFormatContext *
source_container(AVIOContext *io, const char *demuxer, const char *codecs)
{
	AVFormatContext *fmt = avformat_alloc_context();
	AVDictionary *how = NULL;
	int e;

	if (fmt == NULL || io == NULL)
		return NULL;
	fmt->pb = io;
	fmt->io_open = io_refuse;
	av_dict_set(&how, "codec_whitelist", codecs, 0);
	av_dict_set(&how, "protocol_whitelist", "", 0);
	av_dict_set(&how, "max_streams", STREAMS_MAX, 0);
	if (demuxer == NULL) {
		av_dict_set(&how, "format_whitelist", SOURCE_STREAMS, 0);
		av_dict_set(&how, "format_probesize", FORMAT_BYTES, 0);
	}
	av_dict_set(&how, "probesize", PROBE_BYTES, 0);
	av_dict_set(&how, "analyzeduration", PROBE_US, 0);
	e = avformat_open_input(&fmt, "", av_find_input_format(demuxer), &how);
	av_dict_free(&how);
	return e < 0 ? NULL : fmt;
}

static AVFormatContext *
open_container(const struct sniff_kind *kind, int64_t from, const char *codecs)
{
	static struct input in = { .fd = STDIN_FILENO };
	AVFormatContext *fmt;

	in.from = from;
	if (lseek(in.fd, from, SEEK_SET) < 0)
		return NULL;
	fmt = source_container(avio_alloc_context(av_malloc(IO_BYTES), IO_BYTES, 0, &in,
				   io_read, NULL, io_seek),
	    kind->demuxer, codecs);
	return fmt != NULL && avformat_find_stream_info(fmt, NULL) >= 0 ? fmt : NULL;
}

AVCodecContext *
source_decoder(const AVCodecParameters *is, AVRational timebase, const char *codecs)
{
	const AVCodec *codec = avcodec_find_decoder(is->codec_id);
	AVCodecContext *dec = avcodec_alloc_context3(codec);
	AVDictionary *how = NULL;
	bool opened;

	if (dec == NULL)
		return NULL;
	dec->pkt_timebase = timebase;
	dec->thread_count = 1;
	dec->max_pixels = PIXELS_MAX;
	av_dict_set(&how, "codec_whitelist", codecs, 0);
	opened = codec != NULL && is->ch_layout.nb_channels <= CHANNELS_MAX &&
		 is->sample_rate <= RATE_MAX_HZ &&
		 avcodec_parameters_to_context(dec, is) >= 0 &&
		 avcodec_open2(dec, codec, &how) == 0;
	av_dict_free(&how);
	if (!opened)
		avcodec_free_context(&dec);
	return dec;
}

static const AVStream *
find_track(const AVFormatContext *fmt, enum AVMediaType type, int track)
{
	for (unsigned i = 0; i < fmt->nb_streams; i++) {
		const AVStream *s = fmt->streams[i];

		if (s->codecpar->codec_type == type &&
		    (s->disposition & AV_DISPOSITION_ATTACHED_PIC) == 0 && track-- == 0)
			return s;
	}
	return NULL;
}

const AVStream *
source_find(const AVFormatContext *fmt, enum AVMediaType type)
{
	return find_track(fmt, type, 0);
}

void
source_describe(const struct source *src, struct wire *w)
{
	const AVStream *sound, *s;

	if (src->fmt == NULL)
		return;
	sound = source_find(src->fmt, AVMEDIA_TYPE_AUDIO);
	s = sound != NULL ? sound : source_find(src->fmt, AVMEDIA_TYPE_VIDEO);
	if (s == NULL)
		return;
	snprintf(
	    w->codec, sizeof(w->codec), "%s", avcodec_get_name(s->codecpar->codec_id));
	w->has_audio = sound != NULL;
	if (src->fmt->duration > 0 && src->fmt->duration < DURATION_MAX_US)
		w->duration_s = (double)src->fmt->duration / AV_TIME_BASE;
}

enum media_verdict
source_open(struct source *src, const struct sniff_kind *kind, int64_t from,
    enum AVMediaType type, int track)
{
	const char *codecs = type == AVMEDIA_TYPE_AUDIO ? SOURCE_SOUNDS : VIDEO_CODECS;
	const AVStream *s;

	*src = (struct source){ .pkt = av_packet_alloc(), .frame = av_frame_alloc() };
	if ((src->fmt = open_container(kind, from, codecs)) == NULL)
		return MEDIA_UNDECODABLE;
	if ((s = find_track(src->fmt, type, track)) == NULL)
		return MEDIA_NO_AUDIO;
	for (unsigned i = 0; i < src->fmt->nb_streams; i++)
		if (src->fmt->streams[i] != s)
			src->fmt->streams[i]->discard = AVDISCARD_ALL;
	src->stream = s->index;
	src->dec = source_decoder(s->codecpar, s->time_base, codecs);
	return src->dec != NULL ? MEDIA_FINE : MEDIA_UNDECODABLE;
}

/* Give the decoder the next packet of its stream, or the end. */
static void
feed(struct source *src)
{
	bool ours = false;

	while (!ours && av_read_frame(src->fmt, src->pkt) == 0) {
		ours = src->pkt->stream_index == src->stream;
		if (ours)
			avcodec_send_packet(
			    src->dec, src->pkt); /* a broken packet is skipped */
		av_packet_unref(src->pkt);
	}
	if (ours)
		src->read++;
	else
		avcodec_send_packet(src->dec, NULL);
}

bool
source_is_sound(const AVFrame *f)
{
	return (f->nb_samples > 0 && f->sample_rate >= RATE_MIN_HZ &&
		f->sample_rate <= RATE_MAX_HZ && f->ch_layout.nb_channels > 0 &&
		f->ch_layout.nb_channels <= CHANNELS_MAX);
}

const AVFrame *
source_next(struct source *src)
{
	for (;;) {
		int e = avcodec_receive_frame(src->dec, src->frame);

		if (e == 0 && (src->frame->width > 0 || source_is_sound(src->frame)))
			return src->frame;
		if (e == AVERROR_EOF)
			return NULL;
		if (e != 0)
			feed(src);
	}
}
