/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_GLOSSARY_INTERNAL_H
#define PIPELINE_GLOSSARY_INTERNAL_H

#include <stdint.h>

#include "pipeline/glossary.h"

/* Shared by the files of the glossaries. */

/* A folded code point. */
struct unit {
	uint32_t cp;
	size_t from, to; /* bytes [from, to) of the text */
	bool word;       /* true inside a word, false between words */
};

/*
 * A folded text. White space is one blank and U+2019 an apostrophe; combining marks and
 * invisible characters belong to the letter before them.
 */
struct folded {
	const struct unit *u;
	size_t n;
	bool anywhere;    /* words may begin and end at any character */
	const char *text; /* number of code points folded */
};

/* Fold a text for comparison; in the arena. */
struct folded glossary_fold(struct arena *, const char *lang, const char *text);

struct entry {
	const uint32_t *key; /* folded; hotwords: letters only */
	size_t n;            /* code points of key */
	uint64_t bag;        /* hotwords: set of the letters, glossary_bag() */
	const char *put;     /* replacement */
	const char *source;  /* language without its region; NULL: any language */
	size_t order;        /* position of the row */
	bool phrase;         /* struct mt_term */
	/* the exact words that the text must have; NULL: in any case */
	const char *exact;
};

struct table {
	struct entry *e;
	size_t n;
	size_t longest; /* largest n of an entry */
};

/* True if an entry is for texts in that language. */
bool glossary_serves(const struct entry *, const char *lang);
/* A set of 64 bits: the bit of each letter, by a hash. */
uint64_t glossary_bag(const uint32_t *, size_t n);
/* Sort for glossary_find_exact() and glossary_find_hotword(). */
void glossary_sort_exact(struct table *);
void glossary_sort_hotwords(struct table *);

/* A place in a text where an entry matches. */
struct hit {
	size_t at, n; /* position and length in units */
	size_t rank;  /* the highest value wins, then the leftmost place */
	const struct entry *e;
};

struct hits {
	struct buf b; /* an array of struct hit */
};

/* Add every exact match of an entry, whole words only. */
void glossary_find_exact(
    struct hits *, const struct table *, const char *lang, const struct folded *);
/* Add every sequence of words that is similar enough to a hotword. */
void glossary_find_hotword(
    struct hits *, const struct table *, const char *lang, const struct folded *);
/* The winning hits, without overlaps, in the order of the text. */
const struct hit *glossary_choose(
    struct hits *, struct arena *, const struct folded *, size_t *n);

#endif
