#ifndef SERVICE_SPEECH_H
#define SERVICE_SPEECH_H

#include "base/conf.h"
#include "speech/clone.h"
#include "store/blobs.h"
#include "store/making.h"

/*
 * Where the speech engines and the store meet: a voice is made to say its
 * sample sentence, and what it said is kept.
 */
#define OWN_PROVIDER "own_provider"
#define EXTERNAL_PROVIDER "external_provider"

/* What was said, stored as a file but not yet in the database. */
struct spoken {
	struct blob blob;
	struct tts_sample sample;
};

/* The engines that the settings name; NULL: none. */
const struct tts_engine *speech_engine(const struct conf *, const char *provider);
const struct clone_engine *speech_cloner(const struct conf *, const char *provider);
/* What an engine of this provider needs to be reached. */
struct tts_at speech_at(const struct conf *, struct arena *, const char *provider);
struct tts_at speech_cloner_at(
    const struct conf *, struct arena *, const char *provider);

/*
 * Speak the sample sentence of a language ("auto": the voice's, else English),
 * encode it and store the file under blob_id; the same blob_id may be tried
 * again.  ERR_UNSUPPORTED: no engine for it; else as tts_engine.speak() and
 * blob_end() answer.
 */
enum err speech_make(const struct conf *, struct arena *, const struct making *,
    const char *provider, const char *lang, const char *blob_id,
    struct spoken *) MUST_CHECK;
/* Write it to the database, in the caller's transaction. */
enum err speech_keep(struct db *, const struct spoken *) MUST_CHECK;

#endif
