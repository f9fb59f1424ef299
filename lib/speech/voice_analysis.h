/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_VOICE_ANALYSIS_H
#define SPEECH_VOICE_ANALYSIS_H

#include <stdbool.h>

#include "audio/pcm.h"
#include "speech/voice_profile.h"

/*
 * Measures a speaker. All but the spectrum is measured on a copy at 8 kHz, cut into
 * frames of MEASURE_STEP_S, so that the results do not depend on the bandwidth of the
 * recording. The first MEASURE_MAX_S of a recording are used.
 */
#define MEASURE_RATE_HZ 8000
#define MEASURE_STEP 80 /* samples from frame to frame, 10 ms */
#define MEASURE_STEP_S 0.01
#define MEASURE_MAX_S 90
/* least duration of voiced sound; with less, the recording has no voice */
#define MEASURE_LEAST_S 0.5

/* The measures of each frame; frame i begins at sample i * MEASURE_STEP. */
struct frames {
	struct pcm pcm; /* at MEASURE_RATE_HZ */
	size_t n;
	float *db;       /* level of the 30 ms around it; 0 is full scale */
	float *f0_hz;    /* fundamental frequency, 0 where there is no voice */
	float speech_db; /* frames above this level are speech */
};

/* Measure a recording. ERR_REFUSED: it has less than MEASURE_LEAST_S of voice, which is
   logged. */
enum err voice_analysis_profile(
    struct arena *, const struct pcm *, struct voice_profile *) MUST_CHECK;

/*
 * The steps of voice_analysis_profile(), for tests.
 *
 * Change the sampling rate, by a Kaiser-windowed sinc; at most `most` samples.
 */
struct pcm voice_analysis_resample(
    struct arena *, const struct pcm *, int rate_hz, size_t most);
/* Returns the value that this many percent of the values do not exceed; NaN: there are
   none. */
float voice_analysis_percentile(struct arena *, const float *, size_t n, int percent);
/* Measure levels and pitch of a recording of any rate. */
struct frames voice_analysis_frames(struct arena *, const struct pcm *);
/*
 * Write the fundamental frequency into f->f0_hz. A. de Cheveigné, H. Kawahara, "YIN, a
 * fundamental frequency estimator for speech and music", JASA 111(4), 2002; run twice,
 * the second time between limits set from the quartiles of the first (D. Hirst, "The
 * analysis by synthesis of speech melody", JoSS 1(1), 2011), which avoids octave
 * errors.
 */
void voice_analysis_pitch(struct arena *, struct frames *);
/*
 * Returns the formants relative to those of a synthesizer's reference voice, from the
 * poles of linear prediction in voiced frames. NaN: too few frames.
 */
double voice_analysis_formant_scale(
    struct arena *, const struct pcm *, const struct frames *);
/*
 * Syllables per second of speaking time: peaks of the level that are voiced and
 * stand 2 dB over the dip before them (N. H. de Jong, T. Wempe, "Praat script to
 * detect syllable nuclei and measure speech rate automatically", Behavior
 * Research Methods 41(2), 2009).  NaN: too little speech.
 */
double voice_analysis_syllables(struct arena *, const struct frames *);
/*
 * Long-term average spectrum of the frames that are speech, through third-octave
 * filters at the recording's own rate.  Bands without sound are NaN.
 */
void voice_analysis_spectrum(struct arena *, const struct pcm *, const struct frames *,
    double ltas_db[PROFILE_BANDS]);

#endif
