/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_RESAMPLE_H
#define AUDIO_RESAMPLE_H

#include "audio/pcm16.h"
#include "base/arena.h"

/*
 * Changes the sampling rate of a mono stream, by SpeexDSP's Kaiser-windowed sinc.
 * Frequencies above the new band are filtered out.  Output sample 0 is at the time of
 * input sample 0.  The sizes of the pieces do not matter.
 */
struct resample;

/* Rates from 8,000 to 48,000 Hz.  Equal rates copy the samples. */
struct resample *resample_new(struct arena *, int from_hz, int to_hz);
/* Set the rate of the following input. A different rate resets the filter. */
void resample_from(struct resample *, int from_hz);
/* Returns the output so far, in the arena; it lags the input by at most 6 ms. */
struct pcm16 resample_feed(struct resample *, const int16_t *, size_t, struct arena *);
/* Returns the rest: n samples of input give n * to / from of output in all, rounded up.
 */
struct pcm16 resample_end(struct resample *, struct arena *);

#endif
