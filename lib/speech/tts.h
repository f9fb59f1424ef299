/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_TTS_H
#define SPEECH_TTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/pcm.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "speech/at.h"

/*
 * Text to speech. An engine is one constant table; each call passes its address and
 * settings. Any thread may call any function.
 */
enum {                   /* bits of tts_engine.can */
	TTS_CLONE = 1,   /* speaks with cloned voices */
	TTS_RATE = 2,    /* uses tts_text.rate; other engines ignore it */
	TTS_PROFILE = 4, /* its voices are profiles (voice_profile.h), not names */
	TTS_NAMED = 8,   /* if its section names one of its low and high voice, it has
			    only that one */
};

#define TTS_FIRST_MS 4000 /* longest wait for the first sound of a stream */

struct tts_text {
	const char *text; /* UTF-8, not empty */
	const char *lang; /* a code for which tts_knows() is true */
	/* a voice in the engine's form, a profile or a name from clone_engine.clone();
	   NULL: its low or high voice */
	const char *voice;
	bool high;   /* voice NULL: use the high voice */
	double rate; /* speed; 1: the voice's normal speed; 0.5 to 2 */
	/* TTS_CLONE: address of a recording of the voice, or NULL */
	const char *sample_url;
	/* True if the sound is stored: no listener waits for its beginning, and the
	   engine uses its default voice instead of a low or high one. */
	bool sample;
};

/*
 * Receives more of the sound: at least one sample, borrowed. All calls of an utterance
 * have the same rate, 8 to 48 kHz (up to 192 kHz with tts_text.sample). It runs on the
 * thread of synthesize() and must not make HTTP calls. False: no more is wanted.
 */
typedef bool tts_sink(void *, const struct pcm *);

/* A sink of everything: .samples.mem is set before. */
struct tts_collected {
	struct buf samples; /* float */
	int rate_hz;
};
bool tts_collect(void *tts_collected, const struct pcm *);
struct pcm tts_collected(const struct tts_collected *); /* borrowed; n 0: no sound */

struct tts_engine {
	unsigned can; /* TTS_... */
	/* True if it can speak this code or its base; sends no request. */
	bool (*speaks)(const char *lang);
	/*
	 * Speak. OK: the sink has received everything, or returned false. After an
	 * error the sink may have received a part. ERR_UNSUPPORTED: not this language;
	 * ERR_REFUSED: the engine refused, or its answer is no sound; ERR_BUSY: not now
	 * (408, 429, 5xx); ERR_TIMEOUT: unreachable, silent for TTS_FIRST_MS, or not
	 * finished after at->timeout_ms; ERR_FAILED. All errors but ERR_UNSUPPORTED
	 * have been logged. The arena is for temporary memory.
	 */
	enum err (*synthesize)(const struct engine_at *, struct arena *,
	    const struct tts_text *, tts_sink *, void *) MUST_CHECK;
};

/*
 * True if this engine can speak the language, in any spelling: its kind speaks it, and
 * at->languages, a list of codes or bases, allows it.
 */
bool tts_knows(const struct tts_engine *, const struct engine_at *, const char *lang);
/*
 * Speak the whole text as one sound of VOICE_LUFS, in the arena, with text.sample set.
 * Errors as tts_engine.synthesize(); an empty sound is ERR_REFUSED.
 */
enum err tts_sample(const struct tts_engine *, const struct engine_at *, struct arena *,
    const struct tts_text *, struct pcm *) MUST_CHECK;

#endif
