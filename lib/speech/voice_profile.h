/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_VOICE_PROFILE_H
#define SPEECH_VOICE_PROFILE_H

#include "base/arena.h"
#include "base/err.h"

/*
 * A voice of the built-in synthesizer: a few numbers, stored as JSON of some 400 bytes
 * in the order below. NaN, null in JSON, means unknown: the synthesizer then uses its
 * default.
 */
#define PROFILE_BANDS 19 /* third octaves of IEC 61260, centres 125 Hz to 8 kHz */

struct voice_profile {
	const char *variant; /* the eSpeak variant to start from; NULL: none */
	double f0_hz;        /* median of the fundamental frequency */
	double f0_low_hz;    /* its 10th percentile */
	double f0_high_hz;   /* its 90th percentile */
	double
	    formant_scale;  /* formants against the synthesizer's; 1.1: shorter tract */
	double syllables_s; /* syllables per second of speaking time, without pauses */
	/* long-term spectrum in dB relative to the whole speech */
	double ltas_db[PROFILE_BANDS];
	/* gains that turn the synthesizer's spectrum into this one */
	double eq_db[PROFILE_BANDS];
};

/* Returns a profile without known values. */
struct voice_profile voice_profile_none(void);
double voice_profile_band_hz(int band); /* returns the centre of a band in Hz */

/* Write the profile as JSON for voice_profile_read(); unknown values are null. */
const char *voice_profile_write(struct arena *, const struct voice_profile *);
/*
 * Read a profile. ERR_REFUSED: the text is not one. Members that are missing, not
 * numbers or out of range become NaN; unknown members are ignored.
 */
enum err voice_profile_read(
    struct arena *, const char *, struct voice_profile *) MUST_CHECK;

#endif
