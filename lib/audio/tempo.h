#ifndef AUDIO_TEMPO_H
#define AUDIO_TEMPO_H

#include <stdbool.h>

#include "audio/pcm16.h"
#include "base/arena.h"

/* How a target's speech catches up; levels are those of its queue (playback.h). */
struct tempo_params {
	bool automatic;
	double min, max; /* 0.5 <= min <= max <= 2 */
	int desired_ms;  /* up to here nothing is hurried */
	int full_ms;     /* from here on it is `max`; > desired_ms */
};

/*
 * The tempo of the next phrase: 1 up to desired_ms, above it linear from min at
 * desired_ms to max at full_ms.
 */
double tempo_for(const struct tempo_params *, int64_t level_ms);

/*
 * Speech at another tempo with its pitch kept: pitch periods are left out or
 * repeated where they resemble each other, by libsonic (B. Cox, 2010), which is
 * PICOLA for tempos below 2 (N. Morita, F. Itakura, "Time-scale modification
 * algorithm for speech by use of pointer interval control overlap and add",
 * 1986).  One object a phrase; tempo 1 passes the samples on as they are.
 */
struct tempo;
struct tempo *tempo_new(struct arena *, int rate_hz, double tempo);
/* What can be said so far; it lags behind what was put. */
struct pcm16 tempo_feed(struct tempo *, struct pcm16, struct arena *);
struct pcm16 tempo_end(struct tempo *, struct arena *); /* the rest */

#endif
