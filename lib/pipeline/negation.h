/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_NEGATION_H
#define PIPELINE_NEGATION_H

#include "speech/mt.h"

/*
 * True if exactly one of the two texts contains a negation. False for languages without
 * a list; da, de, en, es, fr, it, nl, pt, sv have one.
 */
bool negation_differs(
    const char *from, const char *source, const char *to, const char *translation);

/*
 * Terms from Spanish to English: "nadie", "nada", "ningún" before their verb, which a
 * dictionary translates as "anybody", and after a "no", where "anything" is right.
 */
const struct mt_term *negation_terms(
    struct arena *, const char *from, const char *to, const char *text, size_t *n);

#endif
