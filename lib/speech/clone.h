#ifndef SPEECH_CLONE_H
#define SPEECH_CLONE_H

#include "speech/at.h"

#include "base/arena.h"
#include "base/err.h"
#include "media/pcm.h"

/*
 * From a recording to a voice.  What a voice is, is its engine's affair: a
 * profile as JSON, or the name the voice has at a provider.  The store keeps
 * the text and hands it back in tts_text.voice.
 */
/* What a server is told that a voice is called: our id of it. */
#define CLONE_NAME "dragoman-%s"

struct clone_sample {
	const char *name;        /* what the voice is called */
	const char *ref;         /* our id of the voice: the same at every try */
	const char *description; /* or NULL */
	const char *lang;        /* L1 code */
	struct pcm pcm;          /* the recording, decoded, denoised, normalised */
};

struct clone_engine {
	/* *voice lives in the arena.  Errors as in tts_engine.synthesize. */
	enum err (*clone)(const struct engine_at *, struct arena *,
	    const struct clone_sample *, const char **voice) MUST_CHECK;
	/* Forget a voice, also by its CLONE_NAME; one that is gone already is OK. */
	enum err (*drop)(
	    const struct engine_at *, struct arena *, const char *voice) MUST_CHECK;
};

#endif
