#include <math.h>

#include "speech/voice_analysis.h"

#define SECTIONS 2   /* second-order filters in a row */
#define FLOOR_DB -60 /* below the whole: no sound, or the recording's noise */
#define EDGE 0.9     /* of half the rate, where a band must end */

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

/* Frame of the analysis that a sample of the recording falls into. */
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
