#ifndef AUDIO_CHUNKS_H
#define AUDIO_CHUNKS_H

#include <stdbool.h>

#include "audio/pcm16.h"
#include "base/arena.h"
#include "media/pcm.h"

/*
 * Speech of an engine, cut as it is sent: 200 ms a chunk, which is 4,800 samples
 * at SPOKEN_HZ, and one last chunk that is shorter or empty.  One object for each
 * group of chunks, that is phrase, part and language.
 *
 *   float, any rate -> s16 -> to_hz -> tempo -> chunks
 */
struct chunks;

struct chunk {
	const int16_t *s; /* lives as long as the arena of its struct chunks */
	size_t n;
	bool last;
};

/*
 * to_hz: of the chunks, not of the engine; SPOKEN_HZ for listeners, 8,000 to 48,000
 * for who asks.  tempo as in tempo.h.
 */
struct chunks *chunks_new(struct arena *, int to_hz, double tempo);
/* Engines may stream: put as it comes.  The rate stays that of the first piece. */
void chunks_put(struct chunks *, const struct pcm *);
void chunks_end(struct chunks *); /* there is no more */
/* The next chunk; false: none until more is put, or the last one was had. */
bool chunks_next(struct chunks *, struct chunk *);

/* As bytes, s16le. */
void *chunk_bytes(struct arena *, const struct chunk *, size_t *n);

#endif
