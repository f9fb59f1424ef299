#ifndef AUDIO_PCM16_H
#define AUDIO_PCM16_H

#include <stddef.h>
#include <stdint.h>

#define HEARD_HZ 16000  /* what the engines of recognition are fed */
#define SPOKEN_HZ 24000 /* what the listeners of a stream are sent */

/* Mono sound as a stream carries it, in samples of this machine's byte order. */
struct pcm16 {
	int16_t *s;
	size_t n;
};

#endif
