/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_SPEECH_H
#define SERVICE_SPEECH_H

#include "base/conf.h"
#include "db/db.h"
#include "speech/clone.h"
#include "store/blobs.h"
#include "store/voices.h"

/* Speaks a voice's sample sentence with an engine, and stores the sample. */
#define OWN_PROVIDER "own_provider"
#define EXTERNAL_PROVIDER "external_provider"

/* A spoken sample, stored as a file but not yet in the database. */
struct spoken {
	struct blob blob;
	struct tts_sample sample;
};

/* The engine that clones voices for a provider, as set; NULL: none. */
const struct clone_engine *speech_cloner(
    const struct conf *, struct arena *, const char *provider, struct engine_at *);

/*
 * The engine of a job "voice.forget": ref is "ENGINE/NAME", or the name alone at the
 * external provider; *name is NAME.  NULL also if that engine holds no voices.
 */
const struct clone_engine *speech_holder(const struct conf *, struct arena *,
    const char *ref, struct engine_at *, const char **name);

/* The language to speak and the blob to store it in. */
struct speech_want {
	const char *provider;
	const char *lang;    /* "auto": English */
	const char *blob_id; /* the id may be used for another try */
};

/*
 * Speak the sample sentence of a language, encode it and store the file.
 * ERR_UNSUPPORTED: no engine for it; otherwise errors of tts_sample() and blob_end().
 */
enum err speech_make(const struct conf *, struct arena *,
    const struct voice_processing *, const struct speech_want *,
    struct spoken *) MUST_CHECK;
/* Write the sample to the database, in the caller's transaction. */
enum err speech_store(struct db *, const struct spoken *) MUST_CHECK;
/*
 * Speak with our own engine and replace all earlier samples; the transaction is begun
 * here and left open. ERR_NOT_FOUND: the voice was deleted meanwhile.
 */
enum err speech_replace(struct db *, struct arena *, const struct conf *,
    const struct voice_processing *, const char *lang, struct tts_sample *) MUST_CHECK;

struct builtin_report {
	int made;   /* voices created */
	int there;  /* voices that existed */
	int silent; /* created without a sample, because no engine speaks them */
};

/* Create the missing built-in voices, each with a spoken sample.  Nouns: builtin. */
enum err builtin_install(struct db *, struct arena *, const struct conf *,
    struct builtin_report *) MUST_CHECK;

/*
 * Queue jobs that remove the copies of a voice, or of all voices of an account (id
 * NULL), from the servers of engines.  In the caller's transaction, before the voice is
 * dropped.  Nouns: voice_copies.
 */
enum err voice_copies_forget(struct db *, struct arena *, const struct conf *,
    const char *account, const char *id) MUST_CHECK;

#endif
