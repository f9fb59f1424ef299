#ifndef STREAM_OPUS_OUT_H
#define STREAM_OPUS_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stream/pcm16.h"

/*
 * Speech of SPOKEN_HZ to Opus by libopus, 20 ms a packet (RFC 6716), with what a
 * decoder needs to make up for one that is lost.
 */
struct opus_out;

#define OPUS_OUT_SAMPLES (SPOKEN_HZ / 1000 * 20) /* of one packet */
#define OPUS_OUT_BYTES 400                       /* of the largest there is */

struct opus_out *opus_out_new(struct arena *);
/* Its length; 0: libopus would not, and it was logged. */
size_t opus_out_packet(struct opus_out *, const int16_t[OPUS_OUT_SAMPLES],
    unsigned char to[OPUS_OUT_BYTES]);

#endif
