/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CREDITS_H
#define BASE_CREDITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * Credits and money are integers, x 1,000,000: a double cannot represent a tenth, so
 * sums would drift.
 */
#define MICRO INT64_C(1000000)

/* "-12.5" is -12,500,000: up to 9 digits, a point and up to 6 more; no blanks. */
bool credits_read(const char *, int64_t *);
/* Format millionths as the shortest decimal: -12500000 is "-12.5". */
const char *credits_text(struct arena *, int64_t);
/* n / unit to the nearest integer, halves away from zero; unit > 0. */
int64_t credits_round(int64_t n, int64_t unit);

#endif
