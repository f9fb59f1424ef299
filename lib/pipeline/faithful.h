/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_FAITHFUL_H
#define PIPELINE_FAITHFUL_H

#include "speech/mt.h"

/*
 * A translation that keeps names, numbers and negations with any engine. An engine
 * that translates word by word gets names, dates and numbers as terms; any other engine
 * gets the names as terms in a second try, if its first answer lacks a name. If the
 * answer lost or added a negation, the text is translated again, first without these
 * terms, then without the built-in phrases.
 */
struct faithful {
	/* speakers of the event, const char *; set by the caller */
	const struct list *speakers;
	/* as mt_translate() returns it: the terms of the text were kept */
	bool guarded;
	bool negated; /* true if a negation is in only one of text and answer */
};

/* As phrases_translate(), but keeps names, numbers and negations. */
enum err faithful_translate(const struct mt_engine *, const struct engine_at *,
    struct arena *, const struct mt_text *, const char **out,
    struct faithful *) MUST_CHECK;

#endif
