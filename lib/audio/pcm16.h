/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_PCM16_H
#define AUDIO_PCM16_H

#include <stddef.h>
#include <stdint.h>

#define HEARD_HZ 16000  /* sampling rate for ASR engines */
#define SPOKEN_HZ 24000 /* sampling rate for subscribers */

/* Mono sound, samples in the byte order of this machine. */
struct pcm16 {
	int16_t *s;
	size_t n; /* samples */
};

#endif
