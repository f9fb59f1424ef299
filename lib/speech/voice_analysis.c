#include "speech/voice_analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define LEVEL_WIDTH 240 /* samples whose level is taken, 30 ms */
#define SILENCE_DB -90
#define PERCENT_LOUD 95
#define SPEECH_RANGE_DB 25 /* below the loud frames it is background */

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

static float
level(const float *s, size_t n)
{
	double sum = 0, mean = 0;

	for (size_t i = 0; i < n; i++) {
		sum += (double)s[i] * s[i];
		mean += s[i];
	}
	sum = sum / (double)n - mean / (double)n * (mean / (double)n);
	return (float)fmax(SILENCE_DB, 10 * log10(fmax(sum, 1e-12)));
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

struct frames
voice_analysis_frames(struct arena *mem, const struct pcm *pcm)
{
	struct frames f = { .pcm = voice_analysis_resample(mem, pcm, MEASURE_RATE_HZ,
				MEASURE_MAX_S * MEASURE_RATE_HZ) };

	f.n = f.pcm.n / MEASURE_STEP;
	f.db = arena_alloc(mem, (f.n + 1) * sizeof(*f.db));
	f.f0_hz = arena_alloc(mem, (f.n + 1) * sizeof(*f.f0_hz));
	for (size_t i = 0; i < f.n; i++) {
		size_t at = i * MEASURE_STEP, left = f.pcm.n - at;

		f.db[i] = level(f.pcm.s + at, left < LEVEL_WIDTH ? left : LEVEL_WIDTH);
	}
	f.speech_db =
	    voice_analysis_percentile(mem, f.db, f.n, PERCENT_LOUD) - SPEECH_RANGE_DB;
	voice_analysis_pitch(mem, &f);
	return f;
}

/* The pitch of voiced frames; returns how many there are. */
static size_t
voiced(struct arena *mem, const struct frames *f, float **hz)
{
	size_t n = 0;

	*hz = arena_alloc(mem, (f->n + 1) * sizeof(**hz));
	for (size_t i = 0; i < f->n; i++)
		if (f->f0_hz[i] > 0)
			(*hz)[n++] = f->f0_hz[i];
	return n;
}

enum err
voice_analysis_profile(
    struct arena *mem, const struct pcm *pcm, struct voice_profile *p)
{
	struct frames f = voice_analysis_frames(mem, pcm);
	float *hz;
	size_t n = voiced(mem, &f, &hz);

	*p = voice_profile_none();
	if ((double)n * MEASURE_STEP_S < MEASURE_LEAST_S) {
		log_warn("measure: %.2f s of voice in %.1f s of sound",
		    (double)n * MEASURE_STEP_S, (double)pcm->n / pcm->rate_hz);
		return ERR_REFUSED;
	}
	p->f0_hz = voice_analysis_percentile(mem, hz, n, 50);
	p->f0_low_hz = voice_analysis_percentile(mem, hz, n, 10);
	p->f0_high_hz = voice_analysis_percentile(mem, hz, n, 90);
	p->formant_scale = voice_analysis_formant_scale(mem, pcm, &f);
	p->syllables_s = voice_analysis_syllables(mem, &f);
	voice_analysis_spectrum(mem, pcm, &f, p->ltas_db);
	return OK;
}
