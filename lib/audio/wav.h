/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_WAV_H
#define AUDIO_WAV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds the sound in a WAV stream that arrives in pieces of any size (IBM, Microsoft,
 * "Multimedia programming interface and data specifications 1.0", 1991; also RF64 and
 * BW64 of ITU-R BS.2088, whose sizes of 64 bits are not read).
 *
 *   OPEN -> CHUNK <-> SKIP
 *             |  \-> FMT -> CHUNK
 *             v
 *           SOUND -> TAIL -> SKIP -> TAIL        any of these -> BAD
 *             ^       |
 *             +-------+ no known chunk follows
 */
enum wav_state { WAV_OPEN, WAV_CHUNK, WAV_FMT, WAV_SKIP, WAV_SOUND, WAV_TAIL, WAV_BAD };

struct wav_reader {
	enum wav_state at;
	int rate_hz, channels; /* 0: not known yet */
	bool codings;          /* codings other than 16-bit PCM are accepted */
	int form;              /* enum audio_encoding of the samples */
	int most_hz;           /* highest rate that a file may have; 0: AUDIO_MOST_HZ */
	bool has_fmt;          /* the file's format was read */
	bool behind;           /* the file's sound has begun */
	bool fresh;            /* none of the file's sound was returned yet */
	unsigned char got[40]; /* the header or chunk being gathered */
	size_t ngot;           /* bytes in got */
	uint32_t left;         /* bytes of the current chunk that are still to come */
	uint32_t passed;       /* bytes skipped since the last sound */
	const char *why;       /* WAV_BAD: the reason, a literal */
};

/* True if a file begins with these 4 bytes. */
bool wav_reader_is_magic(const unsigned char *);
/* rate_hz, channels: for a stream without a header; 0: a header is required. */
void wav_reader_begin(struct wav_reader *, int rate_hz, int channels);
/* True if this message begins a new file. */
bool wav_reader_restarts(const struct wav_reader *, const unsigned char *, size_t);
struct wav_run {
	const unsigned char *p; /* borrowed until the next call */
	size_t n;               /* bytes */
	bool fresh;             /* the first sound of a file */
};

/*
 * Consume bytes from *p, *n up to the end of the next run of sound. Its rate and
 * channels are those in the struct. False: the bytes are used up, or `at` is WAV_BAD.
 */
bool wav_reader_next(
    struct wav_reader *, const unsigned char **p, size_t *n, struct wav_run *);

#define WAV_HEADER 44
#define WAV_UNBOUNDED SIZE_MAX

/* Write the header for this number of bytes of 16-bit mono samples. WAV_UNBOUNDED: the
   number is not known yet. */
void wav_header_write(void *to, int rate_hz, size_t bytes);

#endif
