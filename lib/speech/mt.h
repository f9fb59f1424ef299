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
 * Machine translation.  An engine is one constant table; where it is and what it
 * is to be used for is told to it at each call.  Any thread may call anything.
 */

/* A term of a glossary where it stands in a text. */
struct mt_term {
	size_t at, len;     /* the bytes of the text that it covers */
	const char *target; /* what stands there in the translation, exactly */
	bool phrase;        /* it stands for itself: no noun, no verb of the sentence */
};

/* One sentence or phrase, UTF-8, as a reader would write it: engines translate
   better what begins with a capital and ends with a full stop. */
struct mt_text {
	const char *text;
	const char *from, *to;       /* codes in lower case */
	const struct mt_term *terms; /* in order, none overlaps another */
	size_t nterms;
	/* For engines that read what a text stands in: */
	const char *title;  /* of the event, or NULL */
	struct list before; /* of const char *: texts before it, the oldest first */
	int64_t timeout_ms; /* from now, or see mt_engine.own_time; 0: the engine's */
	/* Asked while an engine waits long: is the answer unwanted by now?  On the
	   thread of the caller; NULL: somebody is. */
	bool (*unwanted)(void *arg);
	void *arg;
};

struct mt_pair {
	const char *from, *to;
};

#define MT_TEXT_BYTES 8192 /* of a text, at most */
#define MT_BEFORE 4        /* texts that are told, at most */

struct mt_engine {
	bool waits; /* pairs() may have to wait, for a server or a file */
	/*
	 * Neither waiting for its turn nor its start counts against a text's time:
	 * timeout_ms begins when it begins with the text, and at->timeout_ms is of
	 * processor time.  Of two steps each has the whole of it.
	 */
	bool own_time;
	/* Whether it translates between exactly these codes, whose bases differ. */
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
	 * at->languages; a server is asked anew when its answer is old.  Those that
	 * take any pair list every language that is spoken with every target of the
	 * API.  Not OK: it does not answer, and never has.
	 */
	enum err (*list)(
	    const struct engine_at *, struct arena *, struct list *) MUST_CHECK;
	/* mt_warm() between codes that pairs() agreed to; NULL: nothing to be done. */
	void (*warm)(const struct engine_at *, const char *from, const char *to,
	    void (*told)(void *), void *arg);
	/* It translates word by word: common phrases are better told to it as terms. */
	bool phrases;
};

/*
 * Whether this engine can be asked for the pair.  Codes are in lower case.  Tried
 * are both as they are, then the target's base, the source's, both bases.
 * at->languages narrows it: a list of codes or bases, of which both sides have
 * to be.  True, too, for two codes of one base: that text passes unchanged.  With
 * at->pivot also where two pairs lead, with a language in between that the engine may
 * be used for.
 */
bool mt_pairs(const struct mt_engine *, const struct engine_at *, const char *from,
    const char *to);
/*
 * The same without asking it, by what mt_learn() was told some time ago: a list of
 * struct mt_pair, in an order of its own, in the arena.  Errors of mt_learn() are
 * those of list().  *via: the language in between, a literal, or NULL.
 */
enum err mt_learn(const struct mt_engine *, const struct engine_at *, struct arena *,
    struct list *) MUST_CHECK;
bool mt_pairs_known(const struct engine_at *, const struct list *known,
    const char *from, const char *to, const char **via);

/*
 * What makes the first sentence of a pair slow is done in the background.  told(arg) is
 * called once, from any thread, maybe before this returns: as soon as the engine has
 * answered once between these languages, or there is nothing to be done, or it fails,
 * which is logged, and is the first sentence's to find out.
 */
void mt_warm(const struct mt_engine *, const struct engine_at *, const char *from,
    const char *to, void (*told)(void *), void *arg);

/*
 * Translate a sentence; the answer is in the arena.  Codes fall back as in
 * mt_pairs(), and where two pairs lead both have the time together (but see own_time)
 * and either may fail; between two codes of one base the text passes unchanged but for
 * its terms.  A term that opens the translation of a text that begins with a capital
 * gets one as well.  *guarded is false when the engine lost one of the terms:
 * then *out was translated without any, which is the caller's to warn of.
 *
 * ERR_UNSUPPORTED: not this pair; ERR_LIMIT: over MT_TEXT_BYTES; ERR_TIMEOUT: no
 * answer in time; ERR_BUSY: not now; ERR_REFUSED: the engine said no, or the
 * answer is unwanted; ERR_FAILED. All but OK, ERR_LIMIT and ERR_UNSUPPORTED have been
 * logged.
 */
enum err mt_translate(const struct mt_engine *, const struct engine_at *,
    struct arena *, const struct mt_text *, const char **out, bool *guarded) MUST_CHECK;

#endif
