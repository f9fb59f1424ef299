#ifndef SPEECH_TTS_H
#define SPEECH_TTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "media/pcm.h"
#include "speech/at.h"

/*
 * Text to speech.  An engine is one constant table; where it is and what it is to be
 * used for is told to it at each call.  Any thread may call anything.
 */
enum {                   /* tts_engine.can */
	TTS_CLONE = 1,   /* has a likeness of voices that were cloned */
	TTS_RATE = 2,    /* speaks faster or slower by itself; others ignore it */
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
	double rate;            /* 1: as it likes; 0.5 to 2 */
	const char *sample_url; /* TTS_CLONE: a recording of the voice, or NULL */
	/* It is kept: no listener waits for its beginning, and instead of a low or a
	   high voice the engine takes its default one. */
	bool sample;
};

/*
 * More of the sound: at least a sample, of the same rate in all calls of an
 * utterance, 8 to 48 kHz (192 of a sample); it is the engine's.  It runs on the thread
 * of synthesize() and makes no HTTP call.  False: no more is wanted.
 */
typedef bool tts_sink(void *, const struct pcm *);

struct tts_engine {
	unsigned can; /* TTS_... */
	/* Whether this code can be spoken, itself or by its base; asks no server. */
	bool (*speaks)(const char *lang);
	/*
	 * Speak.  OK: all was heard by the sink, or it wanted no more.  Whatever the
	 * answer, some may have been heard.  ERR_UNSUPPORTED: not this language;
	 * ERR_REFUSED: the engine said no, or what it said is no sound; ERR_BUSY: not
	 * now (408, 429, 5xx); ERR_TIMEOUT: unreachable, or silent for TTS_FIRST_MS,
	 * or not ready after at->timeout_ms; ERR_FAILED.  All but ERR_UNSUPPORTED have
	 * been logged.  The arena is for what only the call needs.
	 */
	enum err (*synthesize)(const struct engine_at *, struct arena *,
	    const struct tts_text *, tts_sink *, void *) MUST_CHECK;
};

/*
 * Whether this engine can be asked to speak it: by its kind, and allowed by
 * at->languages, a list of codes or bases, in any spelling.
 */
bool tts_knows(const struct tts_engine *, const struct engine_at *, const char *lang);
/*
 * The whole of it as one sound, in the arena; text.sample is set.  Errors are those of
 * synthesize(); no sound at all is ERR_REFUSED.
 */
enum err tts_sample(const struct tts_engine *, const struct engine_at *, struct arena *,
    const struct tts_text *, struct pcm *) MUST_CHECK;

#endif
