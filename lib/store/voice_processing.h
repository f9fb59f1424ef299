#ifndef STORE_VOICE_PROCESSING_H
#define STORE_VOICE_PROCESSING_H

#include "store/voices.h"

/*
 * The making of a voice:
 *
 *	created --recording arrives--> pending --engines--> ready
 *	   +--------- no file in time, or refused --------> failed
 */
struct voice_processing {
	const char *id, *account, *name, *description, *status, *lang;
	bool hidden, denoise, normalise;
	const char *sample;         /* blob of the recording */
	const char *own_voice;      /* of our cloning engine, or NULL */
	const char *external_voice; /* at the external provider, or NULL */
	const char *warnings;       /* problem lines */
};

extern const struct sql voice_processing_sql[];

/* created -> pending; ERR_NOT_FOUND: deleted, or not created any more. */
enum err voice_arrived(struct db *, const char *id) MUST_CHECK;
enum err voice_making(
    struct db *, struct arena *, const char *id, struct voice_processing *) MUST_CHECK;
/* pending -> ready, with what the engines made; ERR_NOT_FOUND: deleted meanwhile. */
enum err voice_ready(struct db *, const struct voice_processing *) MUST_CHECK;
/* created or pending -> failed, for these reasons; the same. */
enum err voice_failed(struct db *, const char *id, const char *errors) MUST_CHECK;
/* A list of struct making: created before then and still waiting for the file. */
enum err voice_late(
    struct db *, struct arena *, int64_t before_us, int n, struct list *) MUST_CHECK;

/*
 * One maker of a TTS sample at a time.  until_us tells locks apart, and ends
 * one whose maker was killed.  ERR_CONFLICT: another one is at work.
 */
enum err voice_lock(struct db *, const char *id, int64_t until_us) MUST_CHECK;
enum err voice_unlock(struct db *, const char *id, int64_t until_us) MUST_CHECK;

/* The sample's blob must be there already. */
enum err sample_add(struct db *, const struct tts_sample *) MUST_CHECK;
/* Remove a voice's samples and their blobs. */
enum err sample_drop_all(
    struct db *, const char *account, const char *voice) MUST_CHECK;

#endif
