/*
 * whisper.cpp in a process of its own, which hears a phrase when it has ended.  So it
 * has no partial texts: each would cost as much as the final one.
 */
#include "base/lang.h"
#include "speech/asr_model.h"
#include "speech/engine.h"

static bool
knows(const struct engine_at *at, const char *lang)
{
	return asr_openai.knows(at, lang); /* the languages of the same models */
}

static enum err
open_one(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	return asr_model_open(&asr_whisper, at, want, false, to);
}

const struct asr_engine asr_whisper = { ASR_STREAM | ASR_DETECT, knows, open_one,
	asr_model_feed, asr_model_partial, asr_model_finish, asr_model_drop,
	asr_model_close };
