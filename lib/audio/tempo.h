/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_TEMPO_H
#define AUDIO_TEMPO_H

#include <stdbool.h>

#include "audio/pcm16.h"
#include "base/arena.h"

/* How the tempo of a target's speech depends on its queue level (playback_level_ms()).
 */
struct tempo_params {
	bool automatic;  /* false: tempo 1 */
	double min, max; /* 0.5 <= min <= max <= 2 */
	int desired_ms;  /* up to this level: tempo 1 */
	int full_ms;     /* from this level on: max; > desired_ms */
};

/*
 * The tempo of the next segment: 1 up to desired_ms, above it linear from min at
 * desired_ms to max at full_ms.
 */
double tempo_for(const struct tempo_params *, int64_t level_ms);

/*
 * Speech at another tempo with its pitch kept: pitch periods are left out or
 * repeated where they resemble each other, by libsonic (B. Cox, 2010), which is
 * PICOLA for tempos below 2 (N. Morita, F. Itakura, "Time-scale modification
 * algorithm for speech by use of pointer interval control overlap and add",
 * 1986).  One object for each segment part; tempo 1 passes the samples on unchanged.
 */
struct tempo;
struct tempo *tempo_new(struct arena *, int rate_hz, double tempo);
/* The output so far, in the arena; it lags behind the input. */
struct pcm16 tempo_feed(struct tempo *, struct pcm16, struct arena *);
struct pcm16 tempo_end(struct tempo *, struct arena *); /* returns the rest */

#endif
