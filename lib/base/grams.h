/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_GRAMS_H
#define BASE_GRAMS_H

#include <stdbool.h>

#include "base/buf.h"

/*
 * Terms by which an index finds a part of a word: every two and three characters in a
 * row, such as "dra", "rag" of "dragon".  ASCII white space separates words.  Each
 * term begins with the end of the owner's id, so that data of other owners has other
 * terms.  ASCII that is neither letter nor digit is written as a character of
 * Unicode's private area: a term is one token for a tokenizer that takes words for
 * runs of letters, digits and anything beyond ASCII.
 */
#define GRAMS_LONGEST 3

/*
 * Append the terms of the text to buf, separated by a blank.  all: those of two and
 * three characters; else of each word only its longest.  A word of one character has
 * none.
 */
void grams_put(struct buf *, const char *owner, const char *text, bool all);
/*
 * The terms to search for texts that have all of these words: up to GRAMS_MOST parts
 * of them, of two or three characters, separated by a blank; "": they have none.
 */
#define GRAMS_MOST 8
const char *grams_parts(struct arena *, const char *words);

#endif
