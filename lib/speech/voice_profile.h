/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_VOICE_PROFILE_H
#define SPEECH_VOICE_PROFILE_H

#include "base/arena.h"
#include "base/err.h"

/*
 * A voice of the built-in synthesizer: a few numbers, kept as JSON of some 400 bytes in
 * the order below.  NaN, null in JSON, is "unknown": the synthesizer then uses its
 * default.
 */
#define PROFILE_BANDS 19 /* third octaves of IEC 61260, centres 125 Hz to 8 kHz */

struct voice_profile {
	const char *variant; /* an eSpeak variant's name to begin from; NULL: none */
	double f0_hz;        /* median of the fundamental frequency */
	double f0_low_hz;    /* its 10th percentile */
	double f0_high_hz;   /* its 90th */
	double
	    formant_scale;  /* formants against the synthesizer's; 1.1: shorter tract */
	double syllables_s; /* syllables in a second of speaking, pauses left out */
	double ltas_db[PROFILE_BANDS]; /* long-term spectrum; speech as a whole is 0 */
	double eq_db[PROFILE_BANDS];   /* gains that bring the synthesizer's there */
};

/* A profile in which nothing is known. */
struct voice_profile voice_profile_none(void);
double voice_profile_band_hz(int band); /* the centre of a band */

/* As JSON, for voice_profile_read(); unknown values are null. */
const char *voice_profile_write(struct arena *, const struct voice_profile *);
/*
 * ERR_REFUSED: the text is no profile.  Members that are missing, no numbers or outside
 * the range of a voice are NaN; unknown members are ignored.
 */
enum err voice_profile_read(
    struct arena *, const char *, struct voice_profile *) MUST_CHECK;

#endif
