/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_RAW_DECODER_H
#define AUDIO_RAW_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include "audio/audio_decoder.h"

/* A sample format. */
struct raw_decoder {
	size_t bytes; /* bytes of one sample, 1 to RAW_DECODER_MOST */
	int16_t (*read)(const unsigned char *);
};

#define RAW_DECODER_MOST 8

/* The sample format of an encoding; NULL: Opus has none. */
const struct raw_decoder *raw_decoder_of(enum audio_encoding);

#endif
