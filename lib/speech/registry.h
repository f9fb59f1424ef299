/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_REGISTRY_H
#define SPEECH_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/field.h"
#include "speech/asr.h"
#include "speech/at.h"
#include "speech/mt.h"
#include "speech/tts.h"

/*
 * The engines of the real-time interfaces, as the settings list them, and their state:
 * one that failed too often is paused.  Any thread may call anything.  Languages are
 * spelt in any way: "es_MX" is "es-mx".
 */
struct registry;

/* An engine in one of the three lists; lives as long as the registry. */
struct registry_engine {
	struct engine_at at;
	const struct asr_engine *asr; /* of these three, one is not NULL */
	const struct mt_engine *mt;
	const struct tts_engine *tts;
	const struct conf_voice *voices;
	/*
	 * It is the server of speech.clone or speech.external: names of cloned voices
	 * are known there.
	 */
	bool holds_own, holds_external;
};

/*
 * Build it from speech.asr, speech.mt, speech.tts and the sections [engine.ID]; the
 * settings are copied.  ERR_REFUSED: an id without a section, a kind that cannot do
 * this, an HTTP engine without an address; logged.
 */
enum err registry_new(const struct conf *, struct registry **) MUST_CHECK;
/* Add a reference: the engines live until all references are dropped. */
struct registry *registry_hold(struct registry *);
void registry_drop(struct registry *); /* NULL is fine */

/*
 * Ask the engines that have to be asked for their pairs.  From then on the functions
 * below use these answers, and only this call waits for engines; before, they are asked
 * each time.  False: one of them does not answer, and never has; it has no pairs.
 */
bool registry_learn(struct registry *);

/* ---- what the engines serve, paused or not ---- */

/* True if that language can be a source: one of LS, GS or of their regions in LT that
   an engine knows; or "auto", when there is any. */
bool registry_hears(const struct registry *, const char *lang);
/* True if the target, of LT, can be reached; two codes of one base always can. */
bool registry_pairs(const struct registry *, const char *from, const char *to);
bool registry_speaks(const struct registry *, const char *lang);

/* ---- choosing an engine ---- */

struct registry_want {
	const char *model; /* the id of the engine that is tried first, if it is able;
			      other ids, "auto" and NULL are ignored */
	const struct registry_engine
	    *after; /* the engine that has just failed: get the next; NULL: the first */
	int64_t now_us; /* monotonic_us() */
};

/*
 * The first engine of the list that is able and not paused; NULL: none. (Between two
 * codes of one base no engine is needed: the text stays as it is.)
 */
const struct registry_engine *registry_asr(
    struct registry *, const char *lang, const struct registry_want *);
const struct registry_engine *registry_mt(
    struct registry *, const char *from, const char *to, const struct registry_want *);
const struct registry_engine *registry_tts(
    struct registry *, const char *lang, const struct registry_want *);

/*
 * The result of a call.  ERR_BUSY, ERR_TIMEOUT and ERR_FAILED are failures: the fifth
 * within 60 s, and each further one, pauses the engine for 30 s, for this language or
 * pair only.  The time that the last four of them took is not part of those 60 s: an
 * engine that fails slowly is no better than one that fails at once.
 */
struct registry_call {
	const struct registry_engine *engine;
	const char *from, *to; /* as requested; to: NULL except for translation */
	enum err how;
	int64_t took_us; /* 0: it is not known */
};
void registry_tell(struct registry *, const struct registry_call *, int64_t now_us);

/* The engine's name of a voice, from voice.ID in its section; NULL: none. */
const char *registry_voice(const struct registry_engine *, const char *id);

/* ---- the answer of GET /languages ---- */

struct source_language {
	const char *code;
	struct list engines; /* const char *, ids, the first is asked first */
	bool detect;         /* one of them detects the language */
};

struct target_language {
	const char *code;
	bool speech;
	struct list voices;  /* const char * */
	struct list engines; /* const char *: those that speak it */
};

struct language_pair {
	const char *source, *target;
	const char *engine; /* id; NULL: none is needed */
	const char *via;    /* the language in between, or NULL */
};

struct languages {
	struct list source; /* struct source_language */
	struct list target; /* struct target_language: with a source */
	struct list pairs;  /* struct language_pair */
};

/*
 * All that the three functions above return true for, in the order of the codes; the
 * ids are the registry's, the rest lives in the arena.  Calls registry_learn() first.
 */
struct languages registry_languages(struct registry *, struct arena *);

#endif
