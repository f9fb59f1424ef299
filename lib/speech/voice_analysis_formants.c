/*
 * The third formant stands for the length of the vocal tract: the vowel, and so
 * the language, moves it least.  It is found right only when the analysis sees
 * as many resonances as its order has room for, which depends on the length
 * looked for.  So the ceiling of the analysis is tried from high (children) to
 * low, until the third formant is where that ceiling would have it: a scale
 * that confirms itself.
 */
#include <complex.h>
#include <math.h>

#include "speech/voice_analysis.h"

#define ORDER 10          /* of the prediction: five resonances below the ceiling */
#define WHITE 2           /* order of what evens out voice and recording */
#define WIDTH 256         /* samples, about 30 ms */
#define BEFORE 8          /* samples of history that a frame has, >= WHITE */
#define FRAMES 1200       /* are looked at, spread over the recording */
#define FRAMES_MIN 30     /* or the median means nothing */
#define REFERENCE_HZ 2540 /* third formant of eSpeak NG's own voice */
#define SCALE_MAX 1.55
#define SCALE_MIN 0.75
#define SCALE_STEP 0.1
#define LOWEST_HZ 180  /* of a formant */
#define WIDEST_HZ 600  /* its bandwidth */
#define ROUNDS 80      /* of the root finder */
#define GOOD_ROOT 1e-5 /* its precision */

/* Voiced frames of the recording at the rate whose half is the ceiling. */
struct cut {
	struct pcm pcm;
	const struct frames *f;
	size_t stride;           /* of the voiced frames, so many are one */
	double white[WHITE + 1]; /* the filter that evens out */
};

/* Levinson and Durbin; false: there is no sound. */
static bool
predict(const double *r, int order, double *a)
{
	double old[ORDER + 1], err = r[0] * (1 + 1e-9);

	a[0] = 1;
	for (int m = 1; m <= order; m++) {
		double k = r[m];

		if (!(err > 0))
			return false;
		for (int i = 1; i < m; i++) {
			k += a[i] * r[m - i];
			old[i] = a[i];
		}
		a[m] = k = -k / err;
		for (int i = 1; i < m; i++)
			a[i] = old[i] + k * old[m - i];
		err *= 1 - k * k;
	}
	return true;
}

/* The samples of a frame, NULL when it is not voiced or not whole. */
static const float *
frame(const struct cut *c, size_t i)
{
	size_t at = (size_t)((double)i * MEASURE_STEP_S * c->pcm.rate_hz);

	if (c->f->f0_hz[i] == 0 || at < BEFORE || at + WIDTH > c->pcm.n)
		return NULL;
	return c->pcm.s + at;
}

/* Every frame counts the same, however loud. */
static bool
learn_white(struct cut *c)
{
	double r[WHITE + 1] = { 0 };
	const float *s;

	for (size_t i = 0; i < c->f->n; i++) {
		double one[WHITE + 1] = { 1e-9 };

		if ((s = frame(c, i)) == NULL)
			continue;
		for (int k = 0; k <= WHITE; k++)
			for (int j = 0; j < WIDTH; j++)
				one[k] += (double)s[j] * s[j - k];
		for (int k = 0; k <= WHITE; k++)
			r[k] += one[k] / one[0];
	}
	return predict(r, WHITE, c->white);
}

/* Autocorrelation of the frame, evened out, under a Hamming window. */
static void
correlate(const struct cut *c, const float *s, double r[ORDER + 1])
{
	double w[WIDTH];

	for (int i = 0; i < WIDTH; i++) {
		w[i] = 0;
		for (int k = 0; k <= WHITE; k++)
			w[i] += c->white[k] * s[i - k];
		w[i] *= 0.54 - 0.46 * cos(2 * M_PI * i / (WIDTH - 1));
	}
	for (int k = 0; k <= ORDER; k++) {
		r[k] = 0;
		for (int i = k; i < WIDTH; i++)
			r[k] += w[i] * w[i - k];
	}
}

/* One step of Durand and Kerner for all roots; answers how far they moved. */
static double
improve(const double a[ORDER + 1], double complex z[ORDER])
{
	double moved = 0;

	for (int i = 0; i < ORDER; i++) {
		double complex v = 1, d = 1;

		for (int k = 1; k <= ORDER; k++)
			v = v * z[i] + a[k];
		for (int k = 0; k < ORDER; k++)
			d *= k == i ? 1 : z[i] - z[k];
		v /= cabs(d) < 1e-30 ? 1e-30 : d;
		z[i] -= v;
		moved = fmax(moved, cabs(v));
	}
	return moved;
}

/* The third of the resonances sharp enough to be formants; 0: there is none. */
static float
third_formant(const struct cut *c, const float *s)
{
	double r[ORDER + 1], a[ORDER + 1], rate = c->pcm.rate_hz;
	float low[3] = { HUGE_VALF, HUGE_VALF, HUGE_VALF };
	double complex z[ORDER];

	correlate(c, s, r);
	if (!predict(r, ORDER, a))
		return 0;
	for (int i = 0; i < ORDER; i++)
		z[i] = 0.9 * cexp(I * (2 * M_PI * i / ORDER + 0.4));
	for (int i = 0; i < ROUNDS && improve(a, z) > GOOD_ROOT; i++)
		;
	for (int i = 0; i < ORDER; i++) {
		float hz = (float)(carg(z[i]) * rate / (2 * M_PI));

		if (hz < LOWEST_HZ || -log(cabs(z[i])) * rate / M_PI > WIDEST_HZ)
			continue;
		for (int k = 0; k < 3; k++)
			if (hz < low[k]) {
				float next = low[k];

				low[k] = hz;
				hz = next;
			}
	}
	return isfinite(low[2]) ? low[2] : 0;
}

/* The scale that the median third formant means, under a ceiling; NaN: unknown. */
static double
scale_under(struct arena *mem, struct cut *c, const struct pcm *pcm, double ceiling)
{
	float *hz = arena_alloc(mem, (c->f->n + 1) * sizeof(*hz));
	int rate_hz = (int)lrint(MEASURE_RATE_HZ * ceiling);
	size_t n = 0, voiced = 0;
	const float *s;

	c->pcm =
	    voice_analysis_resample(mem, pcm, rate_hz, (size_t)rate_hz * MEASURE_MAX_S);
	if (!learn_white(c))
		return NAN;
	for (size_t i = 0; i < c->f->n; i++)
		if ((s = frame(c, i)) != NULL && voiced++ % c->stride == 0 &&
		    (hz[n] = third_formant(c, s)) > 0)
			n++;
	return n < FRAMES_MIN
		   ? NAN
		   : voice_analysis_percentile(mem, hz, n, 50) / REFERENCE_HZ;
}

/* Without a crossing the ceiling that comes nearest to its scale is believed. */
double
voice_analysis_formant_scale(
    struct arena *mem, const struct pcm *pcm, const struct frames *f)
{
	struct cut c = { .f = f };
	double best = NAN, nearest = HUGE_VAL, off, before = 0;

	for (size_t i = 0; i < f->n; i++)
		c.stride += f->f0_hz[i] > 0;
	c.stride = c.stride / FRAMES + 1;
	for (double at = SCALE_MAX; at > SCALE_MIN; at -= SCALE_STEP) {
		double scale = scale_under(mem, &c, pcm, at);

		off = log(scale / at);
		if (before < 0 && off >= 0)
			return (at + SCALE_STEP) * exp(log(at / (at + SCALE_STEP)) *
						       before / (before - off));
		if (fabs(off) < nearest) {
			nearest = fabs(off);
			best = scale;
		}
		before = off;
	}
	return best;
}
