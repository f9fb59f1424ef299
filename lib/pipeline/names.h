/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_NAMES_H
#define PIPELINE_NAMES_H

#include "speech/mt.h"

/*
 * People, brands and places, which stay as they are in a translation: words with a
 * capital inside a sentence that no list of translated names has, and the event's
 * speakers, however they are written.
 */

/* The terms of the text, in order.  Other source languages than en, es, fr, it, pt, ca
   and gl have only the speakers.  `speakers`: const char *. */
const struct mt_term *names_terms(struct arena *, const char *from,
    const struct list *speakers, const char *text, size_t *n);

/* True if the translation has every one of the names.  Always true for targets that
   inflect names or write them in other letters. */
bool names_kept(const struct mt_term *, size_t n, const char *to, const char *text);

#endif
