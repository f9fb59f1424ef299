#ifndef STREAM_SOUND_WAV_H
#define STREAM_SOUND_WAV_H

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
enum sound_wav_at {
	WAV_OPEN,
	WAV_CHUNK,
	WAV_FMT,
	WAV_SKIP,
	WAV_SOUND,
	WAV_TAIL,
	WAV_BAD
};

struct sound_wav {
	enum sound_wav_at at;
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
void sound_wav_begin(struct sound_wav *, int rate_hz, int channels);
/* Whether a message begins a new file where this one stands. */
bool sound_wav_restarts(const struct sound_wav *, const unsigned char *, size_t);
struct sound_run {
	const unsigned char *p;
	size_t n;
	bool fresh; /* it begins a file */
};

/*
 * Take bytes from *p, *n up to the end of the next run of sound; false: they are
 * used up, or `at` is WAV_BAD.  A run has the rate and channels that the struct has
 * then, and may lie in it until the next call.
 */
bool sound_wav_next(
    struct sound_wav *, const unsigned char **p, size_t *n, struct sound_run *);

#endif
