#include "speech/voice_analysis.h"

#include <math.h>

#include "base/log.h"

#define LEVEL_WIDTH 240 /* samples whose level is taken, 30 ms */
#define SILENCE_DB -90
#define PERCENT_LOUD 95
#define SPEECH_RANGE_DB 25 /* below the loud frames it is background */

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
