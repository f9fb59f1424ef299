/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_CLONE_H
#define SPEECH_CLONE_H

#include "speech/at.h"

#include "audio/pcm.h"
#include "base/arena.h"
#include "base/err.h"

/*
 * Makes a voice from a recording. Each engine has its own form of a voice: a profile as
 * JSON, or the name of the voice at a provider. The database stores this text;
 * tts_text.voice passes it back to the engine.
 */
/* The name of a voice at a server, with our id. */
#define CLONE_NAME "dragoman-%s"

struct clone_sample {
	const char *name;        /* the voice's name */
	const char *ref;         /* our id of the voice, the same in every attempt */
	const char *description; /* a description, or NULL */
	const char *lang;        /* L1 code */
	struct pcm pcm;          /* the recording, decoded, denoised, normalised */
};

struct clone_engine {
	/* Make a voice; *voice lives in the arena. Errors as tts_engine.synthesize().
	 */
	enum err (*clone)(const struct engine_at *, struct arena *,
	    const struct clone_sample *, const char **voice) MUST_CHECK;
	/* Delete a voice, also by its CLONE_NAME; OK if it does not exist. */
	enum err (*drop)(
	    const struct engine_at *, struct arena *, const char *voice) MUST_CHECK;
};

#endif
