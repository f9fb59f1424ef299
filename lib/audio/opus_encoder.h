#ifndef AUDIO_OPUS_ENCODER_H
#define AUDIO_OPUS_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "audio/pcm16.h"
#include "base/arena.h"

/*
 * Speech of SPOKEN_HZ to Opus by libopus, 20 ms a packet (RFC 6716), with forward error
 * correction for lost packets.
 */
struct opus_encoder;

#define OPUS_ENCODER_SAMPLES (SPOKEN_HZ / 1000 * 20) /* of one packet */
#define OPUS_ENCODER_BYTES 400                       /* of one packet, at most */

struct opus_encoder *opus_encoder_new(struct arena *);
/* Returns the packet's length in bytes; 0: libopus failed, which was logged. */
size_t opus_encoder_packet(struct opus_encoder *, const int16_t[OPUS_ENCODER_SAMPLES],
    unsigned char to[OPUS_ENCODER_BYTES]);

#endif
