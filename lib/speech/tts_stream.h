/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_TTS_STREAM_H
#define SPEECH_TTS_STREAM_H

#include "audio/downmix.h"
#include "audio/sound_magic.h"
#include "audio/wav.h"
#include "base/buf.h"
#include "speech/tts.h"

/*
 * For synthesizers behind HTTP: send a request, and read the answer while it is
 * received.  Private to this folder.
 */
struct tts_request {
	const char *path; /* path below at->url */
	/* beginning of the header line with the credential, up to the key */
	const char *auth;
	const struct buf *body; /* the body, JSON */
	int rate_hz; /* rate of raw samples; 0: the answer must be a WAV file */
	int *status; /* receives the status of the answer, 0 without one; or NULL */
};

/*
 * Send a request by POST. An answer that begins like a WAV file is read as one (PCM of
 * 8 to 32 bits, float, A-law or mu-law, 1 or 2 channels); other bytes are s16
 * little-endian at the rate in the Content-Type, or at rate_hz. An answer in another
 * coding, recognized by its bytes, is decoded by media_decode() once it is complete.
 * Any other answer, also by its Content-Type, is refused before the sink receives a
 * part. Errors as tts_engine.synthesize().
 */
enum err tts_ask(const struct engine_at *, struct arena *, const struct tts_text *,
    const struct tts_request *, tts_sink *, void *) MUST_CHECK;

/* ---- the answer's bytes to sound ---- */

struct audio_reader {
	tts_sink *sink;
	void *to;
	const char *type; /* Content-Type of the answer; NULL: none */
	int rate_hz;      /* rate of raw samples; 0: the bytes must be a WAV file */
	int most_hz;      /* highest rate of a WAV file; 0: 48 kHz */
	struct wav_reader wav;
	struct downmix mixing;
	int heard_hz; /* rate of the sound passed on; 0: none yet */
	unsigned char start[SOUND_MAGIC_BYTES];
	size_t nstart;          /* bytes in start */
	bool begun;             /* a WAV file has begun */
	unsigned char rest[16]; /* an incomplete frame */
	size_t nrest;
	bool enough;  /* the sink wants no more */
	bool refused; /* the bytes are no sound that can be read */
	/* if refused: its coding, as sound_magic() names it; or NULL */
	const char *coded;
	const char *why; /* if refused and coded is NULL: the reason, a sentence */
};

/* Read the next bytes. False: no more are needed; see enough and refused. */
bool audio_reader_feed(struct audio_reader *, const void *, size_t n);
/* Call after the last bytes. True if all bytes that the sink wanted were sound. */
bool audio_reader_done(struct audio_reader *);

#endif
