/*
 * YIN in its steps of the paper: 2 difference function, 3 its cumulative mean
 * normalisation, 4 absolute threshold, 5 parabolic interpolation.  Step 6, the
 * best local estimate, gives way to a second run between narrower limits.
 */
#include <math.h>
#include <string.h>

#include "speech/voice_analysis.h"

#define WIDTH 240   /* samples that are compared, 30 ms */
#define LAG_MAX 160 /* 50 Hz */
#define HZ_MIN 50.0
#define HZ_MAX 550.0
#define SMOOTH 8        /* samples; the paper's low pass, a window of 1 ms */
#define THRESHOLD 0.15f /* of aperiodic power: the first lag below is taken */
#define VOICED 0.4f     /* the same: the best lag is, if below */
#define RUN_MIN 4       /* frames; shorter voices are accidents */
#define JUMP 1.25f      /* from frame to frame; more is another run */

struct limits {
	int first, last; /* lags */
};

static struct limits
limits(double low_hz, double high_hz)
{
	struct limits l = { (int)floor(MEASURE_RATE_HZ / fmin(high_hz, HZ_MAX)),
		(int)ceil(MEASURE_RATE_HZ / fmax(low_hz, HZ_MIN)) };

	if (l.last > LAG_MAX)
		l.last = LAG_MAX;
	return l;
}

/* The normalised difference of a frame with itself, by lag. */
static void
difference(const float *s, int last, float d[LAG_MAX + 2])
{
	float sum = 0;

	d[0] = 1;
	for (int lag = 1; lag <= last + 1; lag++) {
		float v = 0;

		for (int i = 0; i < WIDTH; i++)
			v += (s[i] - s[i + lag]) * (s[i] - s[i + lag]);
		sum += v;
		d[lag] = sum > 0 ? v * (float)lag / sum : 1;
	}
}

/* The first dip under the threshold, else the deepest; 0: none is voice. */
static int
dip(const float *d, struct limits l)
{
	int best = l.first;

	for (int lag = l.first; lag <= l.last; lag++) {
		if (d[lag] < d[best])
			best = lag;
		if (d[best] < THRESHOLD && d[lag] > d[best])
			break;
	}
	return d[best] < VOICED && best > l.first && best < l.last ? best : 0;
}

static float
frame_pitch(const float *s, struct limits l)
{
	float d[LAG_MAX + 2], bend;
	int lag;

	difference(s, l.last, d);
	if ((lag = dip(d, l)) == 0)
		return 0;
	bend = d[lag - 1] - 2 * d[lag] + d[lag + 1];
	return MEASURE_RATE_HZ /
	       ((float)lag + (bend > 0 ? (d[lag - 1] - d[lag + 1]) / (2 * bend) : 0));
}

static float *
low_pass(struct arena *mem, const struct pcm *pcm)
{
	float *to = arena_alloc(mem, (pcm->n + 1) * sizeof(*to));

	for (size_t i = 0; i < pcm->n; i++) {
		float sum = 0;

		for (size_t k = i < SMOOTH ? 0 : i - SMOOTH + 1; k <= i; k++)
			sum += pcm->s[k];
		to[i] = sum;
	}
	return to;
}

static void
track(struct frames *f, const float *s, struct limits l)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t at = i * MEASURE_STEP;
		bool whole = at + WIDTH + LAG_MAX + 2 <= f->pcm.n;

		f->f0_hz[i] =
		    whole && f->db[i] > f->speech_db ? frame_pitch(s + at, l) : 0;
	}
}

static bool
continues(float a, float b)
{
	return b > 0 && a < b * JUMP && b < a * JUMP;
}

static void
drop_short_runs(struct frames *f)
{
	size_t start, i = 0;

	while (i < f->n) {
		start = i++;
		if (f->f0_hz[start] == 0)
			continue;
		while (i < f->n && continues(f->f0_hz[i - 1], f->f0_hz[i]))
			i++;
		if (i - start < RUN_MIN)
			memset(f->f0_hz + start, 0, (i - start) * sizeof(*f->f0_hz));
	}
}

void
voice_analysis_pitch(struct arena *mem, struct frames *f)
{
	float *hz = arena_alloc(mem, (f->n + 1) * sizeof(*hz));
	float *s = low_pass(mem, &f->pcm);
	size_t n = 0;

	track(f, s, limits(HZ_MIN, HZ_MAX));
	drop_short_runs(f);
	for (size_t i = 0; i < f->n; i++)
		if (f->f0_hz[i] > 0)
			hz[n++] = f->f0_hz[i];
	if (n == 0)
		return;
	track(f, s,
	    limits(0.75 * voice_analysis_percentile(mem, hz, n, 25),
		1.9 * voice_analysis_percentile(mem, hz, n, 75)));
	drop_short_runs(f);
}
