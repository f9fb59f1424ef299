/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Text is UTF-8; its length is counted in Unicode code points. */
bool text_valid(const char *, size_t bytes);
size_t text_length(const char *);
/*
 * Read the code point at s, which is valid and not at its end.  Returns the next one.
 */
const char *text_next(const char *s, uint32_t *cp);
/* Write a code point as up to 4 bytes.  Returns their number; 0: no such character. */
size_t text_put(char *, uint32_t cp);
/* Unicode case folding, marks removed: "München" and "MUNCHEN" are "munchen". */
const char *text_fold(struct arena *, const char *);
#define TEXT_FOLD 18 /* most code points that one becomes by folding */
/*
 * Fold one code point like text_fold().  Returns the number of results, 0 for a mark.
 */
size_t text_fold_one(uint32_t cp, uint32_t to[TEXT_FOLD]);
/* True for a letter (categories L and M) or digit (Nd), the characters of words. */
bool text_is_word(uint32_t cp);
/* True for invisible characters: Unicode's Default_Ignorable_Code_Point. */
bool text_is_ignorable(uint32_t cp);
/* Returns the first letter or digit of a text; 0: it has none. */
uint32_t text_first_word(const char *);
bool text_is_upper(uint32_t cp);
/* Returns the character's capital letter, as at the beginning of a word; or the same
   character. */
uint32_t text_title(uint32_t cp);
/* Returns the character's small letter; or the same character. */
uint32_t text_small(uint32_t cp);
/* True if the text has only letters (categories L and M), digits (Nd) and the given
   ASCII characters. */
bool text_only(const char *, const char *punctuation);
/* True if the word is one of these, which have a blank before and after each. */
bool text_has_word(const char *words, const char *word);
/* Returns the text without the characters of `blanks` at both ends. */
const char *text_trim(struct arena *, const char *, const char *blanks);
/* ASCII lower case. */
const char *text_lower(struct arena *, const char *);
/* A LIKE pattern, with ESCAPE '\', that finds the folded text anywhere. */
const char *text_like(struct arena *, const char *);

#endif
