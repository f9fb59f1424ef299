/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_BLOCKED_H
#define PIPELINE_BLOCKED_H

#include "base/field.h"
#include "speech/mt.h"

/*
 * Blocked words: they are masked in texts and left out of speech. Whole words match,
 * of any language; case, accents and invisible characters do not count. Characters of
 * scripts without blanks are words by themselves. Between the words of an entry, any
 * blanks and hyphens match.
 */
#define BLOCKED_MARK "\342\200\242\342\200\242\342\200\242" /* three bullets */

struct blocked;

/* Index the words, const char *, in the arena. Any number of threads may use it then.
   NULL: there are none. */
struct blocked *blocked_new(struct arena *, const struct list *words);
/* The text with BLOCKED_MARK for each blocked word, the longest first. The same text if
   it has none, or without blocked words. */
const char *blocked_mask(const struct blocked *, struct arena *, const char *text);
/* The text without the marks, for speech; "" if nothing is left to speak. */
const char *blocked_spoken(struct arena *, const char *text);
/* Add the marks of the text to its terms, so that translations keep them. */
void blocked_keep(struct arena *, struct mt_text *);

#endif
