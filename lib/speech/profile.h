#ifndef SPEECH_PROFILE_H
#define SPEECH_PROFILE_H

#include "base/arena.h"
#include "base/err.h"

/*
 * What a voice is to the built-in synthesiser: a handful of numbers, kept as
 * JSON of some 400 bytes in the order below.  NaN, null in JSON, is "unknown":
 * the synthesiser then does what it always does.
 */
#define PROFILE_BANDS 19 /* third octaves of IEC 61260, centres 125 Hz to 8 kHz */

struct profile {
	const char *variant; /* an eSpeak variant's name to begin from; NULL: none */
	double f0_hz;        /* median of the fundamental frequency */
	double f0_low_hz;    /* its 10th percentile */
	double f0_high_hz;   /* its 90th */
	double
	    formant_scale;  /* formants against the synthesiser's; 1.1: shorter tract */
	double syllables_s; /* syllables in a second of speaking, pauses left out */
	double ltas_db[PROFILE_BANDS]; /* long-term spectrum; speech as a whole is 0 */
	double eq_db[PROFILE_BANDS];   /* what brings the synthesiser's there */
};

/* Nothing is known. */
struct profile profile_none(void);
double profile_band_hz(int band); /* the centre of a band */

/* As JSON, for profile_read(); what is not known is null. */
const char *profile_write(struct arena *, const struct profile *);
/*
 * ERR_REFUSED: the text is no profile.  Members that are missing, no numbers
 * or outside what a voice can have are NaN; unknown members are passed over.
 */
enum err profile_read(struct arena *, const char *, struct profile *) MUST_CHECK;

#endif
