#ifndef AUDIO_MPEG_FRAME_H
#define AUDIO_MPEG_FRAME_H

#include <stdint.h>

/* Bytes of the frame that begins with these 4, with its header; 0: none does. */
int mpeg_frame_bytes(const uint8_t *);      /* ISO 11172-3, 13818-3: MP3, MP2, MP1 */
int mpeg_frame_adts_bytes(const uint8_t *); /* ISO 13818-7: AAC; reads 6 bytes */

#endif
