/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_SENTENCE_H
#define SPEECH_SENTENCE_H

#include "base/arena.h"

/*
 * Capitals and marks, by rules for each language.  All texts are UTF-8, in the arena.
 *
 *	ASR text -> sentence_source() -> translation -> sentence_target()
 */

/*
 * Add capitals and marks to a text without them, as some ASR engines return it: the
 * "I", names of days, months, languages and some places. A text that ends with a full
 * stop is final and also gets the first capital, commas after openings and before
 * closings, and a question mark if its first words ask. Texts that have marks or
 * capitals, and all languages but English, are unchanged.
 */
const char *sentence_source(struct arena *, const char *lang, const char *text);

/* A translation, the code of its language in lower case, and its source. */
struct sentence_pair {
	const char *source;
	const char *to, *text;
};

/*
 * The translation with the marks of its language and the capitals of its source: "¿"
 * and "¡" in Spanish, blanks before "?" and its like in French, no repetition of words
 * that are never repeated; capitals inside a sentence only where the source has some.
 * Control characters and the text between two of them stay as they are: they mark
 * terms.
 */
const char *sentence_target(struct arena *, const struct sentence_pair *);

#endif
