/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_GRAMS_H
#define BASE_GRAMS_H

#include <stdbool.h>

#include "base/buf.h"

/*
 * Terms by which an index finds a part of a word: every two and three successive
 * characters, such as "dra", "rag" of "dragon". ASCII white space separates words. Each
 * term begins with the end of the owner's id, so that data of other owners has other
 * terms. ASCII that is neither letter nor digit is written as a character of Unicode's
 * private area. So a term is one token for a tokenizer whose words consist of letters,
 * digits and all characters beyond ASCII.
 */
#define GRAMS_LONGEST 3

/*
 * Append the terms of the text to buf, separated by blanks. all: the terms of two and
 * three characters; else only the longest terms of each word. A word of one character
 * has none.
 */
void grams_put(struct buf *, const char *owner, const char *text, bool all);
/*
 * The terms to search for texts that have all of these words: up to `most` parts of
 * each and GRAMS_MOST of all, of two or three characters, separated by a blank; "":
 * they have none.
 */
#define GRAMS_MOST 8
const char *grams_parts(struct arena *, const char *words, int most);

#endif
