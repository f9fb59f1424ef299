#ifndef AUDIO_OPUS_ENCODER_H
#define AUDIO_OPUS_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "audio/pcm16.h"
#include "base/arena.h"

/*
 * Speech of SPOKEN_HZ to Opus by libopus, 20 ms a packet (RFC 6716), with what a
 * decoder needs to make up for one that is lost.
 */
struct opus_encoder;

#define OPUS_ENCODER_SAMPLES (SPOKEN_HZ / 1000 * 20) /* of one packet */
#define OPUS_ENCODER_BYTES 400                       /* of the largest there is */

struct opus_encoder *opus_encoder_new(struct arena *);
/* Its length; 0: libopus would not, and it was logged. */
size_t opus_encoder_packet(struct opus_encoder *, const int16_t[OPUS_ENCODER_SAMPLES],
    unsigned char to[OPUS_ENCODER_BYTES]);

#endif
