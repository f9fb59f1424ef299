#ifndef AUDIO_RAW_DECODER_H
#define AUDIO_RAW_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include "audio/audio_decoder.h"

/* How samples stand in a stream without a header. */
struct raw_decoder {
	size_t bytes; /* of one sample, 1 to RAW_DECODER_MOST */
	int16_t (*read)(const unsigned char *);
};

#define RAW_DECODER_MOST 4

/* Of WAV: of the sound in it; NULL: the form has no samples of its own. */
const struct raw_decoder *raw_decoder_of(enum audio_encoding);

#endif
