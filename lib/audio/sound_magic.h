/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_SOUND_MAGIC_H
#define AUDIO_SOUND_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nouns: mpeg. */

#define SOUND_MAGIC_BYTES 3072 /* two frames of MP3, of the largest bitrate */

/*
 * The name of the coding or container of a file that begins with these bytes:
 * "MP3", "Ogg", "AIFF" ...; NULL: unknown, or WAV, RF64 or BW64.  MP3 and AAC need two
 * frames in a row; frames: these may begin anywhere.
 */
const char *sound_magic(const void *, size_t n, bool frames);

/* Length in bytes of the frame that begins with these 4 bytes, including its header; 0:
   not a frame. */
int mpeg_frame_bytes(const uint8_t *);      /* ISO 11172-3, 13818-3: MP3, MP2, MP1 */
int mpeg_frame_adts_bytes(const uint8_t *); /* ISO 13818-7: AAC; reads 6 bytes */

#endif
