/*
 * Streams in a container, by libav's demuxers, which read a byte when they need it.
 */
#include <libavutil/mem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "media/source.h"
#include "media/stream_decoder_internal.h"

#define IO_BYTES 4096
#define MAGIC_BYTES 4

struct file {
	struct live_decoder *live;
	bool (*begins)(const struct live_decoder *);
	char magic[MAGIC_BYTES]; /* first bytes of the file */
	size_t given;            /* of them, to libav */
	bool opened; /* its head was read, which may have several first pages */
};

/* A piece that begins like a file ends the file before. */
static int
io_read(void *file, uint8_t *to, int most)
{
	struct file *f = file;
	struct live_decoder *l = f->live;
	size_t n;

	if (f->given < MAGIC_BYTES) {
		*to = (uint8_t)f->magic[f->given++];
		return 1;
	}
	stream_decoder_fill(l);
	if (f->opened && f->begins(l))
		return AVERROR_EOF;
	n = l->n - l->at < (size_t)most ? l->n - l->at : (size_t)most;
	memcpy(to, l->p + l->at, n);
	l->at += n;
	return (int)n;
}

/* Whether the file was read to its end. */
static bool
read_packets(
    struct live_decoder *l, AVFormatContext *fmt, const AVStream *s, AVPacket *pkt)
{
	AVCodecContext *dec = source_decoder(s->codecpar, s->time_base, SOURCE_SOUNDS);
	int e = 0;

	for (unsigned i = 0; i < fmt->nb_streams; i++)
		if (fmt->streams[i] != s)
			fmt->streams[i]->discard = AVDISCARD_ALL;
	while (dec != NULL && (e = av_read_frame(fmt, pkt)) == 0) {
		if (pkt->stream_index == s->index)
			stream_decoder_decode(l, dec, pkt);
		av_packet_unref(pkt);
	}
	avcodec_free_context(&dec);
	return e == AVERROR_EOF;
}

static bool
read_file(struct file *f, const char *demuxer, AVPacket *pkt)
{
	AVIOContext *io = avio_alloc_context(
	    av_malloc(IO_BYTES), IO_BYTES, 0, f, io_read, NULL, NULL);
	AVFormatContext *fmt = source_container(io, demuxer, SOURCE_SOUNDS);
	const AVStream *s;
	bool fine = false;

	if (io == NULL)
		_exit(EXIT_FAILURE);
	f->opened = true;
	if (fmt != NULL && (s = source_find(fmt, AVMEDIA_TYPE_AUDIO)) != NULL)
		fine = read_packets(f->live, fmt, s, pkt);
	avformat_close_input(&fmt);
	av_freep(&io->buffer);
	avio_context_free(&io);
	return fine;
}

void
stream_decoder_file(struct live_decoder *l, const char *demuxer, const char *magic,
    bool (*begins)(const struct live_decoder *))
{
	AVPacket *pkt = av_packet_alloc();

	if (pkt == NULL)
		_exit(EXIT_FAILURE);
	for (;;) {
		struct file f = { .live = l, .begins = begins };

		stream_decoder_exact(l, f.magic, MAGIC_BYTES);
		if (memcmp(f.magic, magic, MAGIC_BYTES) != 0 ||
		    !read_file(&f, demuxer, pkt))
			l->unread = true;
		stream_decoder_await(l, begins);
	}
}
