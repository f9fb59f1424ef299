/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WEBSOCKET_FUZZ_DICE_H
#define TESTS_WEBSOCKET_FUZZ_DICE_H

#include <stddef.h>
#include <stdint.h>

/* Pseudo-random numbers, the same for the same seed (SplitMix64, Steele 2014). */
struct dice {
	uint64_t state;
};

static inline uint64_t
dice_bits(struct dice *d)
{
	uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* 0 to n - 1. */
static inline size_t
dice_roll(struct dice *d, size_t n)
{
	return (size_t)(dice_bits(d) % n);
}

static inline void
dice_fill(struct dice *d, void *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((unsigned char *)to)[i] = (unsigned char)dice_bits(d);
}

#endif
