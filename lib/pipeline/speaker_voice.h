#ifndef PIPELINE_SPEAKER_VOICE_H
#define PIPELINE_SPEAKER_VOICE_H

#include "base/arena.h"

/*
 * The voice of a session's speaker, for tasks with voice_cloning: a profile that is
 * made of the first SPEAKER_VOICE_S seconds of speech, once in the life of the session,
 * and kept for no longer.  It lives as long as the session, which outlives its
 * pipelines; their threads share it.
 */
#define SPEAKER_VOICE_S 10

struct speaker_voice;

/* Ends with the arena. */
struct speaker_voice *speaker_voice_new(struct arena *);
/* A voice for engines with TTS_PROFILE; NULL: none yet.  Of NULL there is none. */
const char *speaker_voice_profile(struct speaker_voice *);

#endif
