/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_DOWNMIX_H
#define AUDIO_DOWNMIX_H

#define DOWNMIX_CHANNELS 8 /* at most; further ones are not mixed */

/*
 * Mixes the channels of a stream to one: their mean, or, where the channels cancel each
 * other in the mean, the loudest channel.  A balanced cable in a stereo input gives
 * right = -left, whose mean is silence.  The change between the two takes
 * 256 samples, without a click.  Zero-initialise.
 */
struct downmix {
	float mean, power[DOWNMIX_CHANNELS]; /* smoothed over about 1,000 samples */
	float share;                         /* of the loudest channel, 0 to 1 */
	int loudest;                         /* channel that share is of */
	int cancels;                         /* the mean lacks most of the sound */
};

/* One sample of each channel, in any unit; returns one in the same unit. */
float downmix_frame(struct downmix *, const float *frame, int channels);

#endif
