#ifndef SPEECH_VOICE_FILTER_H
#define SPEECH_VOICE_FILTER_H

#include "media/pcm.h"
#include "speech/voice_profile.h"

/*
 * From a profile to a sound.  The numbers below say how eSpeak NG 1.51 answers
 * to its settings; they hold within 4 % for all languages tried and are
 * checked by the tests.
 */

/*
 * Lines for synth.lines that bring pitch, formants and timbre.  Formants go part
 * of the way only, see shape.c; without a profile the voice is still not eSpeak's
 * own but a softer one.
 */
const char *voice_filter_lines(struct arena *, const struct voice_profile *);
int voice_filter_rate_wpm(const struct voice_profile *);

/*
 * A linear-phase filter with the gains of the profile's third octaves; without
 * any nothing is done.
 */
void voice_filter_equalise(
    struct arena *, struct pcm *, const double eq_db[PROFILE_BANDS]);
/* The gains that lead from one spectrum to another: smoothed, within 12 dB. */
void voice_filter_gains(const double from_db[PROFILE_BANDS],
    const double to_db[PROFILE_BANDS], double eq_db[PROFILE_BANDS]);
/* Speech to -20 dB of full scale, or less if it would clip. */
void voice_filter_level(struct pcm *);

#endif
