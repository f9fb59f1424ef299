/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_SENTENCE_H
#define SPEECH_SENTENCE_H

#include <stdbool.h>

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

/* True if a text has no mark but full stops, and no capital but the first one and that
   of "I". */
bool sentence_is_bare(const char *text);
/* True for "i", "i'm", and names of days, months, languages and some places, in small
   letters. */
bool sentence_is_name(const char *word);

/* True if the text ends with a mark that ends a sentence, before quotes and brackets.
 */
bool sentence_ends(const char *text);
/*
 * True if the text of a phrase ends within a sentence: after an article, a preposition
 * or another word that cannot end a sentence, or without a mark although the engine
 * writes marks. heard: the engine's text; written: the same text after
 * sentence_source(). In doubt the result is false.
 */
bool sentence_is_open(
    struct arena *, const char *lang, const char *heard, const char *written);
/*
 * Join the open text of a phrase and the next text: without the full stop between them,
 * and without the capital that the second text has only because it is a beginning.
 */
const char *sentence_join(
    struct arena *, const char *lang, const char *first, const char *second);

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
