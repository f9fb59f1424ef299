/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_SENTENCE_H
#define SPEECH_SENTENCE_H

#include "base/arena.h"

/*
 * Sets capitals and punctuation marks, by rules for each language. All texts are UTF-8,
 * in the arena.
 *
 *	ASR text -> sentence_source() -> translation -> sentence_target()
 */

/*
 * Add capitals and marks to a text without them, as some ASR engines return it:
 * capitals of "I", days, months, languages and some places. A text that ends with a
 * full stop is final. It also gets a capital at its beginning, commas after openings
 * and before closings, and a question mark if its first words ask. Texts that have
 * marks or capitals, and texts in other languages than English, are unchanged.
 */
const char *sentence_source(struct arena *, const char *lang, const char *text);

/* A translation, the code of its language in lower case, and its source. */
struct sentence_pair {
	const char *source;
	const char *to, *text;
};

/*
 * Returns the translation with the marks of its language and the capitals of its
 * source: "¿" and "¡" in Spanish, blanks before "?" and similar marks in French, and
 * without repetitions of words that never repeat. A capital inside a sentence stays
 * only if the source has one. Control characters and the text between two of them are
 * unchanged: they mark terms.
 */
const char *sentence_target(struct arena *, const struct sentence_pair *);

#endif
