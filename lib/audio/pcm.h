/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_PCM_H
#define AUDIO_PCM_H

#include <stddef.h>

/* Mono sound.  Samples are floats from -1 to 1 and live in an arena. */
struct pcm {
	float *s;
	size_t n;
	int rate_hz;
};

#endif
