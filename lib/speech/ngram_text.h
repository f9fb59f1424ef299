#ifndef SPEECH_NGRAM_TEXT_H
#define SPEECH_NGRAM_TEXT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/field.h"

/* Nouns: ngram. */

struct ngram_word {
	const char *text;
	double p; /* its probability, above 0 */
};

struct ngram_pair {
	size_t first, second; /* words, by number */
};

/*
 * A language model of such words and of pairs of them, struct ngram_word and
 * ngram_pair, in the ARPA format (Doug Paul, 1992).  All that may follow a word in
 * pairs is as likely.  A word that is none of these, <UNK>, is hardly possible, but
 * possible: readers that interpolate models rely on it.  Each pair must be there once.
 */
const char *ngram_text(
    struct arena *, const struct list *words, const struct list *pairs);

#endif
