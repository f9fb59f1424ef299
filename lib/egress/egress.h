/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EGRESS_EGRESS_H
#define EGRESS_EGRESS_H

#include <libavcodec/avcodec.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "egress/egress_wire.h"
#include "media/picture_wire.h"

/*
 * The child dragoman-egress makes one output of a channel's languages.
 *
 *	egress.c       order, messages, encoders, the clock: a tick each 20 ms
 *	mix.c          languages and the original, mixed for each tick; their pictures
 *	muxer.c        containers
 *	hls_folder.c   a folder of HLS
 *	hls_bucket.c   its files in a bucket
 *	stream_push.c  RTMP, SRT
 *	icecast_push.c Icecast
 *	recording.c    recordings; see struct egress_sink
 *
 * Media time counts from the order's epoch in units of 1 / EGRESS_HZ and follows the
 * clock, so a new child continues where the previous one would be.
 */
#define EGRESS_HZ 48000
#define EGRESS_TICK (EGRESS_HZ / 50) /* samples of a tick of 20 ms */

/* A bucket that also receives the files. */
struct egress_bucket {
	/* address of the folder in the bucket, without a final slash; NULL: no bucket
	 */
	const char *url;
	const char *access_key, *secret_key, *region;
};

/* The order: the first message of egress_wire.h. */
struct egress_order {
	/* folder of the files: exists, used by this child only */
	const char *directory;
	struct egress_bucket bucket; /* HLS: the bucket */
	bool low_latency;   /* HLS: with parts of segments; not with a bucket */
	const char *source; /* recording: the language spoken, or NULL */
	int64_t max_bytes,
	    reserve_bytes; /* recording: its size; space left on the disk */
	const char *server, *stream_key; /* pushed stream: destination and key */
	/* SRT: stream id; Icecast: mount point; or NULL */
	const char *stream_id, *mount;
	bool allow_private; /* the server may have a private address */
	int64_t epoch_us;   /* unix time */
	int64_t begins;     /* media time of the first tick */
	int64_t delay_ms;   /* delay of the original */
	float ducked;       /* volume of the original below a translation */
	bool picture;       /* a picture will come */
	const char *codes[EGRESS_LANGUAGES_MOST]; /* folded, or "original" */
	size_t n;
};

struct egress_caption {
	const char *text;   /* UTF-8, rows; borrowed */
	int64_t start, end; /* media time */
};

/* A destination of encoded sound. */
struct egress_sink {
	const char *protocol;
	enum AVCodecID codec;
	/* encoders: one per language. ERR_FAILED: permanent failure. */
	enum err (*open)(struct arena *, const struct egress_order *,
	    const AVCodecContext *const *encoders, void **sink);
	/* A packet of a language; its pts is media time. */
	void (*put)(void *sink, size_t language, const AVPacket *);
	/* NULL: the sink has no captions. */
	void (*put_caption)(void *sink, size_t language, const struct egress_caption *);
	/* A picture and its media time; NULL: the sink has no picture. */
	void (*put_picture)(
	    void *sink, const struct picture *, int64_t pts, int64_t dts);
	/* Called every tick with the current media time. */
	void (*step)(void *sink, int64_t now);
	/* True while the output works; *bytes: sent or written so far; *why: the
	   error, a sentence, or NULL. */
	bool (*status)(const void *sink, int64_t *bytes, const char **why);
	/* distinguishes sinks of the same protocol; NULL: there is only one */
	const char *format;
	/* Stop its threads; NULL: it has none. */
	void (*close)(void *sink);
};

extern const struct egress_sink hls_folder, rtmp_push, srt_push, icecast_push,
    recording_ogg, recording_wav, recording_mp4;

/* Run the child; descriptor 0 is the gateway. Returns the exit status. */
int egress_run(void);

/* An encoder of libavcodec: ticks of mono sound become packets in the format of the
 * codec. */
struct encoder {
	AVCodecContext *codec;
	AVFrame *frame;
	AVPacket *packet;
	int n;       /* samples in frame */
	int64_t pts; /* time of the next sample, media time */
};

/* False: libavcodec has no such encoder. */
bool encoder_open(struct encoder *, enum AVCodecID, int64_t begins);
/* Calls put() for each complete packet. */
void encoder_put(struct encoder *, const float s[EGRESS_TICK],
    void (*put)(void *sink, size_t language, const AVPacket *), void *sink,
    size_t language);

#endif
