/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MT_H
#define SPEECH_MT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/field.h"
#include "speech/at.h"

/*
 * Machine translation. An engine is one constant table; each call passes its address
 * and settings. Any thread may call any function.
 */

/* A term of a glossary at its place in a text. */
struct mt_term {
	size_t at, len;     /* the bytes of the text that it covers */
	const char *target; /* its exact translation */
	/* true for a complete phrase, false for a noun or verb of the sentence */
	bool phrase;
	bool name; /* replace the term by an unknown word in the engine's input */
	bool own;  /* send its own words: they decide the form of other words */
};

/* One sentence or phrase in UTF-8, written like printed text: engines translate it
   better if it begins with a capital and ends with a full stop. */
struct mt_text {
	const char *text;
	const char *from, *to;       /* codes in lower case */
	const struct mt_term *terms; /* in order, without overlaps */
	size_t nterms;
	/* For engines that use the context of a text: */
	const char *title;  /* title of the event, or NULL */
	struct list before; /* previous texts, const char *, the oldest first */
	/* time limit from now, but see mt_engine.own_time; 0: the engine's */
	int64_t timeout_ms;
	/* Called during long waits, on the caller's thread: true when the answer is no
	   longer wanted.  NULL: it is wanted. */
	bool (*unwanted)(void *arg);
	void *arg;
};

struct mt_pair {
	const char *from, *to;
};

#define MT_TEXT_BYTES 8192 /* longest text */
#define MT_BEFORE 4        /* previous texts at most */

struct mt_engine {
	bool waits; /* pairs() may have to wait for a server or a file */
	/*
	 * True: the time to wait and to start does not count. timeout_ms begins when
	 * the engine begins with the text, and at->timeout_ms is processor time. Each
	 * of two steps has the whole time.
	 */
	bool own_time;
	/* True if the engine translates between exactly these codes, whose bases
	   differ. */
	bool (*pairs)(const struct engine_at *, const char *from, const char *to);
	/*
	 * Translate a text without control characters between codes for which pairs()
	 * is true. Set *guarded to false, and no *out, if a term was lost.
	 */
	enum err (*translate)(const struct engine_at *, struct arena *,
	    const struct mt_text *, const char **out, bool *guarded) MUST_CHECK;
	/*
	 * List the present pairs, struct mt_pair, not limited by at->languages; a
	 * server is asked again when its answer is old. Engines for any pair list every
	 * source language with every target of the API. Not OK: the engine has never
	 * answered.
	 */
	enum err (*list)(
	    const struct engine_at *, struct arena *, struct list *) MUST_CHECK;
	/* mt_warm() between codes for which pairs() is true; NULL: not needed. */
	void (*warm)(const struct engine_at *, const char *from, const char *to,
	    void (*warmed)(void *), void *arg);
	/* True if it translates word by word: common phrases are passed to it as terms.
	 */
	bool phrases;
};

/*
 * True if this engine can translate the pair. Codes are in lower case. Both are tried
 * unchanged, then with the target's base, the source's base, and both bases.
 * at->languages, a list of codes or bases, must contain both sides. Also true for two
 * codes of one base, whose text is passed on unchanged, and with at->pivot for two
 * pairs with a language in between that at->languages allows.
 */
bool mt_pairs(const struct mt_engine *, const struct engine_at *, const char *from,
    const char *to);
/*
 * mt_list_pairs() asks the engine for its pairs: a sorted list of struct mt_pair, in
 * the arena; errors as list(). mt_pairs_known() is mt_pairs() by such a list, without
 * asking. *via: the language in between, a literal, or NULL.
 */
enum err mt_list_pairs(const struct mt_engine *, const struct engine_at *,
    struct arena *, struct list *) MUST_CHECK;
bool mt_pairs_known(const struct engine_at *, const struct list *known,
    const char *from, const char *to, const char **via);

/*
 * Start in the background all that makes the first sentence of a pair slow. warmed(arg)
 * is called once, from any thread, maybe before this returns: when the engine has
 * answered once between these languages, or has nothing to do, or fails. A failure is
 * logged; the first sentence will report it again.
 */
void mt_warm(const struct mt_engine *, const struct engine_at *, const char *from,
    const char *to, void (*warmed)(void *), void *arg);

/*
 * Translate a sentence; the answer is in the arena. Codes fall back as in mt_pairs().
 * Two steps share the time (but see own_time), and either may fail. Between two codes
 * of one base the text is unchanged except for its terms. If the text begins with a
 * capital, a term that begins the translation gets a capital. *guarded is false when
 * the engine lost a term: then *out was translated without any terms, and the caller
 * must warn.
 *
 * ERR_UNSUPPORTED: not this pair; ERR_LIMIT: over MT_TEXT_BYTES; ERR_TIMEOUT: no answer
 * in time; ERR_BUSY: not now; ERR_REFUSED: the engine refused, or the answer is no
 * longer wanted; ERR_FAILED. All errors but ERR_LIMIT and ERR_UNSUPPORTED have been
 * logged.
 */
enum err mt_translate(const struct mt_engine *, const struct engine_at *,
    struct arena *, const struct mt_text *, const char **out, bool *guarded) MUST_CHECK;

#endif
