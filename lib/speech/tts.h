#ifndef SPEECH_TTS_H
#define SPEECH_TTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "media/pcm.h"

/*
 * Text to speech.  An engine is one constant table; what it needs to run (a
 * path, an address, a key) is told to it at each call in `at`.
 */
struct tts_at {
	const char *program; /* espeak: the child that speaks */
	const char *url;     /* HTTP engines: base address, no trailing slash */
	const char *key;     /* HTTP engines: credential, or NULL */
	const char *model;   /* HTTP engines: model name, or NULL: the engine's */
	int timeout_ms;      /* for the whole call */
	bool allow_private;  /* HTTP engines: the address may be a private one */
};

struct tts_text {
	const char *text;  /* UTF-8, not empty */
	const char *lang;  /* a code of the voice list (L1), not "auto" */
	const char *voice; /* what clone_engine.clone() answered, or NULL: the
			      engine's default voice */
};

struct tts_engine {
	const char *name;
	/* Whether this language can be spoken at all; asks nobody. */
	bool (*speaks)(const char *lang);
	/*
	 * ERR_UNSUPPORTED: not this language; ERR_REFUSED: the engine said no;
	 * ERR_BUSY: not now (408, 429, 5xx); ERR_TIMEOUT: unreachable or silent.
	 */
	enum err (*speak)(const struct tts_at *, struct arena *,
	    const struct tts_text *, struct pcm *) MUST_CHECK;
};

extern const struct tts_engine tts_espeak, tts_openai, tts_elevenlabs;

#endif
