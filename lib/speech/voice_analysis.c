/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/voice_analysis.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* ---- shared by the steps: another sampling rate, percentiles ---- */

/* Resampling: zero crossings of the sinc on each side, and table entries for each. */
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

/* Returns the sound at a point between samples; band: the cutoff as a share of half the
   rate. */
static float
sample_at(const struct pcm *p, const float *table, double at, double band)
{
	double reach = CROSSINGS / band, per_sample = band * PER_CROSSING;
	long first = (long)ceil(at - reach), last = (long)floor(at + reach);
	double sum = 0;

	if (first < 0)
		first = 0;
	if (last > (long)p->n - 1)
		last = (long)p->n - 1;
	for (long i = first; i <= last; i++)
		sum += p->s[i] * table[(long)(fabs((double)i - at) * per_sample + 0.5)];
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

/* ---- pitch ---- */

/*
 * YIN by the steps of the paper: 2 difference function, 3 its cumulative mean
 * normalisation, 4 absolute threshold, 5 parabolic interpolation. Step 6, the best
 * local estimate, is replaced by a second run with narrower limits.
 */
#define PITCH_WIDTH 240 /* samples that are compared, 30 ms */
#define LAG_MAX 160     /* the lag of 50 Hz */
#define HZ_MIN 50.0
#define HZ_MAX 550.0
#define PITCH_SMOOTH 8  /* samples: the paper's low pass, a window of 1 ms */
#define THRESHOLD 0.15f /* aperiodic power: the first lag below it is used */
/* aperiodic power: a frame is voiced if its best lag is below it */
#define VOICED 0.4f
#define RUN_MIN 4  /* frames; shorter runs of voiced frames are ignored */
#define JUMP 1.25f /* factor from frame to frame; above it another run begins */

struct limits {
	int first, last; /* range of lags */
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

		for (int i = 0; i < PITCH_WIDTH; i++)
			v += (s[i] - s[i + lag]) * (s[i] - s[i + lag]);
		sum += v;
		d[lag] = sum > 0 ? v * (float)lag / sum : 1;
	}
}

/* Returns the first dip below the threshold, else the deepest dip; 0: no voice. */
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

		for (size_t k = i < PITCH_SMOOTH ? 0 : i - PITCH_SMOOTH + 1; k <= i;
		     k++)
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
		bool whole = at + PITCH_WIDTH + LAG_MAX + 2 <= f->pcm.n;

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

/* ---- syllables ---- */

#define DIP_DB 2           /* least dip between one syllable nucleus and the next */
#define PAUSE 30           /* frames of silence that are a pause */
#define RATE_SMOOTH 3      /* frames on either side for smoothing */
#define SPEAKING_LEAST 100 /* least frames of speaking time */

static float *
smooth(struct arena *mem, const struct frames *f)
{
	float *db = arena_alloc(mem, (f->n + 1) * sizeof(*db));

	for (size_t i = 0; i < f->n; i++) {
		size_t from = i < RATE_SMOOTH ? 0 : i - RATE_SMOOTH;
		size_t to = i + RATE_SMOOTH < f->n ? i + RATE_SMOOTH : f->n - 1;

		for (size_t k = from; k <= to; k++)
			db[i] += f->db[k];
		db[i] /= (float)(to - from + 1);
	}
	return db;
}

static int
nuclei(const struct frames *f, const float *db)
{
	float top = -99, dip = -99;
	bool rising = true, has_voice = false;
	int n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (rising && db[i] > top) {
			top = db[i];
			has_voice = f->f0_hz[i] > 0;
		} else if (rising && db[i] < top - DIP_DB) {
			n += has_voice && top > f->speech_db;
			rising = false;
			dip = db[i];
		} else if (!rising && db[i] < dip)
			dip = db[i];
		else if (!rising && db[i] > dip + DIP_DB) {
			rising = true;
			top = db[i];
			has_voice = f->f0_hz[i] > 0;
		}
	}
	return n;
}

/* Count the frames of speech, including short pauses. */
static size_t
speaking(const struct frames *f)
{
	size_t n = 0, quiet = PAUSE;

	for (size_t i = 0; i < f->n; i++)
		if (f->db[i] <= f->speech_db)
			quiet++;
		else {
			n += 1 + (quiet < PAUSE ? quiet : 0);
			quiet = 0;
		}
	return n;
}

double
voice_analysis_syllables(struct arena *mem, const struct frames *f)
{
	size_t n = speaking(f);

	if (n < SPEAKING_LEAST)
		return NAN;
	return nuclei(f, smooth(mem, f)) / ((double)n * MEASURE_STEP_S);
}

/* ---- formants ---- */

/*
 * The third formant shows the length of the vocal tract, because the vowel, and so the
 * language, changes it least. The analysis finds it only if the range below its ceiling
 * has as many resonances as the order allows, which depends on that length. So ceilings
 * are tried from high (children) to low, until the third formant has the scale for
 * which the ceiling is right.
 */
#define ORDER 10 /* order of the prediction: five resonances below the ceiling */
#define WHITE 2  /* order of the filter that removes the tilt of voice and recording */
#define FORMANT_WIDTH 256 /* samples, about 30 ms */
#define BEFORE 8          /* samples of history that a frame has, >= WHITE */
#define FRAMES 1200       /* frames used at most, spread over the recording */
#define FRAMES_MIN 30     /* least frames for a meaningful median */
#define REFERENCE_HZ 2540 /* third formant of eSpeak NG's own voice */
#define SCALE_MAX 1.55
#define SCALE_MIN 0.75
#define SCALE_STEP 0.1
#define LOWEST_HZ 180  /* least frequency of a formant */
#define WIDEST_HZ 600  /* greatest bandwidth of a formant */
#define ROUNDS 80      /* steps of the root finder */
#define GOOD_ROOT 1e-5 /* precision of the roots */

/* Voiced frames of the recording, resampled so that half the rate is the ceiling. */
struct cut {
	struct pcm pcm;
	const struct frames *f;
	size_t stride;           /* one frame is used of this many voiced ones */
	double white[WHITE + 1]; /* coefficients of the filter that removes the tilt */
};

/* Linear prediction by Levinson and Durbin; false: there is no sound. */
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

/* Returns the samples of a frame, NULL if it is not voiced or incomplete. */
static const float *
frame_at(const struct cut *c, size_t i)
{
	size_t at = (size_t)((double)i * MEASURE_STEP_S * c->pcm.rate_hz);

	if (c->f->f0_hz[i] == 0 || at < BEFORE || at + FORMANT_WIDTH > c->pcm.n)
		return NULL;
	return c->pcm.s + at;
}

/* Learn the filter that removes the tilt. Every frame has the same weight, however
   loud. */
static bool
learn_white(struct cut *c)
{
	double r[WHITE + 1] = { 0 };
	const float *s;

	for (size_t i = 0; i < c->f->n; i++) {
		double one[WHITE + 1] = { 1e-9 };

		if ((s = frame_at(c, i)) == NULL)
			continue;
		for (int k = 0; k <= WHITE; k++)
			for (int j = 0; j < FORMANT_WIDTH; j++)
				one[k] += (double)s[j] * s[j - k];
		for (int k = 0; k <= WHITE; k++)
			r[k] += one[k] / one[0];
	}
	return predict(r, WHITE, c->white);
}

/* Autocorrelation of the filtered frame, under a Hamming window. */
static void
correlate(const struct cut *c, const float *s, double r[ORDER + 1])
{
	double w[FORMANT_WIDTH];

	for (int i = 0; i < FORMANT_WIDTH; i++) {
		w[i] = 0;
		for (int k = 0; k <= WHITE; k++)
			w[i] += c->white[k] * s[i - k];
		w[i] *= 0.54 - 0.46 * cos(2 * M_PI * i / (FORMANT_WIDTH - 1));
	}
	for (int k = 0; k <= ORDER; k++) {
		r[k] = 0;
		for (int i = k; i < FORMANT_WIDTH; i++)
			r[k] += w[i] * w[i - k];
	}
}

/* One step of Durand and Kerner for all roots; returns how far they moved. */
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

/* The frequency of the third formant, Hz: the third lowest resonance that is narrow
   enough. 0: there are fewer. */
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

/*
 * Returns the scale that results from the median third formant under a ceiling; NaN:
 * unknown.
 */
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
		if ((s = frame_at(c, i)) != NULL && voiced++ % c->stride == 0 &&
		    (hz[n] = third_formant(c, s)) > 0)
			n++;
	return n < FRAMES_MIN
		   ? NAN
		   : voice_analysis_percentile(mem, hz, n, 50) / REFERENCE_HZ;
}

/*
 * Returns the scale at which both agree. Without a crossing, the scale nearest to its
 * ceiling.
 */
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

/* ---- spectrum ---- */

#define SECTIONS 2 /* second-order filters in series */
/* dB below the whole; below it there is no sound, or noise of the recording */
#define FLOOR_DB -60
#define EDGE 0.9 /* share of half the rate below which a band must end */

/* R. Bristow-Johnson's band pass, 0 dB at the centre. */
struct section {
	double b0, a1, a2; /* b1 is 0, b2 is -b0 */
	double x1, x2, y1, y2;
};

static struct section
band_pass(double hz, double octaves, double rate_hz)
{
	double w = 2 * M_PI * hz / rate_hz;
	double alpha = sin(w) * sinh(log(2) / 2 * octaves * w / sin(w));

	return (struct section){ .b0 = alpha / (1 + alpha),
		.a1 = -2 * cos(w) / (1 + alpha),
		.a2 = (1 - alpha) / (1 + alpha) };
}

static double
filter(struct section *s, double x)
{
	double y = s->b0 * (x - s->x2) - s->a1 * s->y1 - s->a2 * s->y2;

	s->x2 = s->x1;
	s->x1 = x;
	s->y2 = s->y1;
	s->y1 = y;
	return y;
}

/* True if the frame that contains a sample of the recording is speech. */
static bool
in_speech(const struct frames *f, size_t i, int rate_hz)
{
	size_t frame = (size_t)((double)i / rate_hz / MEASURE_STEP_S);

	return frame < f->n && f->db[frame] > f->speech_db;
}

static double
band_power(const struct pcm *pcm, const bool *speech, double hz)
{
	struct section s[SECTIONS];
	double sum = 0;

	for (int k = 0; k < SECTIONS; k++)
		s[k] = band_pass(hz, 0.5, pcm->rate_hz);
	for (size_t i = 0; i < pcm->n; i++) {
		double v = pcm->s[i];

		for (int k = 0; k < SECTIONS; k++)
			v = filter(&s[k], v);
		if (speech[i])
			sum += v * v;
	}
	return sum;
}

void
voice_analysis_spectrum(struct arena *mem, const struct pcm *pcm,
    const struct frames *f, double ltas_db[PROFILE_BANDS])
{
	struct pcm heard = *pcm;
	bool *speech;
	double power[PROFILE_BANDS] = { 0 }, all = 0;

	if (heard.n > (size_t)pcm->rate_hz * MEASURE_MAX_S)
		heard.n = (size_t)pcm->rate_hz * MEASURE_MAX_S;
	speech = arena_alloc(mem, heard.n + 1);
	for (size_t i = 0; i < heard.n; i++)
		speech[i] = in_speech(f, i, pcm->rate_hz);
	for (int b = 0; b < PROFILE_BANDS; b++) {
		double hz = voice_profile_band_hz(b);

		if (hz * pow(2, 1 / 6.0) < pcm->rate_hz / 2.0 * EDGE)
			power[b] = band_power(&heard, speech, hz);
		all += power[b];
	}
	for (int b = 0; b < PROFILE_BANDS; b++) {
		ltas_db[b] = 10 * log10(power[b] / all);
		if (!(ltas_db[b] > FLOOR_DB))
			ltas_db[b] = NAN;
	}
}

/* ---- the profile ---- */

#define LEVEL_WIDTH 240 /* samples over which the level is measured, 30 ms */
#define SILENCE_DB -90
#define PERCENT_LOUD 95
/* dB below the loud frames; softer frames are background */
#define SPEECH_RANGE_DB 25

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

/* Get the pitch of voiced frames; returns their number. */
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
