#ifndef SPEECH_ASR_INTERNAL_H
#define SPEECH_ASR_INTERNAL_H

#include "speech/asr.h"

/* Languages of recognisers; private to this folder. */

/* "auto", in any case: the language is to be detected. */
bool asr_is_auto(const char *lang);
/* Whether the code, or its base, is this one of n bytes. */
bool asr_same(const char *lang, const char *code, size_t n);
/* Whether the code, or its base, is a word of the list; NULL lists every code. */
bool asr_listed(const char *codes, const char *lang);
/*
 * The language to listen for, in the arena: the one that is wanted; with auto the
 * first candidate that the engine knows, else its first.  NULL: it cannot.
 */
const char *asr_choose(struct arena *, const struct asr_engine *,
    const struct engine_at *, const struct asr_want *);

#endif
