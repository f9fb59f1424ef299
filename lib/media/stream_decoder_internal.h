#ifndef MEDIA_STREAM_DECODER_INTERNAL_H
#define MEDIA_STREAM_DECODER_INTERNAL_H

#include <libavcodec/avcodec.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "media/mixer.h"

/*
 * What happens inside the child that decodes a stream.  Whoever wants bytes waits
 * for them here, and what was asked for is answered then; the end of all is the end
 * of the process, so nobody needs to hear of it.
 *
 *	stream_decoder_fill() -> stream_decoder_frames.c, stream_decoder_flac.c,
 *stream_decoder_file.c -> stream_decoder_decode()
 */
#define LIVE_BUFFER 32768

struct live_decoder {
	uint8_t p[LIVE_BUFFER + AV_INPUT_BUFFER_PADDING_SIZE];
	size_t at, n;      /* of it, p[at] to p[n] are unread */
	size_t left;       /* of this piece, behind what is in p */
	bool first;        /* p holds the beginning of a piece */
	bool asked;        /* something was, and is not answered */
	size_t mute;       /* bytes since there was sound, */
	size_t mute_most;  /* and how many of them make sense */
	bool unread, over; /* what is to be told in the answer */
	size_t room;       /* samples that the piece may still become */
	AVFrame *frame;
	struct mixer mixer;
	int16_t *out; /* sound that is not sent yet */
	size_t nout;
	unsigned out_bytes; /* that are allocated */
};

/* Decode a stream of that format until it ends; false: there is no such format. */
bool stream_decoder_run(const char *format);

/* Wait until there is a byte to read. */
void stream_decoder_fill(struct live_decoder *);
/* Wait for exactly so many; to NULL: they are skipped. */
void stream_decoder_exact(struct live_decoder *, void *to, size_t n);
/* Whether a piece begins here, with these bytes. */
bool stream_decoder_begins(const struct live_decoder *, const void *, size_t n);
/* Skip what is there, which cannot be read, until a piece begins like a file. */
void stream_decoder_await(
    struct live_decoder *, bool (*begins)(const struct live_decoder *));
/* Decode a packet, or with NULL what the decoder still holds; broken ones are lost. */
void stream_decoder_decode(struct live_decoder *, AVCodecContext *, const AVPacket *);

/* These never end. */
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
