#ifndef STREAM_SOUND_RAW_H
#define STREAM_SOUND_RAW_H

#include <stddef.h>
#include <stdint.h>

#include "stream/sound_in.h"

/* How samples stand in a stream without a header. */
struct sound_raw {
	size_t bytes; /* of one sample, 1 to SOUND_RAW_MOST */
	int16_t (*read)(const unsigned char *);
};

#define SOUND_RAW_MOST 4

/* Of WAV: of the sound in it; NULL: the form has no samples of its own. */
const struct sound_raw *sound_raw_of(enum sound_form);

#endif
