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
 * The child dragoman-egress: languages of a channel, which become one output.
 *
 *	egress.c       order, messages, encoders, the clock: a tick each 20 ms
 *	mix.c          languages and the original, mixed for each tick; the pictures
 *beside them muxer.c        how containers are muxed hls_folder.c   a folder of HLS
 *	hls_bucket.c   its files, in a bucket, too
 *	stream_push.c  RTMP, SRT
 *	icecast_push.c Icecast
 *	recording.c    files that stay; all four are sinks, see below
 *
 * Media time counts from the order's epoch, in units of 1 / EGRESS_HZ, and is that of
 * the clock: a child that follows another one goes on where the other would be.
 */
#define EGRESS_HZ 48000
#define EGRESS_TICK (EGRESS_HZ / 50) /* samples of a tick of 20 ms */

/* Where files are put, too. */
struct egress_bucket {
	const char
	    *url; /* of the folder in the bucket, no slash at its end; NULL: none */
	const char *access_key, *secret_key, *region;
};

/* What it is to make; the first message of egress_wire.h. */
struct egress_order {
	const char *directory;       /* of files: exists, is its own */
	struct egress_bucket bucket; /* of HLS */
	const char *source;          /* of a recording: the language spoken, or NULL */
	int64_t max_bytes, reserve_bytes; /* likewise: of it; left on the disk */
	const char *server, *stream_key;  /* of the others: where to, */
	const char *stream_id, *mount;    /* of SRT, of Icecast; or NULL */
	bool allow_private;               /* the server may be inside */
	int64_t epoch_us;                 /* unix time */
	int64_t begins;                   /* media time: of the first tick */
	int64_t delay_ms;                 /* of the original */
	float ducked;                     /* its volume below a translation */
	bool picture;                     /* comes, too */
	const char *codes[EGRESS_LANGUAGES_MOST]; /* folded, or "original" */
	size_t n;
};

struct egress_caption {
	const char *text;   /* UTF-8, rows; borrowed */
	int64_t start, end; /* media time */
};

/* Where encoded sound goes. */
struct egress_sink {
	const char *protocol;
	enum AVCodecID codec;
	/* encoders: one of each language.  ERR_FAILED: never. */
	enum err (*open)(struct arena *, const struct egress_order *,
	    const AVCodecContext *const *encoders, void **sink);
	/* A packet of a language; its pts is media time. */
	void (*put)(void *sink, size_t language, const AVPacket *);
	/* NULL: there are none here. */
	void (*put_caption)(void *sink, size_t language, const struct egress_caption *);
	/* A picture, and its media time; NULL: there is none here. */
	void (*put_picture)(
	    void *sink, const struct picture *, int64_t pts, int64_t dts);
	/* Media time is this now. */
	void (*step)(void *sink, int64_t now);
	/* Whether it goes out now; bytes: that went out so far; *why: what is wrong
	   with it, a sentence, or NULL. */
	bool (*status)(const void *sink, int64_t *bytes, const char **why);
	const char *format; /* of the sinks of one protocol; NULL: there is one */
	/* Its threads end; NULL: it has none. */
	void (*close)(void *sink);
};

extern const struct egress_sink hls_folder, rtmp_push, srt_push, icecast_push,
    recording_ogg, recording_mp4;

/* Descriptor 0 is the gateway.  Returns the program's status. */
int egress_run(void);

/* Ticks of sound to packets of a codec of libavcodec, mono: AAC, MP3, Opus. */
struct encoder {
	AVCodecContext *codec;
	AVFrame *frame;
	AVPacket *packet;
	int n;       /* samples in frame */
	int64_t pts; /* of the next sample, media time */
};

/* False: there is no such encoder here. */
bool encoder_open(struct encoder *, enum AVCodecID, int64_t begins);
/* Each packet that is whole is given to put(). */
void encoder_put(struct encoder *, const float s[EGRESS_TICK],
    void (*put)(void *sink, size_t language, const AVPacket *), void *sink,
    size_t language);

#endif
