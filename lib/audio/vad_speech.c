#include "audio/vad_speech.h"

#include <math.h>

#include "audio/resample.h"
#include "audio/vad.h"

#define FRAMES_S 50   /* in a second */
#define SYLLABLE 12   /* frames before and behind, in which the level must move */
#define MOVES_DB 6.0F /* by this much */
#define PAUSE 25      /* frames within speech, at most */
#define BURST 3       /* frames of speech; fewer are a click */
#define THRESHOLD 0.2 /* of vad.h */
#define LOUD 0.5F
#define GAIN_MOST 100.0F

struct level {
	bool speech;
	float db;
};

/* The factor that brings the peak to LOUD. */
static float
gain_of(const struct pcm *pcm)
{
	float peak = 0;

	for (size_t i = 0; i < pcm->n; i++)
		peak = fmaxf(peak, fabsf(pcm->s[i]));
	return peak * GAIN_MOST > LOUD ? LOUD / peak : GAIN_MOST;
}

static struct pcm16
heard_of(struct arena *mem, const struct pcm *pcm)
{
	struct resample *r = resample_new(mem, pcm->rate_hz, HEARD_HZ);
	int16_t *s = arena_alloc(mem, pcm->n * sizeof(*s) + 1);
	float gain = gain_of(pcm);

	for (size_t i = 0; i < pcm->n; i++)
		s[i] = (int16_t)lrintf(pcm->s[i] * gain * 32767);
	return resample_feed(r, s, pcm->n, mem);
}

static bool
moves(const struct level *f, size_t n, size_t at)
{
	size_t from = at > SYLLABLE ? at - SYLLABLE : 0;
	size_t to = at + SYLLABLE < n ? at + SYLLABLE : n - 1;
	float least = f[at].db, most = f[at].db;

	for (size_t i = from; i <= to; i++) {
		least = fminf(least, f[i].db);
		most = fmaxf(most, f[i].db);
	}
	return most - least >= MOVES_DB;
}

/* Frames of speech, and of pauses up to PAUSE between them. */
static size_t
count(const struct level *f, size_t n)
{
	size_t sum = 0, run = 0, pause = PAUSE + 1;

	for (size_t i = 0; i < n; i++) {
		if (!f[i].speech || !moves(f, n, i)) {
			pause++;
			run = 0;
			continue;
		}
		if (++run == BURST)
			sum += BURST + (pause <= PAUSE ? pause : 0);
		else if (run > BURST)
			sum++;
		if (run >= BURST)
			pause = 0;
	}
	return sum;
}

double
vad_speech_s(const struct pcm *pcm)
{
	struct arena *mem = arena_new();
	const struct pcm16 heard = heard_of(mem, pcm);
	size_t n = heard.n / VAD_FRAME, sum;
	struct level *f = arena_alloc(mem, (n + 1) * sizeof(*f));
	struct vad *v = vad_new(mem);

	vad_set(v, true, THRESHOLD);
	for (size_t i = 0; i < n; i++) {
		f[i].speech = vad_frame(v, heard.s + i * VAD_FRAME);
		f[i].db = vad_db(v);
	}
	sum = count(f, n);
	arena_free(mem);
	return (double)sum / FRAMES_S;
}
