/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_VOCABULARY_H
#define SPEECH_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/field.h"

/*
 * The likely words of a stream: hot words, names of speakers, titles. Their number is
 * limited, and all are in Latin letters.
 */
#define VOCABULARY_WORDS 300  /* words in all terms at most */
#define VOCABULARY_TEXTS 2000 /* texts of each list that are used */
#define VOCABULARY_LETTERS 24 /* longest word in letters; at least 2 */
#define VOCABULARY_MARKS 2    /* combining marks on a letter at most */

struct vocabulary_word {
	const char *text; /* its spelling, with U+2019 as an apostrophe */
	const char *key;  /* a to z and apostrophes: without capitals and accents */
};

/* Words that were written one after another. */
struct vocabulary_term {
	struct vocabulary_word *words;
	size_t n; /* number of words, above 0 */
	/* number of its title, from 1; titles may be in different languages */
	size_t of;
};

struct vocabulary {
	struct list terms; /* struct vocabulary_term */
};

/*
 * Make a vocabulary from lists of const char *, which are copied into the arena. Hot
 * words come first, then names, then titles, until there are VOCABULARY_WORDS. A title
 * contributes only words with a capital, because words in small letters rarely name its
 * subject. Digits, punctuation, other scripts and single letters are left out and end a
 * term. A text that is no UTF-8 is left out. NULL: there are no words.
 */
struct vocabulary *vocabulary_new(struct arena *, const struct list *hints,
    const struct list *names, const struct list *titles);
/* Append it as text, a line for each word, without the terms that exceed so many bytes.
 */
void vocabulary_write(struct buf *, const struct vocabulary *, size_t most);
/* Read that text, which is overwritten.  NULL: it is malformed. */
struct vocabulary *vocabulary_read(struct arena *, char *text);

#endif
