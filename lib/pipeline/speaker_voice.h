#ifndef PIPELINE_SPEAKER_VOICE_H
#define PIPELINE_SPEAKER_VOICE_H

#include "base/arena.h"
#include "speech/registry.h"

/*
 * The voice of a session's speaker, for tasks with voice_cloning, made of the first
 * SPEAKER_VOICE_S seconds of speech, once in the life of the session, and kept for no
 * longer: a profile, or, when that was allowed, a voice at a server that clones.  It
 * lives as long as the session, which outlives its pipelines; their threads share it.
 */
#define SPEAKER_VOICE_S 10

struct speaker_voice;
struct pipeline_config;

/* Ends with the arena. */
struct speaker_voice *speaker_voice_new(struct arena *);
/* What it is to the engine that made it; NULL: none yet.  Of NULL there is none. */
const char *speaker_voice_made(struct speaker_voice *);
/* The same if this engine can speak with it, else NULL. */
const char *speaker_voice_for(struct speaker_voice *, const struct registry_engine *);

/*
 * The server at which the task would have the voice made, if that were allowed; NULL:
 * none, or it was allowed somewhere before.
 */
const struct registry_engine *speaker_voice_server(const struct pipeline_config *);
/* It may be made at the engine of that id, under that id of ours, see CLONE_NAME. */
void speaker_voice_allow(struct speaker_voice *, const char *engine, const char *ref);
/* What was allowed: the ref, and *engine; NULL: nothing.  Of NULL nothing is. */
const char *speaker_voice_ref(struct speaker_voice *, const char **engine);

#endif
