#ifndef SPEECH_SPEAK_H
#define SPEECH_SPEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "media/pcm.h"
#include "speech/at.h"

/*
 * Text to speech while somebody waits.  An engine is one constant table; where
 * it is and what it is to be used for is told to it at each call.  Any thread may
 * call anything.
 *
 * tts.h is the same for those who keep what was said: one sound as a whole, as
 * loud as every other sample, in a voice that was made at the engine's provider.
 */
enum {                   /* speak_engine.can */
	SPEAK_CLONE = 1, /* has a likeness of voices that were cloned */
	SPEAK_RATE = 2,  /* speaks faster or slower by itself; others ignore it */
};

#define SPEAK_FIRST_MS 4000 /* until the first sound, at most */

struct speak_text {
	const char *text;       /* UTF-8, not empty */
	const char *lang;       /* a code of which speak_knows() was true */
	const char *voice;      /* the engine's own: a profile (espeak) or a name; NULL:
				   its low or its high voice */
	bool high;              /* which of them */
	double rate;            /* 1: as it likes; 0.5 to 2 */
	const char *sample_url; /* SPEAK_CLONE: a recording of the voice, or NULL */
};

/*
 * More of the sound: at least a sample, of the same rate in all calls of an
 * utterance, 8 to 48 kHz; it is the engine's.  It may run on another thread than
 * speak() was called on, but only before speak() returns.  False: no more is wanted.
 */
typedef bool speak_sink(void *, const struct pcm *);

struct speak_engine {
	const char *kind; /* as in the settings */
	unsigned can;     /* SPEAK_... */
	/* Whether this code can be spoken, itself or by its base; asks nobody. */
	bool (*speaks)(const char *lang);
	/*
	 * Speak.  OK: all was heard by the sink, or it wanted no more.  Whatever the
	 * answer, some may have been heard.  ERR_UNSUPPORTED: not this language;
	 * ERR_REFUSED: the engine said no, or what it said is no sound; ERR_BUSY: not
	 * now (408, 429, 5xx); ERR_TIMEOUT: unreachable, or silent for SPEAK_FIRST_MS,
	 * or not ready after at->timeout_ms; ERR_FAILED.  All but ERR_UNSUPPORTED have
	 * been logged.  The arena is for what only the call needs.
	 */
	enum err (*speak)(const struct engine_at *, struct arena *,
	    const struct speak_text *, speak_sink *, void *) MUST_CHECK;
};

extern const struct speak_engine speak_espeak, speak_openai, speak_http, speak_script;

/*
 * Whether this engine can be asked to speak it: by its kind, and allowed by
 * at->languages, a list of codes or bases.  Case and `_` are as in asr.h.
 */
bool speak_knows(
    const struct speak_engine *, const struct engine_at *, const char *lang);

#endif
