/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_SPEAKER_VOICE_H
#define PIPELINE_SPEAKER_VOICE_H

#include "base/arena.h"
#include "speech/registry.h"

/*
 * The voice of a session's speaker, for tasks with voice_cloning. It is made once, from
 * the first SPEAKER_VOICE_S seconds of speech, and kept only as long as the session. It
 * is a profile or, if allowed, a voice on a cloning server. The session outlives its
 * pipelines, whose threads share the voice.
 */
#define SPEAKER_VOICE_S 10

struct speaker_voice;
struct pipeline_config;

/* The arena owns it. */
struct speaker_voice *speaker_voice_new(struct arena *);
/* The voice as its engine needs it, a profile or a name; NULL: not made yet. The
   argument may be NULL. */
const char *speaker_voice_get(struct speaker_voice *);
/* As speaker_voice_get() if this engine can speak with the voice; otherwise NULL. */
const char *speaker_voice_for(struct speaker_voice *, const struct registry_engine *);

/*
 * The server that would make the voice for the task, if allowed; NULL: none, or a
 * server was allowed before.
 */
const struct registry_engine *speaker_voice_server(const struct pipeline_config *);
/* Allow the engine with this id to make the voice. ref: our id of the voice, from which
   CLONE_NAME makes the server's name. */
void speaker_voice_allow(struct speaker_voice *, const char *engine, const char *ref);
/* The ref that was allowed, and its *engine; NULL: none.  The argument may be NULL. */
const char *speaker_voice_ref(struct speaker_voice *, const char **engine);

#endif
