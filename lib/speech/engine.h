#ifndef SPEECH_ENGINE_H
#define SPEECH_ENGINE_H

#include "speech/asr.h"
#include "speech/clone.h"
#include "speech/mt.h"
#include "speech/speak.h"
#include "speech/tts.h"

/* A kind of engine, as `kind` of a section [engine.ID] names it; NULL: it cannot. */
struct engine_kind {
	const char *name;
	const struct asr_engine *asr;
	const struct mt_engine *mt;
	const struct speak_engine *speak;
	const struct tts_engine *tts;
	const struct clone_engine *clone;
};

extern const struct engine_kind engine_kinds[]; /* up to one without a name */

/* The kind of that name; NULL: there is none. */
const struct engine_kind *engine_find(const char *name);

#endif
