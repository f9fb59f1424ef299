/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_CHUNKS_H
#define AUDIO_CHUNKS_H

#include <stdbool.h>

#include "audio/pcm.h"
#include "audio/pcm16.h"
#include "base/arena.h"

/*
 * Cuts synthesized speech into chunks of 200 ms (4,800 samples at SPOKEN_HZ) and a last
 * chunk that is shorter or empty.  One object for each group of chunks: one part of a
 * segment in one language.
 *
 *   float, any rate -> s16 -> to_hz -> tempo -> chunks
 */
struct chunks;

struct chunk {
	const int16_t *s; /* samples, in the arena of struct chunks */
	size_t n;         /* samples */
	bool last;
};

/* to_hz: rate of the chunks, 8,000 to 48,000.  tempo as in tempo.h. */
struct chunks *chunks_new(struct arena *, int to_hz, double tempo);
/* Add a piece of speech of any length. All pieces have the rate of the first one. */
void chunks_put(struct chunks *, const struct pcm *);
void chunks_end(struct chunks *); /* end the input: no more pieces follow */
/* The next chunk; false: none until more is put, or the last one was returned. */
bool chunks_next(struct chunks *, struct chunk *);

/* The samples as s16le; n: bytes. */
void *chunk_bytes(struct arena *, const struct chunk *, size_t *n);

#endif
