#ifndef EGRESS_ENCODER_H
#define EGRESS_ENCODER_H

#include "egress/egress.h"

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
