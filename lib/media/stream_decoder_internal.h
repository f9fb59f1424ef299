#ifndef MEDIA_STREAM_DECODER_INTERNAL_H
#define MEDIA_STREAM_DECODER_INTERNAL_H

#include <libavcodec/avcodec.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "media/mixer.h"

/*
 * The child that decodes a stream, the upper files calling the lower ones:
 *
 *	stream_decoder_run.c     the formats
 *	stream_decoder_file.c  stream_decoder_flac.c  stream_decoder_frames.c
 *	stream_decoder_io.c      pieces in, samples out
 *
 * A function that needs bytes waits for the next piece; before it waits, it answers
 * for the last one.  At the end of the input the process ends.
 */
#define LIVE_BUFFER 32768

struct live_decoder {
	uint8_t p[LIVE_BUFFER + AV_INPUT_BUFFER_PADDING_SIZE];
	size_t at, n;      /* of it, p[at] to p[n] are unread */
	size_t left;       /* of this piece, behind what is in p */
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

/* ---- stream_decoder_run.c ---- */

/* Decode a stream of that format until it ends; false: there is no such format. */
bool stream_decoder_run(const char *format);

/* ---- stream_decoder_io.c ---- */

/* Wait until there is a byte to read. */
void stream_decoder_fill(struct live_decoder *);
/* Wait for exactly so many; to NULL: they are skipped. */
void stream_decoder_exact(struct live_decoder *, void *to, size_t n);
/* Whether a piece begins here, with these bytes. */
bool stream_decoder_begins(const struct live_decoder *, const void *, size_t n);
/* Skip unreadable bytes until a piece begins like a file. */
void stream_decoder_await(
    struct live_decoder *, bool (*begins)(const struct live_decoder *));
/* Decode a packet, or with NULL what the decoder still holds; broken ones are lost. */
void stream_decoder_decode(struct live_decoder *, AVCodecContext *, const AVPacket *);

/* ---- stream_decoder_frames.c, _flac.c, _file.c: these do not return ---- */

void stream_decoder_frames(
    struct live_decoder *, enum AVCodecID); /* frames that follow each other */
void stream_decoder_flac(struct live_decoder *);
/*
 * A container, by its demuxer.  Its files begin with these four bytes; begins:
 * whether a piece begins like a file.
 */
void stream_decoder_file(struct live_decoder *, const char *demuxer, const char *magic,
    bool (*begins)(const struct live_decoder *));

#endif
