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
 * Machine translation.  An engine is one constant table; each call passes where it is
 * and how it is used.  Any thread may call anything.
 */

/* A term of a glossary where it stands in a text. */
struct mt_term {
	size_t at, len;     /* the bytes of the text that it covers */
	const char *target; /* the text there in the translation, exactly */
	bool phrase; /* it is a complete phrase, not a noun or verb of the sentence */
	bool name;   /* an unknown word must take its place in the engine */
	bool own;    /* its own words decide how the rest is translated */
};

/* One sentence or phrase, UTF-8, as a reader would write it: engines translate a text
   better that begins with a capital and ends with a full stop. */
struct mt_text {
	const char *text;
	const char *from, *to;       /* codes in lower case */
	const struct mt_term *terms; /* in order, none overlaps another */
	size_t nterms;
	/* For engines that use the context of a text: */
	const char *title;  /* of the event, or NULL */
	struct list before; /* of const char *: texts before it, the oldest first */
	int64_t timeout_ms; /* from now, or see mt_engine.own_time; 0: the engine's */
	/* Called during long waits, on the caller's thread: true when the answer is no
	   longer wanted.  NULL: it is wanted. */
	bool (*unwanted)(void *arg);
	void *arg;
};

struct mt_pair {
	const char *from, *to;
};

#define MT_TEXT_BYTES 8192 /* of a text, at most */
#define MT_BEFORE 4        /* texts of context, at most */

struct mt_engine {
	bool waits; /* pairs() may have to wait, for a server or a file */
	/*
	 * Waiting for its turn and starting do not count against a text's time:
	 * timeout_ms begins when it begins with the text, and at->timeout_ms is
	 * processor time.  Each of two steps has all of it.
	 */
	bool own_time;
	/* True if it translates between exactly these codes, whose bases differ. */
	bool (*pairs)(const struct engine_at *, const char *from, const char *to);
	/*
	 * mt_translate() in one try, of a text without control characters between
	 * codes that pairs() agreed to.  *guarded is true; false, with no *out:
	 * a term was lost.
	 */
	enum err (*translate)(const struct engine_at *, struct arena *,
	    const struct mt_text *, const char **out, bool *guarded) MUST_CHECK;
	/*
	 * The pairs it has now, a list of struct mt_pair, not narrowed by
	 * at->languages; a server is asked again when its answer is old.  Engines for
	 * any pair list every source language with every target of the API.  Not OK: it
	 * does not answer, and never has.
	 */
	enum err (*list)(
	    const struct engine_at *, struct arena *, struct list *) MUST_CHECK;
	/* mt_warm() between codes that pairs() agreed to; NULL: not needed. */
	void (*warm)(const struct engine_at *, const char *from, const char *to,
	    void (*warmed)(void *), void *arg);
	/* It translates word by word: common phrases are passed to it as terms. */
	bool phrases;
};

/*
 * True if this engine can translate the pair.  Codes are in lower case; both are tried
 * as they are, then the target's base, the source's, both bases.  at->languages, a list
 * of codes or bases, must have both sides.  Also true for two codes of one base, whose
 * text passes unchanged, and with at->pivot for two pairs with a language in between
 * that the engine may be used for.
 */
bool mt_pairs(const struct mt_engine *, const struct engine_at *, const char *from,
    const char *to);
/*
 * mt_learn() asks the engine for its pairs: a list of struct mt_pair, sorted, in the
 * arena; errors as of list().  mt_pairs_known() is mt_pairs() by such a list, without
 * asking.  *via: the language in between, a literal, or NULL.
 */
enum err mt_learn(const struct mt_engine *, const struct engine_at *, struct arena *,
    struct list *) MUST_CHECK;
bool mt_pairs_known(const struct engine_at *, const struct list *known,
    const char *from, const char *to, const char **via);

/*
 * Do in the background what makes the first sentence of a pair slow.  warmed(arg) is
 * called once, from any thread, maybe before this returns: when the engine has answered
 * once between these languages, or has nothing to do, or fails.  A failure is logged;
 * the first sentence will meet it again.
 */
void mt_warm(const struct mt_engine *, const struct engine_at *, const char *from,
    const char *to, void (*warmed)(void *), void *arg);

/*
 * Translate a sentence; the answer is in the arena.  Codes fall back as in mt_pairs().
 * Two steps share the time (but see own_time), and either may fail.  Between two codes
 * of one base the text passes unchanged but for its terms.  A term that opens the
 * translation of a text that begins with a capital gets one as well.  *guarded is false
 * when the engine lost one of the terms: then *out was translated without any term, and
 * the caller must warn.
 *
 * ERR_UNSUPPORTED: not this pair; ERR_LIMIT: over MT_TEXT_BYTES; ERR_TIMEOUT: no answer
 * in time; ERR_BUSY: not now; ERR_REFUSED: the engine refused, or the answer is
 * unwanted; ERR_FAILED. All but OK, ERR_LIMIT and ERR_UNSUPPORTED have been logged.
 */
enum err mt_translate(const struct mt_engine *, const struct engine_at *,
    struct arena *, const struct mt_text *, const char **out, bool *guarded) MUST_CHECK;

#endif
