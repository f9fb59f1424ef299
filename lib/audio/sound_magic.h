#ifndef AUDIO_SOUND_MAGIC_H
#define AUDIO_SOUND_MAGIC_H

#include <stdbool.h>
#include <stddef.h>

#define SOUND_MAGIC_BYTES 3072 /* two frames of MP3, of the largest bitrate */

/*
 * The name of the coding or container that these bytes, the first of a file, have:
 * "MP3", "Ogg", "AIFF" ...; NULL: none that is known.  WAV, RF64 and BW64 are none of
 * them.  Frames of MP3 and AAC must follow each other; frames: they may also begin
 * anywhere.
 */
const char *sound_magic(const void *, size_t n, bool frames);

#endif
