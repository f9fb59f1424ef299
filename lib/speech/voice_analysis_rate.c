#include <math.h>

#include "speech/voice_analysis.h"

#define DIP_DB 2  /* between one nucleus and the next */
#define PAUSE 30  /* frames of silence that are not speaking */
#define SMOOTH 3  /* frames either side */
#define LEAST 100 /* frames of speaking */

static float *
smooth(struct arena *mem, const struct frames *f)
{
	float *db = arena_alloc(mem, (f->n + 1) * sizeof(*db));

	for (size_t i = 0; i < f->n; i++) {
		size_t from = i < SMOOTH ? 0 : i - SMOOTH;
		size_t to = i + SMOOTH < f->n ? i + SMOOTH : f->n - 1;

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

/* Frames in which somebody speaks, short pauses included. */
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

	if (n < LEAST)
		return NAN;
	return nuclei(f, smooth(mem, f)) / ((double)n * MEASURE_STEP_S);
}
