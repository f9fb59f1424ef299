/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_SPANISH_FIXED_H
#define PIPELINE_SPANISH_FIXED_H

#include "pipeline/word_edit.h"

/* Put an English term for fixed Spanish words at the i-th; returns their number, 0 for
   none. */
size_t spanish_put_fixed(struct words *, size_t i);

#endif
