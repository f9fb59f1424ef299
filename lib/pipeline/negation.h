/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_NEGATION_H
#define PIPELINE_NEGATION_H

#include "speech/mt.h"

/*
 * True if one of the two texts says no and the other does not.  False for languages
 * without a list: da, de, en, es, fr, it, nl, pt, sv have one.
 */
bool negation_differs(
    const char *from, const char *source, const char *to, const char *translation);

/*
 * Spanish to English: "nadie", "nada", "ningún" in front of their verb, which a
 * dictionary translates as "anybody", and behind a "no", where "anything" is right.
 */
const struct mt_term *negation_terms(
    struct arena *, const char *from, const char *to, const char *text, size_t *n);

#endif
