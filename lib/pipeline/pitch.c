#include "pipeline/pitch.h"

#include "audio/pcm16.h"
#include "base/arena.h"
#include "speech/voice_analysis.h"

static struct pcm
as_pcm(struct arena *mem, const int16_t *s, size_t n)
{
	struct pcm p = { .n = n, .rate_hz = HEARD_HZ };

	p.s = arena_alloc(mem, n * sizeof(*p.s));
	for (size_t i = 0; i < n; i++)
		p.s[i] = (float)s[i] / 32768;
	return p;
}

double
pitch_median(const int16_t *s, size_t n)
{
	const size_t most = (size_t)PITCH_HEARD_S * HEARD_HZ;
	struct arena *mem = arena_new();
	struct pcm pcm = as_pcm(mem, s, n < most ? n : most);
	struct frames f = voice_analysis_frames(mem, &pcm);
	float *voiced = arena_alloc(mem, (f.n + 1) * sizeof(*voiced));
	size_t nvoiced = 0;
	double hz = 0;

	for (size_t i = 0; i < f.n; i++)
		if (f.f0_hz[i] > 0)
			voiced[nvoiced++] = f.f0_hz[i];
	if (nvoiced > 0)
		hz = (double)voice_analysis_percentile(mem, voiced, nvoiced, 50);
	arena_free(mem);
	return hz;
}
