/* What the steps of the analysis share: another sampling rate, percentiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "speech/voice_analysis.h"

/* Resampling: zero crossings of the sinc on each side, table entries for each. */
#define CROSSINGS 16
#define PER_CROSSING 256
#define KAISER_BETA 8.0

static double
bessel0(double x)
{
	double sum = 1, term = 1;

	for (int k = 1; k < 40; k++) {
		term *= x / (2 * k) * (x / (2 * k));
		sum += term;
	}
	return sum;
}

/* One side of the kernel: sinc times window, by zero crossings from 0. */
static float *
sinc_table(struct arena *mem)
{
	size_t n = CROSSINGS * PER_CROSSING;
	float *t = arena_alloc(mem, (n + 2) * sizeof(*t));

	for (size_t i = 0; i <= n; i++) {
		double x = (double)i / PER_CROSSING, r = x / CROSSINGS;
		double w =
		    bessel0(KAISER_BETA * sqrt(1 - r * r)) / bessel0(KAISER_BETA);

		t[i] = (float)(i == 0 ? 1 : w * sin(M_PI * x) / (M_PI * x));
	}
	return t;
}

/* The sound at a point between samples; band is the cutoff over the rate / 2. */
static float
sample_at(const struct pcm *p, const float *table, double at, double band)
{
	double reach = CROSSINGS / band;
	long first = (long)ceil(at - reach), last = (long)floor(at + reach);
	double sum = 0;

	if (first < 0)
		first = 0;
	if (last > (long)p->n - 1)
		last = (long)p->n - 1;
	for (long i = first; i <= last; i++)
		sum +=
		    p->s[i] * table[lrint(fabs((double)i - at) * band * PER_CROSSING)];
	return (float)(sum * band);
}

struct pcm
voice_analysis_resample(
    struct arena *mem, const struct pcm *from, int rate_hz, size_t most)
{
	double step = (double)from->rate_hz / rate_hz;
	double band = 0.94 * (step > 1 ? 1 / step : 1);
	double n = floor((double)from->n / step);
	struct pcm to = { .rate_hz = rate_hz,
		.n = n < (double)most ? (size_t)n : most };
	float *table = sinc_table(mem);

	to.s = arena_alloc(mem, (to.n + 1) * sizeof(*to.s));
	for (size_t i = 0; i < to.n; i++)
		to.s[i] = sample_at(from, table, (double)i * step, band);
	return to;
}

static int
by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

float
voice_analysis_percentile(struct arena *mem, const float *v, size_t n, int percent)
{
	float *copy = arena_alloc(mem, (n + 1) * sizeof(*copy));

	if (n == 0)
		return NAN;
	memcpy(copy, v, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), by_size);
	return copy[(n - 1) * (size_t)percent / 100];
}
