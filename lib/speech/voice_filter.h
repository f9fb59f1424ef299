/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_VOICE_FILTER_H
#define SPEECH_VOICE_FILTER_H

#include "audio/pcm.h"
#include "speech/voice_profile.h"

/*
 * Applies a profile to eSpeak's speech.  The numbers in voice_filter.c show how eSpeak
 * NG 1.51 responds to its settings; they hold within 4 % for all languages tried and
 * are checked by the tests.
 */

/*
 * Returns lines for synth.lines that set pitch, formants and timbre. Formants move only
 * a part of the way, see voice_filter.c. Without a profile the voice is softer than
 * eSpeak's own.
 */
const char *voice_filter_lines(struct arena *, const struct voice_profile *);
int voice_filter_rate_wpm(const struct voice_profile *);

/*
 * Apply a linear-phase filter with the gains of the profile's third octaves; without
 * any it does nothing.
 */
void voice_filter_equalise(
    struct arena *, struct pcm *, const double eq_db[PROFILE_BANDS]);
/* Compute the gains that turn one spectrum into another: smoothed, within 12 dB. */
void voice_filter_gains(const double from_db[PROFILE_BANDS],
    const double to_db[PROFILE_BANDS], double eq_db[PROFILE_BANDS]);

#endif
