#ifndef PIPELINE_GLOSSARY_INTERNAL_H
#define PIPELINE_GLOSSARY_INTERNAL_H

#include <stdint.h>

#include "pipeline/glossary.h"

/* What the files of the glossaries share; private to them. */

/* A folded code point and the bytes of the text that it comes from. */
struct unit {
	uint32_t cp;
	size_t from, to;
	bool word; /* part of a word, not between words */
};

/* White space is one blank, marks belong to the message before them. */
struct folded {
	const struct unit *u;
	size_t n;
	bool anywhere; /* words may begin and end at any character */
};

/* As it is compared: no case, no accents; each unit knows its bytes of the text. */
struct folded glossary_fold(struct arena *, const char *lang, const char *text);
/* Whether a character, or none, begins at the i-th unit. */
bool glossary_splits(const struct folded *, size_t i);

struct entry {
	const uint32_t *key; /* folded; of step 1 the messages only */
	size_t n;
	uint64_t bag;       /* step 1: which messages it has, by glossary_bag() */
	const char *put;    /* what takes its place */
	const char *source; /* base of the code; NULL: any language */
	size_t order;
};

struct table {
	struct entry *e;
	size_t n;
	size_t longest; /* n of an entry, at most */
};

/* Whether an entry is for texts in that language. */
bool glossary_serves(const struct entry *, const char *lang);
uint64_t glossary_bag(const uint32_t *, size_t n);
/* In the order that the steps look for them in. */
void glossary_sort_exact(struct table *);
void glossary_sort_hotwords(struct table *);

/* A place in a text where an entry fits. */
struct hit {
	size_t at, n; /* units */
	size_t rank;  /* a higher one wins, then the leftmost */
	const struct entry *e;
};

struct hits {
	struct buf b; /* of struct hit */
};

void glossary_add_hit(struct hits *, struct hit);
/* Every place where an entry of the table stands, whole words. */
void glossary_find_exact(
    struct hits *, const struct table *, const char *lang, const struct folded *);
/* Every run of words that is close enough to an entry. */
void glossary_find_hotword(
    struct hits *, const struct table *, const char *lang, const struct folded *);
/* Those that win, none overlapping another, in the order of the text. */
const struct hit *glossary_choose(
    struct hits *, struct arena *, const struct folded *, size_t *n);

#endif
