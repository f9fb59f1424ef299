/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_FAITHFUL_H
#define PIPELINE_FAITHFUL_H

#include "speech/mt.h"

/*
 * A translation that keeps names, numbers and negations, whatever the engine.  An
 * engine that translates word by word gets names, dates and numbers as terms; any other
 * engine gets the names as terms in a second try, when its answer lacks one.  A
 * negation that was lost or made is translated again, first without these terms, then
 * without the built-in phrases.
 */
struct faithful {
	const struct list *speakers; /* set by the caller: const char *, of the event */
	bool guarded; /* mt_translate(): the terms of the text were kept */
	bool negated; /* the answer says no where the text does not, or the other way */
};

/* phrases_translate() with the above. */
enum err faithful_translate(const struct mt_engine *, const struct engine_at *,
    struct arena *, const struct mt_text *, const char **out,
    struct faithful *) MUST_CHECK;

#endif
