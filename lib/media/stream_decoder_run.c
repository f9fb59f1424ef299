/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The child that decodes a stream.  A function that needs bytes waits for the next
 * piece; before it waits, it answers the last one.  The process ends at the end of the
 * input.
 */
#include "media/stream_decoder_run.h"

#include <libavcodec/avcodec.h>
#include <libavutil/crc.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "media/mixer.h"
#include "media/source.h"
#include "media/stream_decoder_wire.h"

#define LIVE_BUFFER 32768

struct live_decoder {
	uint8_t p[LIVE_BUFFER + AV_INPUT_BUFFER_PADDING_SIZE];
	size_t at, n;      /* p[at] to p[n] are unread */
	size_t left;       /* bytes of this piece that follow those in p */
	bool first;        /* p holds the beginning of a piece */
	bool asked;        /* the piece is not answered yet */
	size_t mute;       /* bytes since the last sound */
	size_t mute_most;  /* more are an error */
	bool unread, over; /* LIVE_UNREAD, LIVE_OVER of the answer */
	size_t room;       /* samples that the piece may still become */
	AVFrame *frame;
	struct mixer mixer;
	int16_t *out; /* samples not sent yet */
	size_t nout;
	unsigned out_bytes; /* allocated */
};

#define FLUSH_BYTES 32768

/* ---- the socket ---- */

static void
read_all(void *to, size_t n)
{
	ssize_t did;

	for (char *p = to; n > 0; p += did, n -= (size_t)did)
		if ((did = TEMP_FAILURE_RETRY(read(STDIN_FILENO, p, n))) <= 0)
			_exit(EXIT_SUCCESS);
}

static void
write_all(const void *from, size_t n)
{
	if (!file_write(STDOUT_FILENO, from, n))
		_exit(EXIT_FAILURE);
}

static void
flush(struct live_decoder *l)
{
	const char *p = (const char *)l->out;
	size_t left = l->nout * sizeof(*l->out);

	while (left > 0) {
		size_t n = left < LIVE_PIECE ? left : LIVE_PIECE;

		write_all(&(struct stream_decoder_answer){ LIVE_SOUND, (uint32_t)n },
		    sizeof(struct stream_decoder_answer));
		write_all(p, n);
		p += n;
		left -= n;
	}
	l->nout = 0;
}

static void
answer(struct live_decoder *l)
{
	if (l->mute > l->mute_most) {
		l->unread = true;
		l->mute = 0;
	}
	flush(l);
	write_all(&(struct stream_decoder_answer){ LIVE_DONE,
		      (l->unread ? LIVE_UNREAD : 0U) | (l->over ? LIVE_OVER : 0U) },
	    sizeof(struct stream_decoder_answer));
	l->unread = l->over = l->asked = false;
}

/* ---- input ---- */

static void
next_piece(struct live_decoder *l)
{
	struct stream_decoder_ask ask;

	if (l->asked)
		answer(l);
	read_all(&ask, sizeof(ask));
	l->asked = l->first = true;
	l->left = ask.bytes;
	l->room = ask.samples;
}

/* Wait until there is a byte to read. */
static void
fill(struct live_decoder *l)
{
	while (l->at == l->n) {
		l->first = false;
		if (l->left == 0)
			next_piece(l);
		l->at = 0;
		l->n = l->left < LIVE_BUFFER ? l->left : LIVE_BUFFER;
		read_all(l->p, l->n);
		memset(l->p + l->n, 0, AV_INPUT_BUFFER_PADDING_SIZE);
		l->left -= l->n;
		l->mute += l->n;
	}
}

/* Wait for exactly this many bytes; to NULL: skip them. */
static void
read_exactly(struct live_decoder *l, void *to, size_t n)
{
	for (size_t did = 0, some; did < n; did += some) {
		fill(l);
		some = n - did < l->n - l->at ? n - did : l->n - l->at;
		if (to != NULL)
			memcpy((char *)to + did, l->p + l->at, some);
		l->at += some;
	}
}

/* True if a piece begins here, with these bytes. */
static bool
begins_with(const struct live_decoder *l, const void *bytes, size_t n)
{
	return l->first && l->at == 0 && l->n >= n && memcmp(l->p, bytes, n) == 0;
}

/* Skip unreadable bytes until a piece begins like a file. */
static void
await_file(struct live_decoder *l, bool (*begins)(const struct live_decoder *))
{
	for (;;) {
		fill(l);
		if (begins(l))
			break;
		l->unread = true;
		l->at = l->n;
	}
	l->mute = l->n;
}

/* ---- output ---- */

static void
mix(struct live_decoder *l, const AVFrame *f)
{
	int most, n;

	if (!mixer_fits(&l->mixer, f) && !mixer_tune(&l->mixer, f))
		return;
	if ((most = mixer_most(&l->mixer, f)) <= 0)
		return;
	l->out = av_fast_realloc(
	    l->out, &l->out_bytes, (l->nout + (size_t)most) * sizeof(*l->out));
	if (l->out == NULL)
		_exit(EXIT_FAILURE);
	if ((n = mixer_run(&l->mixer, f, l->out + l->nout, most)) <= 0)
		return;
	l->mute = 0;
	l->over |= (size_t)n > l->room;
	if ((size_t)n > l->room)
		n = (int)l->room;
	l->room -= (size_t)n;
	l->nout += (size_t)n;
	if (l->nout * sizeof(*l->out) >= FLUSH_BYTES)
		flush(l);
}

/* Decode a packet; NULL: the rest in the decoder. Broken packets are lost. */
static void
decode_packet(struct live_decoder *l, AVCodecContext *dec, const AVPacket *pkt)
{
	if (l->room == 0) {
		l->over = true;
		l->mute = 0;
		return;
	}
	if (avcodec_send_packet(dec, pkt) < 0)
		return;
	while (avcodec_receive_frame(dec, l->frame) == 0)
		if (source_is_sound(l->frame))
			mix(l, l->frame);
}

/* ---- streams in a container, by libav's demuxers, which read a byte when they need it
 * ---- */

#define IO_BYTES 4096
#define MAGIC_BYTES 4

struct file {
	struct live_decoder *live;
	bool (*begins)(const struct live_decoder *);
	char magic[MAGIC_BYTES]; /* first bytes of the file */
	size_t given;            /* bytes passed to libav */
	bool opened; /* the head was read, which may have several first pages */
};

/* A piece that begins like a file ends the previous file. */
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
	fill(l);
	if (f->opened && f->begins(l))
		return AVERROR_EOF;
	n = l->n - l->at < (size_t)most ? l->n - l->at : (size_t)most;
	memcpy(to, l->p + l->at, n);
	l->at += n;
	return (int)n;
}

/* Returns true if the file was read to its end. */
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
			decode_packet(l, dec, pkt);
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

/*
 * Decode files of this demuxer, which begin with these four bytes; begins() is true for
 * a piece that begins like one.  Does not return, as run_flac() and run_frames().
 */
static void
run_container(struct live_decoder *l, const char *demuxer, const char *magic,
    bool (*begins)(const struct live_decoder *))
{
	AVPacket *pkt = av_packet_alloc();

	if (pkt == NULL)
		_exit(EXIT_FAILURE);
	for (;;) {
		struct file f = { .live = l, .begins = begins };

		read_exactly(l, f.magic, MAGIC_BYTES);
		if (memcmp(f.magic, magic, MAGIC_BYTES) != 0 ||
		    !read_file(&f, demuxer, pkt))
			l->unread = true;
		await_file(l, begins);
	}
}

/* ---- native FLAC (RFC 9639) ---- */

/*
 * libav's parser returns a frame only after ten more, which is seconds.  But each frame
 * ends with its CRC, so its end is known at once.
 */
#define FLAC "fLaC"
#define STREAMINFO 34        /* bytes of the first block, of type 0 */
#define LARGEST (256 * 1024) /* bytes of a frame, at most */

struct splitter {
	uint8_t *p;
	size_t n, most; /* bytes held; of a frame, at most */
	size_t read;    /* bytes in the CRC */
	uint32_t crc;
};

static bool
begins_flac(const struct live_decoder *l)
{
	return begins_with(l, FLAC, 4);
}

static bool
read_info(struct live_decoder *l, uint8_t info[STREAMINFO])
{
	uint8_t head[4];
	size_t n;
	bool first = true;

	read_exactly(l, head, 4);
	if (memcmp(head, FLAC, 4) != 0)
		return false;
	do {
		read_exactly(l, head, 4);
		n = (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
		if (first && ((head[0] & 127) != 0 || n != STREAMINFO))
			return false;
		read_exactly(l, first ? info : NULL, n);
		l->mute = 0;
		first = false;
	} while ((head[0] & 128) == 0);
	return true;
}

static AVCodecContext *
open_flac(const uint8_t info[STREAMINFO])
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
		      2; /* one more bit for a side channel */
	size_t n = (samples * channels * bits + 7) / 8 + 64;

	return n < LARGEST ? n : LARGEST;
}

/* True if a frame may begin with these bytes; n may be 1. */
static bool
may_begin(const uint8_t *p, size_t n)
{
	return p[0] == 0xff && (n < 2 || (p[1] & 0xfe) == 0xf8);
}

static void
drop_bytes(struct splitter *s, size_t n)
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
		drop_bytes(s, at < s->n ? at : s->n);
}

/*
 * Returns the length of the first frame, if it is complete.  Without bytes after it,
 * one piece in 65,536 seems to complete an unfinished frame; that frame is lost.
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
			decode_packet(l, dec, pkt);
			drop_bytes(s, n);
			drop_to_sync(s, 0);
		} else if (s->n >= s->most) {
			drop_to_sync(s, 1);
		} else {
			return;
		}
	}
}

/* Read frames until a piece begins like a file. */
static void
read_frames(
    struct live_decoder *l, struct splitter *s, AVCodecContext *dec, AVPacket *pkt)
{
	s->n = s->read = s->crc = 0;
	for (;;) {
		size_t n;

		fill(l);
		if (begins_flac(l))
			return;
		n = l->n - l->at < s->most - s->n ? l->n - l->at : s->most - s->n;
		memcpy(s->p + s->n, l->p + l->at, n);
		l->at += n;
		s->n += n;
		split(l, s, dec, pkt);
	}
}

static void
run_flac(struct live_decoder *l)
{
	struct splitter s = { .p = av_mallocz(LARGEST + AV_INPUT_BUFFER_PADDING_SIZE) };
	AVPacket *pkt = av_packet_alloc();
	AVCodecContext *dec;
	uint8_t info[STREAMINFO];

	if (s.p == NULL || pkt == NULL)
		_exit(EXIT_FAILURE);
	for (;;) {
		if (!read_info(l, info) || (dec = open_flac(info)) == NULL) {
			l->unread = true;
			await_file(l, begins_flac);
			continue;
		}
		s.most = largest(info);
		read_frames(l, &s, dec, pkt);
		avcodec_free_context(&dec);
	}
}

/* ---- frames without a container: MPEG audio and ADTS ---- */

/*
 * libav's demuxers for these read blocks of a kilobyte; its parsers return a frame with
 * its last byte.
 */
#define TABLE_AT 48 /* latest position of the table in its frame */

/* Skip an ID3v2 tag: its pictures may contain bytes like those of frames. */
static void
skip_tag(struct live_decoder *l)
{
	uint8_t head[10];
	size_t n;

	if (!begins_with(l, "ID3", 3))
		return;
	read_exactly(l, head, sizeof(head));
	n = (size_t)(head[6] & 127) << 21 | (size_t)(head[7] & 127) << 14 |
	    (size_t)(head[8] & 127) << 7 | (size_t)(head[9] & 127);
	read_exactly(l, NULL, n);
	fill(l);
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
open_frames(enum AVCodecID id)
{
	AVCodecParameters *is = avcodec_parameters_alloc();

	if (is == NULL)
		return NULL;
	is->codec_type = AVMEDIA_TYPE_AUDIO;
	is->codec_id = id;
	return source_decoder(is, (AVRational){ 1, 1 }, SOURCE_SOUNDS);
}

static void
run_frames(struct live_decoder *l, enum AVCodecID id)
{
	AVCodecContext *dec = open_frames(id);
	AVCodecParserContext *parser = av_parser_init(id);
	AVPacket *pkt = av_packet_alloc();

	if (dec == NULL || parser == NULL || pkt == NULL)
		_exit(EXIT_FAILURE);
	for (;;) {
		int used;

		fill(l);
		skip_tag(l);
		used =
		    av_parser_parse2(parser, dec, &pkt->data, &pkt->size, l->p + l->at,
			(int)(l->n - l->at), AV_NOPTS_VALUE, AV_NOPTS_VALUE, 0);
		if (used < 0)
			_exit(EXIT_FAILURE);
		l->at += (size_t)used;
		if (pkt->size > 0 && !(id == AV_CODEC_ID_MP3 && is_table(pkt)))
			decode_packet(l, dec, pkt);
	}
}

/* ---- the formats ---- */

#define EBML "\x1a\x45\xdf\xa3"
#define OGG "OggS"
#define FRAMES_MUTE (16 * 1024) /* two frames of AAC, a dozen of MP3 */
#define FLAC_MUTE (256 * 1024)
#define FILE_MUTE (1024 * 1024) /* there may be a picture beside the sound */

static bool
begins_webm(const struct live_decoder *l)
{
	return begins_with(l, EBML, 4);
}

/* A page that begins a stream (RFC 3533). */
static bool
begins_ogg(const struct live_decoder *l)
{
	return begins_with(l, OGG, 4) && l->n > 5 && (l->p[5] & 2) != 0;
}

bool
stream_decoder_run(const char *format)
{
	static struct live_decoder l;

	av_log_set_level(AV_LOG_QUIET);
	l.mixer = (struct mixer){ .to_hz = LIVE_HZ, .to = AV_SAMPLE_FMT_S16 };
	if ((l.frame = av_frame_alloc()) == NULL)
		_exit(EXIT_FAILURE);
	l.mute_most = FILE_MUTE;
	if (strcmp(format, "webm") == 0)
		run_container(&l, "matroska,webm", EBML, begins_webm);
	if (strcmp(format, "ogg") == 0)
		run_container(&l, "ogg", OGG, begins_ogg);
	l.mute_most = FLAC_MUTE;
	if (strcmp(format, "flac") == 0)
		run_flac(&l);
	l.mute_most = FRAMES_MUTE;
	if (strcmp(format, "mp3") == 0)
		run_frames(&l, AV_CODEC_ID_MP3);
	if (strcmp(format, "aac") == 0)
		run_frames(&l, AV_CODEC_ID_AAC);
	return false;
}
