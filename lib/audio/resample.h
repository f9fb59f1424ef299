#ifndef AUDIO_RESAMPLE_H
#define AUDIO_RESAMPLE_H

#include "audio/pcm16.h"
#include "base/arena.h"

/*
 * Another sampling rate for a mono stream, by SpeexDSP's Kaiser-windowed sinc:
 * what the new rate cannot hold is filtered out.  Output sample 0 is where input
 * sample 0 was; how the stream is cut into pieces makes no difference.
 */
struct resample;

/* Rates from 8,000 to 48,000 Hz.  Equal ones pass the samples on as they are. */
struct resample *resample_new(struct arena *, int from_hz, int to_hz);
/* What follows has this rate; unless it is the same, the filter begins anew. */
void resample_from(struct resample *, int from_hz);
/* What the samples so far decide; it stays at most 6 ms behind them. */
struct pcm16 resample_feed(struct resample *, const int16_t *, size_t, struct arena *);
/* The rest of a stream: with it, n samples have become n * to / from, rounded up. */
struct pcm16 resample_end(struct resample *, struct arena *);

#endif
