/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/voice_filter.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"

/*
 * eSpeak's "pitch LOW HIGH", in Hz: its median is LOW - 9 + 0.77 (HIGH - LOW),
 * its 10th and 90th percentiles are 0.64 (HIGH - LOW) apart.
 */
#define PITCH_OFFSET_HZ 9
#define PITCH_MEDIAN 0.77
#define PITCH_SPREAD 0.64
#define PITCH_OWN 0.36 /* eSpeak's own HIGH - LOW, relative to the median */
/* greatest HIGH - LOW relative to the median; with more, speech squeaks */
#define PITCH_MOST 0.9
#define PITCH_LOW_HZ 30

/*
 * eSpeak's resonances are sharp, with no sound between them. Wider resonances, breath
 * and a little reverberation bring it closer to all measured speakers, and PocketSphinx
 * recognizes three times as many words. But it recognizes fewer words the further the
 * formants are moved, so they move only a part of the way, on a logarithmic scale.
 */
#define FORMANTS 9
#define WIDTH 150 /* width of a formant, % */
#define TIMBRE "breath 0 2 3 3 3 3 3 2\necho 140 10\n"
#define SCALE_PART 0.6
#define SCALE_LEAST 0.85
#define SCALE_MOST 1.15

#define RATE_WPM 175 /* eSpeak's default speed */
#define RATE_SYLLABLES 4.8
/* exponent: fast syllables merge, so their measured rate grows more slowly */
#define RATE_POWER 1.6
#define RATE_SLOWEST 120
#define RATE_FASTEST 220

#define TAPS 64 /* taps on each side of the middle one */
#define POINTS 128
#define GAIN_MOST 12 /* greatest gain, dB */

static double
within(double v, double least, double most)
{
	return v < least ? least : v > most ? most : v;
}

static void
put_pitch(struct buf *b, const struct voice_profile *p)
{
	double width = PITCH_OWN * p->f0_hz, low;

	if (isfinite(p->f0_low_hz) && p->f0_high_hz > p->f0_low_hz)
		width = within((p->f0_high_hz - p->f0_low_hz) / PITCH_SPREAD, 0,
		    PITCH_MOST * p->f0_hz);
	low = fmax(p->f0_hz + PITCH_OFFSET_HZ - PITCH_MEDIAN * width, PITCH_LOW_HZ);
	buf_printf(b, "pitch %.0f %.0f\n", low, low + width);
}

const char *
voice_filter_lines(struct arena *mem, const struct voice_profile *p)
{
	struct buf b = { .mem = mem };
	double scale = 1;

	if (isfinite(p->formant_scale))
		scale =
		    within(pow(p->formant_scale, SCALE_PART), SCALE_LEAST, SCALE_MOST);
	if (p->variant == NULL)
		buf_str(&b, TIMBRE);
	if (isfinite(p->f0_hz))
		put_pitch(&b, p);
	if (p->variant == NULL || isfinite(p->formant_scale))
		for (int i = 0; i < FORMANTS; i++)
			buf_printf(
			    &b, "formant %d %.0f 100 %d\n", i, 100 * scale, WIDTH);
	return buf_text(&b);
}

int
voice_filter_rate_wpm(const struct voice_profile *p)
{
	if (!isfinite(p->syllables_s))
		return RATE_WPM;
	return (int)within(RATE_WPM * pow(p->syllables_s / RATE_SYLLABLES, RATE_POWER),
	    RATE_SLOWEST, RATE_FASTEST);
}

void
voice_filter_gains(const double from_db[PROFILE_BANDS],
    const double to_db[PROFILE_BANDS], double eq_db[PROFILE_BANDS])
{
	double raw[PROFILE_BANDS];

	for (int i = 0; i < PROFILE_BANDS; i++)
		raw[i] = to_db[i] - from_db[i];
	for (int i = 0; i < PROFILE_BANDS; i++) {
		double sum = 2 * raw[i], weight = 2;

		for (int k = i - 1; k <= i + 1; k += 2)
			if (k >= 0 && k < PROFILE_BANDS && isfinite(raw[k])) {
				sum += raw[k];
				weight++;
			}
		eq_db[i] = within(sum / weight, -GAIN_MOST, GAIN_MOST);
	}
}

/* Returns the gain in dB at a frequency: linear between the known bands, constant
   beyond them. */
static double
gain_at(const double eq_db[PROFILE_BANDS], double hz)
{
	double below = NAN, below_hz = 0;

	for (int i = 0; i < PROFILE_BANDS; i++) {
		double at = voice_profile_band_hz(i);

		if (!isfinite(eq_db[i]))
			continue;
		if (at >= hz)
			return isnan(below)
				   ? eq_db[i]
				   : below + (eq_db[i] - below) * log(hz / below_hz) /
						 log(at / below_hz);
		below = eq_db[i];
		below_hz = at;
	}
	return below;
}

/* Design the filter by frequency sampling under a Hann window: taps[k] applies k
   samples either side. */
static void
design(const double eq_db[PROFILE_BANDS], int rate_hz, float taps[TAPS + 1])
{
	double gain[POINTS];

	for (int i = 0; i < POINTS; i++)
		gain[i] =
		    pow(10, gain_at(eq_db, (i + 0.5) * rate_hz / 2 / POINTS) / 20);
	for (int k = 0; k <= TAPS; k++) {
		double sum = 0;

		for (int i = 0; i < POINTS; i++)
			sum += gain[i] * cos(M_PI * k * (i + 0.5) / POINTS);
		taps[k] =
		    (float)(sum / POINTS * 0.5 * (1 + cos(M_PI * k / (TAPS + 1))));
	}
}

void
voice_filter_equalise(
    struct arena *mem, struct pcm *pcm, const double eq_db[PROFILE_BANDS])
{
	float taps[TAPS + 1], *padded;

	if (isnan(gain_at(eq_db, 1000)))
		return;
	design(eq_db, pcm->rate_hz, taps);
	padded = arena_alloc(mem, (pcm->n + 2 * TAPS) * sizeof(*padded));
	memcpy(padded + TAPS, pcm->s, pcm->n * sizeof(*padded));
	for (size_t i = 0; i < pcm->n; i++) {
		const float *at = padded + TAPS + i;
		float sum = taps[0] * at[0];

		for (int k = 1; k <= TAPS; k++)
			sum += taps[k] * (at[k] + at[-k]);
		pcm->s[i] = sum;
	}
}
