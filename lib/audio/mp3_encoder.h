/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_MP3_ENCODER_H
#define AUDIO_MP3_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/*
 * Mono sound of SPOKEN_HZ to MP3 (ISO 13818-3, layer III) of 48 kbit/s by LAME.  Frames
 * do not depend on each other: a receiver may begin with any.
 */
struct mp3_encoder;

struct mp3_encoder *mp3_encoder_new(struct arena *);
/* Append the whole frames that the samples complete. */
void mp3_encoder_put(struct mp3_encoder *, const int16_t *, size_t n, struct buf *to);

#endif
