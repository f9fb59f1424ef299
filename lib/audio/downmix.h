/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_DOWNMIX_H
#define AUDIO_DOWNMIX_H

#define DOWNMIX_CHANNELS 8 /* channels mixed at most; further ones are ignored */

/*
 * Mixes the channels of a stream to one: their mean, or, where the channels cancel each
 * other in the mean, the loudest channel.  A balanced cable in a stereo input gives
 * right = -left, whose mean is silence.  The change between the two takes
 * 256 samples, without a click.  Zero-initialise.
 */
struct downmix {
	/* smoothed power over about 1,000 samples */
	float mean, power[DOWNMIX_CHANNELS];
	float share; /* share of the loudest channel in the output, 0 to 1 */
	int loudest; /* the channel that `share` belongs to */
	int cancels; /* true when the mean lacks most of the sound */
};

/* Mix one sample of each channel. Returns a sample in the same unit, which may be any.
 */
float downmix_frame(struct downmix *, const float *frame, int channels);

#endif
