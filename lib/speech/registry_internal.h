/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_REGISTRY_INTERNAL_H
#define SPEECH_REGISTRY_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "speech/registry.h"
#include "speech/voice_level.h"

/* Shared by the files of the registry; private to them. */
enum engine_list { LIST_ASR, LIST_MT, LIST_TTS, LISTS };

struct engines {
	struct registry_engine *e; /* engines in the order of the settings */
	size_t n;
};

struct health;
struct registry_discovery; /* the learnt pairs of engines of speech.mt */

struct registry {
	struct arena *mem;
	atomic_int users;
	struct engines list[LISTS];
	struct health **health[LISTS]; /* failures of each engine */
	pthread_mutex_t lock;          /* guards health, and mem once it is built */
	struct registry_discovery *discovery;
	struct voice_levels *levels;
	/* speech.pivot; not speech.best_first; speech.any_quality */
	bool pivot, listed, any_quality;
};

/* Returns the engine with that id; NULL: the list does not have it. */
const struct registry_engine *registry_named(const struct engines *, const char *id);
bool registry_is_paused(struct registry *, const struct registry_engine *,
    const char *from, const char *to, int64_t now_us);
/*
 * Get the way that is tried first while no engine is paused; codes spelt by
 * lang_spell().
 */
bool registry_first_way(
    const struct registry *, const char *from, const char *to, struct registry_way *);

/* True if the engine can recognize or speak `from`, or translate from it. */
bool registry_able(const struct registry *, const struct registry_engine *,
    const char *from, const char *to);
/*
 * True if an engine of speech.mt has the pair, by its learnt pairs, or by asking it.
 * *via: the language in between, a literal, or NULL, also when the pair was not learnt.
 */
bool registry_has(const struct registry *, const struct registry_engine *,
    const char *from, const char *to, const char **via);

#endif
