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
	const char *path;       /* below at->url */
	const char *auth;       /* the header with the credential, up to the key */
	const struct buf *body; /* JSON */
	int rate_hz;            /* of bare samples; 0: it must be a WAV file */
	int *status;            /* of the answer, 0 if there is none; or NULL */
};

/*
 * POST it.  An answer that begins like a WAV file is read as one (PCM of 8 to 32 bits,
 * float, A-law or mu-law, 1 or 2 channels); other bytes are s16 little-endian at the
 * rate in the Content-Type, or at rate_hz.  An answer in another coding, recognized by
 * its bytes, is decoded by media_decode() once it is complete.  Any other, also by its
 * Content-Type, is refused before the sink receives any of it.  Returns as
 * tts_engine.synthesize().
 */
enum err tts_ask(const struct engine_at *, struct arena *, const struct tts_text *,
    const struct tts_request *, tts_sink *, void *) MUST_CHECK;

/* ---- the answer's bytes to sound ---- */

struct audio_reader {
	tts_sink *sink;
	void *to;
	const char *type; /* the Content-Type; NULL: none */
	int rate_hz;      /* of bare samples; 0: must be a WAV file */
	int most_hz;      /* of a WAV file; 0: 48 kHz */
	struct wav_reader wav;
	struct downmix mixing;
	int heard_hz; /* of what the sink has; 0: nothing yet */
	unsigned char start[SOUND_MAGIC_BYTES];
	size_t nstart;          /* bytes in start */
	bool begun;             /* wav has begun */
	unsigned char rest[16]; /* of a frame that was cut */
	size_t nrest;
	bool enough;       /* the sink wants no more */
	bool refused;      /* it is no sound that can be read */
	const char *coded; /* refused: its coding, as sound_magic() names it; or NULL */
	const char *why;   /* refused, otherwise: a sentence */
};

/* Read the next bytes.  False: no more are wanted; see enough and refused. */
bool audio_reader_take(struct audio_reader *, const void *, size_t n);
/* After the last bytes: true if all was sound, as far as the sink wanted it. */
bool audio_reader_done(struct audio_reader *);

#endif
