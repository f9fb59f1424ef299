/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEDIA_SOURCE_H
#define MEDIA_SOURCE_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include "media/media.h"
#include "media/sniff.h"
#include "media/wire.h"

/*
 * The file on descriptor 0 of the child, while it is decoded.  Nothing is freed: the
 * process does one task and ends.
 */
struct source {
	AVFormatContext *fmt;
	AVCodecContext *dec;
	AVPacket *pkt;
	AVFrame *frame;
	int stream;   /* the decoded one */
	int64_t read; /* packets of the track so far */
};

/*
 * Open the container, which begins at byte `from`, and the decoder of its stream number
 * `track` (from 0) of that type, audio or video.
 * UNDECODABLE: it is broken, or no decoder is allowed for it; NO_AUDIO: it has no such
 * stream.
 */
enum media_verdict source_open(struct source *, const struct sniff_kind *, int64_t from,
    enum AVMediaType, int track);
/* The next decodable frame, valid until the next call; NULL: the end. */
const AVFrame *source_next(struct source *);
/* Fill in codec, has_audio and the claimed duration_s, as far as it was opened. */
void source_describe(const struct source *, struct wire *);

/* The decoders allowed; libav has a few hundred more. */
/* clang-format off */
#define SOURCE_SOUNDS \
	"pcm_u8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_f32le,pcm_f64le," \
	"pcm_alaw,pcm_mulaw,pcm_dvd,adpcm_ms,adpcm_ima_wav,gsm_ms,g726,mp1,mp1float,mp2,mp2float," \
	"mp3float,aac,aac_latm,alac,ac3,eac3,flac,vorbis,opus"
/* clang-format on */

/* The formats that are detected when no demuxer is named. */
#define SOURCE_STREAMS "mpegts,aac,mp3,ogg,mov,flac"

/*
 * A container of that format (demuxer NULL: of one of SOURCE_STREAMS), which may not
 * open other files; NULL: the data has another format. The io stays the caller's.
 */
AVFormatContext *source_container(
    AVIOContext *, const char *demuxer, const char *codecs);
/* NULL: no decoder is allowed, or the parameters are out of range. */
AVCodecContext *source_decoder(
    const AVCodecParameters *, AVRational timebase, const char *codecs);
/* The first stream of that type, without cover art; NULL: none. */
const AVStream *source_find(const AVFormatContext *, enum AVMediaType);
/* True if it can be mixed: sound with rate and channels in range. */
bool source_is_sound(const AVFrame *);

#endif
