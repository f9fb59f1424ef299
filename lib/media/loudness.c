/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Noise and loudness of speech.  The noise is measured in the pauses of the sound.
 * Loudness is set by one gain for the whole sound, which keeps the speaker's dynamics;
 * a limiter lowers only the peaks that would be too high.  (loudnorm would vary the
 * gain then, and raise the noise between words.)
 */
#include <libavutil/dict.h>
#include <libavutil/mem.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "media/filter_graph.h"
#include "media/media_internal.h"

#define TARGET_LUFS (-18.0)
#define PEAK_DBTP (-2.0)
#define NEAR_LU 0.2      /* tolerance */
#define GAIN_MAX_DB 40.0 /* softer sound stays soft */
#define SILENT_LUFS (-69.0)
#define ROUNDS 4

struct loudness {
	double lufs; /* integrated */
	double peak; /* true, of full scale */
};

static double
number(const AVFrame *f, const char *key, double otherwise)
{
	const AVDictionaryEntry *e = av_dict_get(f->metadata, key, NULL, 0);

	return e != NULL ? strtod(e->value, NULL) : otherwise;
}

static bool
note_loudness(void *arg, AVFrame *f)
{
	struct loudness *l = arg;

	l->lufs = number(f, "lavfi.r128.I", l->lufs);
	l->peak = number(f, "lavfi.r128.true_peak", l->peak);
	return true;
}

static bool
measure(const struct pcm *pcm, struct loudness *l)
{
	struct filter_graph *c =
	    filter_graph_new("ebur128=metadata=1:peak=true", pcm->rate_hz);

	*l = (struct loudness){ .lufs = -INFINITY };
	return c != NULL && filter_graph_run(c, pcm->s, pcm->n, note_loudness, l);
}

/* The output of filters replaces their input. */
struct over {
	float *s;
	size_t n, max;
};

static bool
write_over(void *arg, AVFrame *f)
{
	struct over *o = arg;
	size_t n = (size_t)f->nb_samples;

	if (n > o->max - o->n)
		n = o->max - o->n;
	memcpy(o->s + o->n, f->data[0], n * sizeof(float));
	o->n += n;
	return true;
}

/* False: it failed; the sound is unchanged, unless memory ran out. */
static bool
filter(struct pcm *pcm, const char *filters)
{
	struct filter_graph *c = filter_graph_new(filters, pcm->rate_hz);
	struct over o = { .s = pcm->s, .max = pcm->n };

	if (c == NULL || !filter_graph_run(c, pcm->s, pcm->n, write_over, &o))
		return false;
	memset(o.s + o.n, 0, (o.max - o.n) * sizeof(float)); /* delayed by filters */
	return true;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The level, dBFS, that one frame of 50 ms in twenty stays below: there is only noise
 * between words.  0: too few frames.
 */
static double
noise_floor(const struct pcm *pcm)
{
	size_t step = (size_t)pcm->rate_hz / 20, n = pcm->n / step;
	double *power = av_calloc(n + 1, sizeof(*power));

	if (n < 20 || power == NULL)
		return 0;
	for (size_t i = 0; i < n * step; i++)
		power[i / step] += (double)pcm->s[i] * pcm->s[i] / (double)step;
	qsort(power, n, sizeof(*power), by_value);
	return 10 * log10(power[n / 20] + 1e-12);
}

/* Remove rumble first, as it would hide the noise floor.  The filter accepts floors of
   -80 to -20 dB. */
void
loudness_denoise(struct pcm *pcm)
{
	char filters[80];
	double floor_db;

	if (!filter(pcm, "highpass=f=60,aformat=sample_fmts=flt") ||
	    (floor_db = noise_floor(pcm)) < -80 || floor_db > -20)
		return;
	snprintf(filters, sizeof(filters),
	    "afftdn=nr=12:nf=%.1f,aformat=sample_fmts=flt", floor_db);
	filter(pcm, filters);
}

static double
from_db(double db)
{
	return pow(10, db / 20);
}

/* Limit the peaks. Peaks between samples are found at four times the sampling rate. */
static bool
hold_peaks(struct pcm *pcm)
{
	char filters[160];

	snprintf(filters, sizeof(filters),
	    "aresample=%d,alimiter=limit=%.4f:level=0:latency=1:attack=5:release=50,"
	    "aresample=%d,aformat=sample_fmts=flt",
	    pcm->rate_hz * 4, from_db(PEAK_DBTP - 0.2), pcm->rate_hz);
	return filter(pcm, filters);
}

/* Apply one gain, and the limiter if the peaks are then too high. */
static bool
come_closer(struct pcm *pcm, const struct loudness *l)
{
	double gain = from_db(fmin(TARGET_LUFS - l->lufs, GAIN_MAX_DB));

	for (size_t i = 0; i < pcm->n; i++)
		pcm->s[i] *= (float)gain;
	return l->peak * gain <= from_db(PEAK_DBTP) || hold_peaks(pcm);
}

void
loudness_bound(struct pcm *pcm, float most)
{
	for (size_t i = 0; i < pcm->n; i++)
		pcm->s[i] =
		    isfinite(pcm->s[i]) ? fminf(fmaxf(pcm->s[i], -most), most) : 0;
}

void
loudness_normalise(struct pcm *pcm)
{
	struct loudness l;

	for (int i = 0; i < ROUNDS && measure(pcm, &l) && l.lufs > SILENT_LUFS; i++)
		if ((fabs(TARGET_LUFS - l.lufs) < NEAR_LU &&
			l.peak <= from_db(PEAK_DBTP)) ||
		    !come_closer(pcm, &l))
			return;
}
