/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_OPUS_ENCODER_H
#define AUDIO_OPUS_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "audio/opus_packets.h"
#include "audio/pcm16.h"
#include "base/arena.h"

/*
 * Speech of SPOKEN_HZ to Opus by libopus: 20 ms a packet, 24 kbit/s, with forward error
 * correction for lost packets (RFC 6716).
 */
struct opus_encoder;

/* samples of one packet */
#define OPUS_ENCODER_SAMPLES (SPOKEN_HZ / 1000 * OPUS_PACKETS_MS)
#define OPUS_ENCODER_BYTES 400 /* longest packet */
/* Packet loss that the encoder prepares for, percent. */
#define OPUS_ENCODER_LOSS 5 /* at first, and at least */
#define OPUS_ENCODER_LOSS_MOST 20

struct opus_encoder *opus_encoder_new(struct arena *);
/* Begin a phrase: drop waiting samples and reset the encoder. */
void opus_encoder_begin(struct opus_encoder *);
/* Set the packet loss of the receivers in percent, for the following packets. It is
   limited to the range above. */
void opus_encoder_loss(struct opus_encoder *, int percent);
/*
 * Append packets of these samples.  Samples that fill no packet wait for the next call;
 * last: they get a packet padded with silence.
 */
void opus_encoder_put(
    struct opus_encoder *, const int16_t *, size_t n, bool last, struct buf *to);

#endif
