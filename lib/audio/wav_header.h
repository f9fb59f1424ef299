#ifndef AUDIO_WAV_HEADER_H
#define AUDIO_WAV_HEADER_H

#include <stddef.h>
#include <stdint.h>

#define WAV_HEADER 44
#define WAV_OPEN SIZE_MAX

/* The header of samples of 16 bits, mono, with their bytes behind it; WAV_OPEN: how
   many is not known yet. */
void wav_header_write(void *to, int rate_hz, size_t bytes);

#endif
