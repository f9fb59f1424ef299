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
 * Speech to text.  An engine is one constant table; a recogniser is opened for
 * one stream and hears one phrase after another:
 *
 *	open ─▶ feed ... feed ─▶ finish ─▶ feed ... ─▶ close
 *	         └─ partial ─┘   └ or drop
 *
 * A recogniser may be used from any thread, by one at a time; different ones at
 * the same time.  Nothing of it grows with the number of phrases.
 *
 * Language codes are compared without regard to case, `_` is `-`, and a code the
 * engine does not have is tried by its base ("en-gb" is then "en").
 */
#define ASR_RATE_HZ 16000
#define ASR_PHRASE_MAX_S 32 /* of sound in a phrase; more is not heard */

enum {                  /* asr_engine.can */
	ASR_STREAM = 1, /* partial() does not wait; else it sends the phrase so far
			   and waits for an answer */
	ASR_DETECT = 2, /* tells the language; others take one of the candidates */
	ASR_HINTS = 4,  /* listens for asr_want.hints */
	ASR_SURE = 16,  /* finish() tells the confidence */
	ASR_WORDS = 8,  /* partial() costs nothing and has words with their times */
};

/* Is copied by open(). */
struct asr_want {
	const char *lang;       /* a code, or "auto" */
	struct list candidates; /* of const char *, with auto; none: any */
	struct list hints;      /* of const char *: terms that are likely */
	/* The same, of the event; for engines that learn words, not those that are
	   prompted: names of its speakers; titles, of itself and its sessions. */
	struct list names, titles;
	bool instead; /* of another that closes soon: it is not refused for asr_limit()
		       */
};

struct heard_word {
	const char *text;
	int64_t start_us; /* from the phrase's first sample */
	int64_t end_us;
};

/* What was heard; it lives in the arena of the call. */
struct heard {
	const char *text;  /* UTF-8; "": no words */
	const char *lang;  /* the code that was asked for, as it was spelt; with auto
			      the detected code or, when that is not known, the
			      first candidate */
	struct list words; /* of struct heard_word, in order; may be empty */
	double confidence; /* mean of the words of a finished phrase, above 0, at most
			      1; 0: the engine does not say */
};

struct asr; /* one open recogniser */

struct asr_engine {
	unsigned can; /* ASR_... */
	/*
	 * Whether that language can be recognised: by this kind, and allowed by
	 * at->languages.  "auto" always can.  Asks no server.
	 */
	bool (*knows)(const struct engine_at *, const char *lang);
	/*
	 * A recogniser for one stream; *at and what it points to is borrowed until
	 * close().  ERR_UNSUPPORTED: not this language, or what the engine needs is
	 * not installed; ERR_LIMIT: no more than asr_limit(); ERR_FAILED.
	 */
	enum err (*open)(const struct engine_at *, const struct asr_want *,
	    struct asr **) MUST_CHECK;
	/*
	 * More of the phrase, at ASR_RATE_HZ, mono; the first call after open(),
	 * finish() or drop() begins one.  Takes less than 50 ms for 320 ms of sound.
	 * ERR_FAILED: the phrase cannot be heard; drop it.
	 */
	enum err (*feed)(struct asr *, const int16_t *, size_t n) MUST_CHECK;
	/*
	 * What the phrase says so far; it may be revised later.  Not to be called
	 * where it is not read: it costs requests to engines behind HTTP.  Errors as
	 * of finish(), but the phrase goes on after any.
	 */
	enum err (*partial)(struct asr *, struct arena *, struct heard *) MUST_CHECK;
	/*
	 * End the phrase; whatever the answer, the recogniser is ready for the
	 * next.  Nothing was fed, or nothing was said: OK with no words.
	 * ERR_REFUSED: the engine said no, or what it said is no answer; ERR_BUSY:
	 * not now (408, 429, 5xx); ERR_TIMEOUT: unreachable or silent; ERR_FAILED.
	 */
	enum err (*finish)(struct asr *, struct arena *, struct heard *) MUST_CHECK;
	void (*drop)(struct asr *);  /* forget the phrase, if there is one */
	void (*close)(struct asr *); /* NULL is fine */
	/*
	 * As finish(), but the phrase ends before its sample *at, at the boundary
	 * between words that is nearest; *at is then that boundary.  What was fed
	 * behind it comes again as the next phrase's.  NULL: there is no such way, so
	 * the caller drops the phrase, feeds what is before *at again and finishes it.
	 */
	enum err (*finish_at)(
	    struct asr *, size_t *at, struct arena *, struct heard *) MUST_CHECK;
};

/*
 * For engines: the language to listen for, in the arena: the one that is wanted; with
 * auto the first candidate that the engine knows, else its first.  NULL: it cannot.
 */
const char *asr_choose(struct arena *, const struct asr_engine *,
    const struct engine_at *, const struct asr_want *);
/* For engines: the codes among these that it can listen for, copied into the arena. */
struct list asr_candidates(struct arena *, const struct asr_engine *,
    const struct engine_at *, const struct list *);

/*
 * Have n decoders of pocketsphinx loaded before they are needed, and from then on
 * keep up to n (one, if this is never called; at most ASR_POOL_MAX) when nobody
 * uses them.  Loading one takes some hundred milliseconds and 100 MB.  Errors as
 * of open().
 */
#define ASR_POOL_MAX 64
enum err asr_warm(const struct engine_at *, int n) MUST_CHECK;
/* Free the decoders that are not in use. */
void asr_cool(void);
/*
 * So many streams of pocketsphinx may have decoders that learnt the words of their
 * event; 0, as at first: none.  Such a decoder is loaded beside the stream, which goes
 * on without it, and is used from the next phrase on; it takes a further 115 MB.
 */
void asr_tuned_limit(int n);
/* Whether a stream keeps such a decoder while the host is too slow for it; for tests.
 */
void asr_tuned_patient(bool);
void asr_tuned_await(void); /* until none is being loaded; for tests */
/* Of pocketsphinx so many recognisers may be open at a time; 0, as at first: any. */
void asr_limit(int n);

#endif
