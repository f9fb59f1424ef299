/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_TTS_H
#define SPEECH_TTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/pcm.h"
#include "base/arena.h"
#include "base/err.h"
#include "speech/at.h"

/*
 * Text to speech.  An engine is one constant table; each call passes where it is and
 * how it is used.  Any thread may call anything.
 */
enum {                   /* tts_engine.can */
	TTS_CLONE = 1,   /* speaks with cloned voices */
	TTS_RATE = 2,    /* uses tts_text.rate; others ignore it */
	TTS_PROFILE = 4, /* its voices are profiles (voice_profile.h), not names */
};

#define TTS_FIRST_MS 4000 /* until the first sound of a stream, at most */

struct tts_text {
	const char *text;       /* UTF-8, not empty */
	const char *lang;       /* a code of which tts_knows() was true */
	const char *voice;      /* the engine's own: a profile or a name, as
				   clone_engine.clone() answers it; NULL: its low or its
				   high voice */
	bool high;              /* which of them */
	double rate;            /* 1: its own; 0.5 to 2 */
	const char *sample_url; /* TTS_CLONE: a recording of the voice, or NULL */
	/* The sound is stored: no listener waits for its beginning, and the engine uses
	   its default voice instead of a low or high one. */
	bool sample;
};

/*
 * Receives more of the sound: at least one sample, of the same rate in all calls of an
 * utterance, 8 to 48 kHz (up to 192 with tts_text.sample); the engine owns it.  It runs
 * on the thread of synthesize() and must not make HTTP calls.  False: no more is
 * wanted.
 */
typedef bool tts_sink(void *, const struct pcm *);

struct tts_engine {
	unsigned can; /* TTS_... */
	/* True if this code or its base can be spoken; sends no request. */
	bool (*speaks)(const char *lang);
	/*
	 * Speak.  OK: the sink has received everything, or wanted no more.  After an
	 * error it may have received a part.  ERR_UNSUPPORTED: not this language;
	 * ERR_REFUSED: the engine refused, or its answer is no sound; ERR_BUSY: not now
	 * (408, 429, 5xx); ERR_TIMEOUT: unreachable, or silent for TTS_FIRST_MS, or not
	 * ready after at->timeout_ms; ERR_FAILED.  All but ERR_UNSUPPORTED have been
	 * logged.  The arena is for memory that only the call needs.
	 */
	enum err (*synthesize)(const struct engine_at *, struct arena *,
	    const struct tts_text *, tts_sink *, void *) MUST_CHECK;
};

/*
 * True if this engine can speak it: by its kind, and allowed by at->languages, a list
 * of codes or bases, in any spelling.
 */
bool tts_knows(const struct tts_engine *, const struct engine_at *, const char *lang);
/*
 * Speak the whole text as one sound, in the arena; text.sample is set.  Errors are
 * those of synthesize(); no sound at all is ERR_REFUSED.
 */
enum err tts_sample(const struct tts_engine *, const struct engine_at *, struct arena *,
    const struct tts_text *, struct pcm *) MUST_CHECK;

#endif
