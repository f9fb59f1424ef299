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
#define ASR_PHRASE_MAX_S 32 /* of sound in a phrase; more is ignored */

enum {                  /* asr_engine.can */
	ASR_STREAM = 1, /* partial() does not wait; else it sends the phrase so far
			   and waits for an answer */
	ASR_DETECT = 2, /* detects the language; others use one of the candidates */
	ASR_HINTS = 4,  /* uses asr_want.hints */
	ASR_SURE = 16,  /* finish() has the confidence */
	ASR_WORDS = 8,  /* partial() costs nothing and has words with their times */
};

/* open() copies it. */
struct asr_want {
	const char *lang;       /* a code, or "auto" */
	struct list candidates; /* of const char *, with auto; none: any */
	struct list hints;      /* of const char *: terms that are likely */
	/*
	 * Also likely, but only for engines that learn words, not for prompts: names of
	 * the event's speakers, titles of the event and its sessions.
	 */
	struct list names, titles;
	bool instead; /* it replaces one that closes soon: asr_limit() does not apply */
};

struct heard_word {
	const char *text;
	int64_t start_us; /* from the phrase's first sample */
	int64_t end_us;
};

/* A recognized text, in the arena of the call. */
struct heard {
	const char *text; /* UTF-8; "": no words */
	const char *lang; /* the requested code, as it was spelt; with auto the detected
			     code or, if that is unknown, the first candidate */
	struct list words;   /* of struct heard_word, in order; may be empty */
	double confidence;   /* mean of the words of a finished phrase, above 0, at most
				1; 0: unknown */
	const char *foreign; /* the language that was spoken instead of lang; NULL: it
				is lang, or the engine cannot say */
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
	 * finish() or drop() begins one.  Takes less than 50 ms for 320 ms of sound.
	 * ERR_FAILED: the phrase cannot be recognized; drop it.
	 */
	enum err (*feed)(struct asr *, const int16_t *, size_t n) MUST_CHECK;
	/*
	 * The text of the phrase so far; it may change later.  Call it only to use the
	 * text: engines behind HTTP send requests for it.  Errors as of finish(), but
	 * the phrase continues after any.
	 */
	enum err (*partial)(struct asr *, struct arena *, struct heard *) MUST_CHECK;
	/*
	 * End the phrase; after any result the recognizer is ready for the next.
	 * Without sound, or without speech: OK and no words.  ERR_REFUSED: the engine
	 * refused, or its answer is invalid; ERR_BUSY: not now (408, 429, 5xx);
	 * ERR_TIMEOUT: unreachable or silent; ERR_FAILED.
	 */
	enum err (*finish)(struct asr *, struct arena *, struct heard *) MUST_CHECK;
	void (*drop)(struct asr *);  /* discard the phrase, if there is one */
	void (*close)(struct asr *); /* NULL is fine */
	/*
	 * As finish(), but the phrase ends before its sample *at, at the boundary
	 * between words that is nearest; *at is then that boundary.  The caller feeds
	 * the sound behind it again as the next phrase's.  NULL: not supported; the
	 * caller drops the phrase, feeds the sound before *at again and finishes that.
	 */
	enum err (*finish_at)(
	    struct asr *, size_t *at, struct arena *, struct heard *) MUST_CHECK;
};

/*
 * For engines: the language to recognize, in the arena: the requested one; with auto
 * the first candidate that the engine knows, else its first.  NULL: none.
 */
const char *asr_choose(struct arena *, const struct asr_engine *,
    const struct engine_at *, const struct asr_want *);
/* For engines: the codes among these that it can recognize, copied into the arena. */
struct list asr_candidates(struct arena *, const struct asr_engine *,
    const struct engine_at *, const struct list *);

/* For engines that are prompted: as many of the hints as a prompt has room for. */
const char *asr_join_hints(struct arena *, const struct list *hints);
/* Keep the last words of a text, as many as there is room for; of "" nothing. */
#define ASR_BEFORE_BYTES 400
void asr_keep_before(char before[ASR_BEFORE_BYTES], const char *text);
/* The hints, then the last text, which the phrase is likely to continue. */
const char *asr_prompt(struct arena *, const char *hints, const char *before);

/*
 * Load n decoders of pocketsphinx before they are needed, and from then on keep up to n
 * unused ones (one, if this is never called; at most ASR_POOL_MAX).  Loading one takes
 * some hundred milliseconds and 100 MB.  Errors as of open().
 */
#define ASR_POOL_MAX 64
enum err asr_warm(const struct engine_at *, int n) MUST_CHECK;
/* Free the decoders that are not in use. */
void asr_cool(void);
/*
 * Limit the streams of pocketsphinx whose decoders have learnt the words of their
 * event; 0, as at first: none.  Such a decoder is loaded in the background and used
 * from the next phrase on; it takes another 115 MB.
 */
void asr_tuned_limit(int n);
/* Set whether a stream keeps such a decoder if the host is too slow for it; for
   tests. */
void asr_tuned_patient(bool);
void asr_tuned_await(void); /* until none is being loaded; for tests */
/* Limit the open recognizers of pocketsphinx; 0, as at first: no limit. */
void asr_limit(int n);

#endif
