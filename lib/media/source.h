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
enum media_verdict source_open(struct source *, const struct kind *, enum AVMediaType);
/* The next frame that decodes, good until the next call; NULL: the end. */
const AVFrame *source_next(struct source *);
/* Fill in codec, has_audio and the claimed duration_s, as far as it was opened. */
void source_tell(const struct source *, struct wire *);
/* The first stream of that type, cover art left aside; NULL: none. */
const AVStream *source_find(const struct source *, enum AVMediaType);

#endif
