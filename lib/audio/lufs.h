/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_LUFS_H
#define AUDIO_LUFS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Integrated loudness of mono sound, in LUFS (ITU-R BS.1770-4: K-weighting, blocks of
 * 400 ms that overlap by three quarters, gates at -70 LUFS and 10 LU below the mean).
 * Nothing is allocated; zero-initialise struct lufs.
 */
#define LUFS_LEAST (-70)
#define LUFS_BINS 800 /* of 0.1 LU, from LUFS_LEAST on */

/* Histogram of loudness. The measurements of any number of sounds may be added. */
struct lufs {
	uint32_t bins[LUFS_BINS];
	uint32_t blocks; /* in all bins */
};

/*
 * Add the measurements of another histogram. Old measurements lose weight after ten
 * minutes.
 */
void lufs_add(struct lufs *, const struct lufs *);
/* NaN: there is only silence. */
double lufs_integrated(const struct lufs *);

/* Measures one sound. */
struct lufs_meter {
	struct lufs *to; /* receives the blocks */
	struct {
		double b[3], a[2]; /* a[0] belongs to the previous sample */
		double z[2];
	} filter[2];
	int step;          /* samples of a quarter of a block */
	int n;             /* samples of the current quarter so far */
	double sum;        /* sum of the squares of the current quarter */
	double quarter[4]; /* sums of the last quarters, a ring */
	int quarters;      /* number of complete quarters so far */
};

/* rate_hz: 8,000 to 192,000. */
void lufs_begin(struct lufs_meter *, struct lufs *, int rate_hz);
/* Measure finite samples. */
void lufs_put(struct lufs_meter *, const float *, size_t n);
/* End the sound. A sound that is shorter than a block counts as one block. */
void lufs_end(struct lufs_meter *);

#endif
