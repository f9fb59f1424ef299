/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_NAMES_H
#define PIPELINE_NAMES_H

#include "speech/mt.h"

/*
 * Finds names of people, brands and places, which a translation must not change: words
 * with a capital inside a sentence that are in no list of translated names, and the
 * event's speakers in any spelling of capitals.
 */

/* Returns the names in the text as terms, in order. In source languages other than en,
   es, fr, it, pt, ca and gl, only the speakers. `speakers`: const char *. */
const struct mt_term *names_terms(struct arena *, const char *from,
    const struct list *speakers, const char *text, size_t *n);

/* True if the translation contains all the names. Always true for targets that inflect
   names or write them in another script. */
bool names_kept(const struct mt_term *, size_t n, const char *to, const char *text);

#endif
