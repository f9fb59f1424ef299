#ifndef AUDIO_WAV_READER_H
#define AUDIO_WAV_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The part of a WAV stream that is sound (IBM, Microsoft, "Multimedia programming
 * interface and data specifications 1.0", 1991), from a stream cut anywhere.
 *
 *   OPEN -> CHUNK <-> SKIP
 *             |  \-> FMT -> CHUNK
 *             v
 *           SOUND -> TAIL -> SKIP -> TAIL        any of these -> BAD
 *             ^       |
 *             +-------+ what follows is no chunk of a file
 */
enum wav_state { WAV_OPEN, WAV_CHUNK, WAV_FMT, WAV_SKIP, WAV_SOUND, WAV_TAIL, WAV_BAD };

struct wav_reader {
	enum wav_state at;
	int rate_hz, channels; /* 0: not known yet */
	bool has_fmt;          /* of the file that is being read */
	bool behind;           /* its sound has begun */
	bool fresh;            /* none of it was had */
	unsigned char got[40]; /* of what is being read */
	size_t ngot;
	uint32_t left;   /* bytes of this chunk to come */
	uint32_t passed; /* bytes that were no sound, since there was some */
	const char *why; /* it is WAV_BAD, in words */
};

/* rate_hz and channels: of a stream that does not begin with a header; or 0. */
void wav_reader_begin(struct wav_reader *, int rate_hz, int channels);
/* Whether a message begins a new file where this one stands. */
bool wav_reader_restarts(const struct wav_reader *, const unsigned char *, size_t);
struct wav_run {
	const unsigned char *p;
	size_t n;
	bool fresh; /* it begins a file */
};

/*
 * Take bytes from *p, *n up to the end of the next run of sound; false: they are
 * used up, or `at` is WAV_BAD.  A pipeline has the rate and channels that the struct
 * has then, and may lie in it until the next call.
 */
bool wav_reader_next(
    struct wav_reader *, const unsigned char **p, size_t *n, struct wav_run *);

#endif
