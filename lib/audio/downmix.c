/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Powers are smoothed by y += (x - y) / SMOOTH.  They begin at 0, so that their ratio
 * is right from the first sample on.
 */
#include "audio/downmix.h"

#define SMOOTH 1024
#define RAMP 256 /* samples over which one way of mixing replaces the other */
/* use the loudest channel when its power is this many times the mean's */
#define CANCELS 16
#define CANCELS_NOT 10 /* use the mean again below this factor */

static void
smooth(float *to, float sample)
{
	*to += (sample * sample - *to) / SMOOTH;
}

/* Choose a channel: the current one, unless another has four times its power. */
static void
choose(struct downmix *m, int channels)
{
	int best = m->loudest < channels ? m->loudest : 0;
	float loud;

	for (int i = 0; i < channels; i++)
		if (m->power[i] > 4 * m->power[best] ||
		    (m->share <= 0 && m->power[i] > m->power[best]))
			best = i;
	m->loudest = best;
	loud = m->power[best];
	if (loud > 0)
		m->cancels = m->mean * (m->cancels ? CANCELS_NOT : CANCELS) < loud;
}

float
downmix_frame(struct downmix *m, const float *frame, int channels)
{
	float mean = 0;

	if (channels > DOWNMIX_CHANNELS)
		channels = DOWNMIX_CHANNELS;
	if (channels == 1)
		return frame[0];
	for (int i = 0; i < channels; i++) {
		mean += frame[i] / (float)channels;
		smooth(&m->power[i], frame[i]);
	}
	smooth(&m->mean, mean);
	choose(m, channels);
	m->share += (m->cancels ? 1.0F : -1.0F) / RAMP;
	m->share = m->share < 0 ? 0 : m->share > 1 ? 1 : m->share;
	return mean + m->share * (frame[m->loudest] - mean);
}
