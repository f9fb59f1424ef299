#ifndef MEDIA_SOURCE_H
#define MEDIA_SOURCE_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include "media/media.h"
#include "media/sniff.h"
#include "media/wire.h"

/*
 * A file that is being decoded, inside the child; descriptor 0.  Nothing is
 * ever given back: the process does one thing and ends.
 */
struct source {
	AVFormatContext *fmt;
	AVCodecContext *dec;
	AVPacket *pkt;
	AVFrame *frame;
	int stream;   /* the one that is decoded */
	int64_t read; /* packets of it so far */
};

/*
 * Open the container and the decoder of its first stream of that type, sound or
 * moving picture.  UNDECODABLE: it is broken, or no decoder is allowed for it;
 * NO_AUDIO: it has no such stream.
 */
enum media_verdict source_open(
    struct source *, const struct sniff_kind *, enum AVMediaType);
/* The next frame that decodes, good until the next call; NULL: the end. */
const AVFrame *source_next(struct source *);
/* Fill in codec, has_audio and the claimed duration_s, as far as it was opened. */
void source_describe(const struct source *, struct wire *);

/* What people record and publish with; the other few hundred stay shut. */
/* clang-format off */
#define SOURCE_SOUNDS \
	"pcm_u8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_f32le,pcm_f64le," \
	"pcm_alaw,pcm_mulaw,pcm_dvd,adpcm_ms,adpcm_ima_wav,mp1,mp1float,mp2,mp2float," \
	"mp3float,aac,alac,ac3,eac3,flac,vorbis,opus"
/* clang-format on */

/* A container of that kind and no other, without second files; NULL: it is none.
   The io stays the caller's. */
AVFormatContext *source_container(
    AVIOContext *, const char *demuxer, const char *codecs);
/* NULL: there is no decoder, or the stream asks for the absurd. */
AVCodecContext *source_decoder(
    const AVCodecParameters *, AVRational timebase, const char *codecs);
/* The first stream of that type, cover art left aside; NULL: none. */
const AVStream *source_find(const AVFormatContext *, enum AVMediaType);
/* Whether it is one to be mixed: bounded in rate and channels. */
bool source_is_sound(const AVFrame *);

#endif
