/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_ORDER_H
#define BENCH_ORDER_H

#include <stdint.h>

/* Comparisons for qsort(), smallest first: of uint32_t microseconds, and of doubles. */
static inline int
by_time(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static inline int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#endif
