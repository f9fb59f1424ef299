/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_ENGLISH_FIXED_H
#define PIPELINE_ENGLISH_FIXED_H

#include "pipeline/english_clause.h"

/* Fixed words of English and their Spanish. */

/* The number of words if these stand at the i-th, or 0. */
size_t english_has_words(const struct english *, size_t i, const char *words);
/* Put a term for fixed words at the i-th; returns their number, 0 for none. */
size_t english_put_fixed(struct english *, size_t i);

#endif
