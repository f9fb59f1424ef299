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
#include "speech/mt_quality.h"
#include "speech/tts.h"

/*
 * The engines of the real-time interfaces, in the order of the settings, and their
 * state: an engine that failed too often is paused. Any thread may call any function.
 * Languages are spelt in any way: "es_MX" is "es-mx".
 */
struct registry;

/* An engine in one of the three lists; lives as long as the registry. */
struct registry_engine {
	struct engine_at at;
	const struct asr_engine *asr; /* exactly one of these three is set */
	const struct mt_engine *mt;
	const struct tts_engine *tts;
	const struct conf_voice *voices;
	/*
	 * True if it is the server of speech.clone or speech.external: the names of
	 * cloned voices are known there.
	 */
	bool holds_own, holds_external;
};

/*
 * Build the registry from speech.asr, speech.mt, speech.tts and the sections
 * [engine.ID]; the settings are copied. ERR_REFUSED: an id without a section, a kind
 * that cannot do this, or an HTTP engine without an address; logged.
 */
enum err registry_new(const struct conf *, struct registry **) MUST_CHECK;
/* Add a reference: the engines live until all references are dropped. */
struct registry *registry_hold(struct registry *);
void registry_drop(struct registry *); /* drop a reference; NULL is allowed */

/*
 * Ask each engine whose pairs of languages are not known for them. False: an engine has
 * never answered; it counts as having no pairs. Before the first call, each function
 * below asks by itself and may wait. After it, they use the stored answers.
 */
bool registry_discover(struct registry *);

/* ---- what the engines serve, paused or not ---- */

/* True if that language can be a source: a language of LS or GS, or one of its regions
   in LT, that an engine knows; or "auto" if there is any engine. */
bool registry_recognizes(const struct registry *, const char *lang);
/* True if the target, of LT, can be reached; two codes of one base always can. */
bool registry_pairs(const struct registry *, const char *from, const char *to);
bool registry_speaks(const struct registry *, const char *lang);

/* ---- choosing an engine ---- */

struct registry_want {
	/* id of the engine to try first, if it is suitable; other ids, "auto" and NULL
	   are ignored */
	const char *model;
	/* the engine that has just failed: get the next one; NULL: get the first */
	const struct registry_engine *after;
	int64_t now_us; /* monotonic_us() */
	/* ways that registry_way() has returned or left out so far; 0: none */
	size_t tried;
};

/*
 * Returns the first suitable engine of the list that is not paused; NULL: none.
 * (Between two codes of one base no engine is needed, as the text is not changed.)
 */
const struct registry_engine *registry_asr(
    struct registry *, const char *lang, const struct registry_want *);
const struct registry_engine *registry_mt(
    struct registry *, const char *from, const char *to, const struct registry_want *);
const struct registry_engine *registry_tts(
    struct registry *, const char *lang, const struct registry_want *);

/*
 * Speak with an engine of speech.tts, as tts_engine.synthesize() does. All voices are
 * equally loud, see voice_level.h.
 */
enum err registry_speak(struct registry *, const struct registry_engine *,
    struct arena *, const struct tts_text *, tts_sink *, void *) MUST_CHECK;

/*
 * A way to translate: one engine, or two engines with a language in between. The engine
 * that the task wants comes first, if it has the pair. The others follow in the order
 * of speech.mt, but a measured way comes before worse measured ways. With
 * speech.best_first off only the order counts. Two engines are used where both steps
 * were measured; with speech.pivot also where no engine has the pair.
 */
struct registry_way {
	const struct registry_engine *engine, *second; /* second: NULL for one engine */
	/*
	 * language in between, a literal; NULL: none, or the engine chooses it itself
	 */
	const char *via;
	struct mt_quality quality;
};

/*
 * Get the next way without a paused engine; false: there is none. Counts want->tried.
 * Ways with a useless quality are left out, unless speech.any_quality is on.
 */
bool registry_way(struct registry *, const char *from, const char *to,
    struct registry_want *want, struct registry_way *);

/*
 * The result of a call. ERR_BUSY, ERR_TIMEOUT and ERR_FAILED are failures. The fifth
 * failure within 60 s, and each further one, pauses the engine for 30 s, for this
 * language or pair only. The 60 s do not count the duration of the last four failed
 * calls, so that an engine that fails slowly is paused like one that fails at once.
 */
struct registry_call {
	const struct registry_engine *engine;
	const char *from, *to; /* as requested; to: NULL except for translation */
	enum err how;
	int64_t took_us; /* duration of the call; 0: unknown */
};
void registry_report(struct registry *, const struct registry_call *, int64_t now_us);

/* Returns the engine's name of a voice, from voice.ID in its section; NULL: none. */
const char *registry_voice(const struct registry_engine *, const char *id);

/* ---- the answer of GET /languages ---- */

struct source_language {
	const char *code;
	struct list engines; /* ids of engines, const char *, in the order of use */
	bool detect;         /* true if one of them detects the language */
};

struct target_language {
	const char *code;
	bool speech;
	struct list voices;  /* names of voices, const char * */
	struct list engines; /* engines that speak it, const char * */
};

struct language_pair {
	const char *source, *target;
	const char *engine;  /* id of the engine; NULL: none is needed */
	const char *via;     /* the language in between, or NULL */
	const char *second;  /* id of the engine of the second step; NULL: the same */
	const char *quality; /* "good", "fair", "poor"; NULL: not measured */
	const char *measure; /* the name of the measure, or NULL */
};

struct languages {
	struct list source; /* struct source_language */
	struct list target; /* struct target_language with at least one source */
	struct list pairs;  /* struct language_pair */
};

/*
 * Returns all languages and pairs for which the three functions above return true, in
 * the order of the codes. The ids belong to the registry, the rest lives in the arena.
 * Calls registry_discover() first.
 */
struct languages registry_languages(struct registry *, struct arena *);

#endif
