/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_REWRITE_H
#define PIPELINE_REWRITE_H

#include "speech/mt.h"

/*
 * Rewrites a text so that an engine that translates word by word translates it
 * correctly.  English: "one hundred and twenty" becomes "120", "at two o'clock" "at
 * 2:00", and "the train leaves" "the train does leave", because "leaves" is a noun too,
 * "we used to live" "we were living", "for two days" "during two days", "without any
 * help" "without help". Spanish: "ciento cincuenta" becomes "150", "a las nueve y
 * media" "a las 9:30".
 */

/* Rewrite the text and move its terms; words of a term stay as they are. */
void rewrite_text(struct arena *, struct mt_text *);

/*
 * Returns terms for small words whose meaning depends on the words around them:
 * "about", "anything" after a negation, "dura" with a time.  English to Spanish,
 * French, Italian and Portuguese, and Spanish to English.
 */
const struct mt_term *rewrite_terms(
    struct arena *, const char *from, const char *to, const char *text, size_t *n);

#endif
