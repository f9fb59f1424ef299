/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_H
#define SPEECH_ASR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/field.h"

#include "speech/at.h"

/*
 * Speech to text.  An engine is one constant table; a recognizer is opened for one
 * stream and recognizes one phrase after another:
 *
 *	open ─▶ feed ... feed ─▶ finish ─▶ feed ... ─▶ close
 *	         └─ partial ─┘   └ or drop
 *
 * A recognizer may be used from any thread, by one at a time; different ones in
 * parallel.  Its memory does not grow with the number of phrases.
 *
 * Language codes are compared without regard to case, `_` is `-`, and a code the
 * engine does not have is tried by its base ("en-gb" is then "en").
 */
#define ASR_RATE_HZ 16000
#define ASR_PHRASE_MAX_S 32 /* seconds of sound in a phrase; more is ignored */

enum { /* bits of asr_engine.can */
	/*
	 * partial() does not wait; else it sends the phrase so far and waits for an
	 * answer
	 */
	ASR_STREAM = 1,
	ASR_DETECT = 2, /* detects the language; others use one of the candidates */
	ASR_HINTS = 4,  /* uses asr_want.hints */
	ASR_SURE = 16,  /* finish() has the confidence */
	ASR_WORDS = 8,  /* partial() is quick and reports the times of words */
};

/* The wishes of a stream. open() copies them. */
struct asr_want {
	const char *lang; /* a code, or "auto" */
	/* codes to choose from with "auto", const char *; none: any */
	struct list candidates;
	struct list hints; /* likely terms, const char * */
	/*
	 * More likely terms, for engines that learn words, not for prompts: names of
	 * the event's speakers, titles of the event and its sessions.
	 */
	struct list names, titles;
	/*
	 * true if the stream replaces a recognizer that closes soon: asr_limit() does
	 * not apply
	 */
	bool instead;
};

struct asr_word {
	const char *text;
	int64_t start_us; /* from the phrase's first sample */
	int64_t end_us;
};

/* A recognized text, in the arena of the call. */
struct asr_result {
	const char *text; /* UTF-8; "": no words */
	/* the requested code as it was spelt; with "auto", the detected code or, if
	   that is unknown, the first candidate */
	const char *lang;
	struct list words; /* struct asr_word, in order; may be empty */
	/* mean of the words of a finished phrase, above 0, at most 1; 0: unknown */
	double confidence;
	/* by how much the sounds of another language would fit a finished
	   phrase better, in nats a frame of 10 ms; 0: unknown */
	double misfit;
	/*
	 * the language that was spoken instead of lang; NULL: lang was spoken, or the
	 * engine cannot detect it
	 */
	const char *foreign;
};

struct asr; /* one open recognizer */

struct asr_engine {
	unsigned can; /* ASR_... */
	/*
	 * True if this kind recognizes that language and at->languages allows it.
	 * Always true for "auto".  Sends no request.
	 */
	bool (*knows)(const struct engine_at *, const char *lang);
	/*
	 * Open a recognizer for one stream; *at and its texts are borrowed until
	 * close().  ERR_UNSUPPORTED: not this language, or parts of the engine are not
	 * installed; ERR_LIMIT: asr_limit() is reached; ERR_FAILED.
	 */
	enum err (*open)(const struct engine_at *, const struct asr_want *,
	    struct asr **) MUST_CHECK;
	/*
	 * Add sound to the phrase, at ASR_RATE_HZ, mono; the first call after open(),
	 * finish() or drop() begins a phrase. Takes less than 50 ms for 320 ms of
	 * sound. ERR_FAILED: the phrase cannot be recognized; drop it.
	 */
	enum err (*feed)(struct asr *, const int16_t *, size_t n) MUST_CHECK;
	/*
	 * The text of the phrase so far; it may change later. Call it only to use the
	 * text: engines behind HTTP send requests for it. Errors as finish(), but the
	 * phrase continues after any error.
	 */
	enum err (*partial)(
	    struct asr *, struct arena *, struct asr_result *) MUST_CHECK;
	/*
	 * End the phrase; after any result the recognizer is ready for the next.
	 * Without sound, or without speech: OK and no words.  ERR_REFUSED: the engine
	 * refused, or its answer is invalid; ERR_BUSY: not now (408, 429, 5xx);
	 * ERR_TIMEOUT: unreachable or silent; ERR_FAILED.
	 */
	enum err (*finish)(
	    struct asr *, struct arena *, struct asr_result *) MUST_CHECK;
	void (*drop)(struct asr *);  /* discard the phrase, if there is one */
	void (*close)(struct asr *); /* close the recognizer; NULL is allowed */
	/*
	 * As finish(), but end the phrase near its sample *at, at the nearest boundary
	 * between words, and set *at to that boundary. The caller feeds the sound after
	 * it again as part of the next phrase. NULL: not supported; the caller then
	 * drops the phrase, feeds the sound before *at again and finishes that phrase.
	 */
	enum err (*finish_at)(
	    struct asr *, size_t *at, struct arena *, struct asr_result *) MUST_CHECK;
};

/*
 * For engines: returns the language to recognize, in the arena: the requested one; with
 * "auto", the first candidate that the engine knows, else the engine's first language.
 * NULL: none.
 */
const char *asr_choose(struct arena *, const struct asr_engine *,
    const struct engine_at *, const struct asr_want *);
/* For engines: returns the candidates that it can recognize, copied into the arena. */
struct list asr_candidates(struct arena *, const struct asr_engine *,
    const struct engine_at *, const struct list *);

/* For engines with a prompt: returns as many of the hints as a prompt has room for. */
const char *asr_join_hints(struct arena *, const struct list *hints);
/* Keep the last words of a text, as many as the buffer has room for. */
#define ASR_BEFORE_BYTES 400
void asr_store_before(char before[ASR_BEFORE_BYTES], const char *text);
/* Returns the hints, then the last text, which the phrase is likely to continue. */
const char *asr_prompt(struct arena *, const char *hints, const char *before);

/*
 * Load n pocketsphinx decoders before they are needed, and from then on keep up to n
 * unused ones; without this call, one. n is at most ASR_POOL_MAX. Loading a decoder
 * takes some hundred milliseconds and 100 MB of memory. Errors as asr_engine.open().
 */
#define ASR_POOL_MAX 64
enum err asr_warm(const struct engine_at *, int n) MUST_CHECK;
/* Free the decoders that are not in use. */
void asr_free_idle(void);
/*
 * Let pocketsphinx streams that are opened from now on learn the words of their event,
 * or not, the default. Each has a second process for it, which is used from the next
 * phrase on.
 */
void asr_learn_words(bool);
/*
 * For tests: true lets a stream wait until it has learnt the words, and use them even
 * if the host is too slow for it.
 */
void asr_words_patient(bool);
/* Limit the open recognizers of pocketsphinx. 0, the default: no limit. */
void asr_limit(int n);

#endif
