/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_VOCABULARY_H
#define SPEECH_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/field.h"

/*
 * The words that are likely to be said in a stream: hot words, names of speakers,
 * titles.  Its size is limited, and it has words in Latin letters only.
 */
#define VOCABULARY_WORDS 300  /* in all terms */
#define VOCABULARY_TEXTS 2000 /* of each list; others are ignored */
#define VOCABULARY_LETTERS 24 /* of a word, at most; at least 2 */
#define VOCABULARY_MARKS 2    /* of combining ones, on a letter */

struct vocabulary_word {
	const char *text; /* as it was written, with U+2019 as an apostrophe */
	const char *key;  /* a to z and apostrophes: without capitals and accents */
};

/* Words that were written one after another. */
struct vocabulary_term {
	struct vocabulary_word *words;
	size_t n;  /* above 0 */
	size_t of; /* title: its number, from 1, as it may be in another language */
};

struct vocabulary {
	struct list terms;  /* struct vocabulary_term */
	const char *digest; /* equal for equal vocabularies */
};

/*
 * Make it of lists of const char *; everything is copied into the arena.  Hot words
 * come first, then names, then titles, until there are VOCABULARY_WORDS; of a title
 * only words with a capital, as the others are not its subject.  Digits, punctuation,
 * other scripts and single letters are left out and end a term.  A text that is no
 * UTF-8 is left out.  NULL: there are no words.
 */
struct vocabulary *vocabulary_new(struct arena *, const struct list *hints,
    const struct list *names, const struct list *titles);
struct vocabulary *vocabulary_copy(struct arena *, const struct vocabulary *);

#endif
