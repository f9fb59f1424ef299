#ifndef SPEECH_ASR_INTERNAL_H
#define SPEECH_ASR_INTERNAL_H

#include "speech/asr.h"

/* Languages of recognisers; private to this folder. */

/*
 * The language to listen for, in the arena: the one that is wanted; with auto the
 * first candidate that the engine knows, else its first.  NULL: it cannot.
 */
const char *asr_choose(struct arena *, const struct asr_engine *,
    const struct engine_at *, const struct asr_want *);

#endif
