/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_NUMBERS_H
#define PIPELINE_NUMBERS_H

#include "speech/mt.h"

/*
 * Finds dates, times of day, sums of money, decades, minus signs and numbers with
 * separators, and writes them as the target language does. Source languages: en, es;
 * targets: en, es, fr, it, pt.
 */

/* Returns the terms of the text for an engine that translates word by word, in order.
 */
const struct mt_term *numbers_terms(
    struct arena *, const char *from, const char *to, const char *text, size_t *n);

#endif
