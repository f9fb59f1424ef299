/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/vad.h"

#include <math.h>
#include <string.h>

#include "audio/resample.h"
#include "audio/vad_silero.h"

#define LEAST_DB (-54.0F) /* of speech; white noise of -60 dB is far below */
#define START_DB (-50.0F) /* initial noise floor */
#define ON_DB 4.0F
#define ON_DB_MORE 10.0F /* at threshold 1 */
#define HYSTERESIS_DB 3.0F
#define ON 0.3F /* the same as probabilities */
#define ON_MORE 0.4F
#define HYSTERESIS 0.15F

#define PARTS 5        /* of the window in which the floor is looked for */
#define PART_FRAMES 15 /* 0.3 s */
#define SLOW_PARTS 6   /* of the window in which pitch makes no difference */
#define SLOW_FRAMES 50 /* 1 s */

/* Pitch is looked for at a quarter of the rate, in two frames. */
#define LESS 4
#define LOW (VAD_FRAME / LESS)
#define LOW_HZ (HEARD_HZ / LESS)
#define LAG_LEAST (LOW_HZ / 400)
#define LAG_MOST (LOW_HZ / 60)
#define HAS_PITCH 0.6F

struct vad {
	bool enabled, speaking; /* speaking: the last frame was speech */
	float on_db;            /* level above the floor at which speech begins */
	struct silero *silero;  /* NULL: none */
	float on;               /* its probability at which speech begins */
	float x1, x2, y1, y2;   /* state of the high-pass */
	float low[2 * LOW];     /* the last two frames at LOW_HZ */
	float least[PARTS];     /* least level of each part; the last is being filled */
	int frames;             /* in the last part */
	float slow[SLOW_PARTS]; /* the same of all frames */
	int slow_frames;
	bool pitched; /* the last frame has a pitch */
	float db;     /* of the last frame */
};

struct vad *
vad_new(struct arena *mem)
{
	struct vad *v = arena_alloc(mem, sizeof(*v));

	for (int i = 0; i < PARTS; i++)
		v->least[i] = START_DB;
	for (int i = 0; i < SLOW_PARTS; i++)
		v->slow[i] = START_DB;
	vad_set(v, true, 0.5);
	return v;
}

void
vad_set(struct vad *v, bool enabled, double threshold)
{
	v->enabled = enabled;
	v->on_db = ON_DB + ON_DB_MORE * (float)threshold;
	v->on = ON + ON_MORE * (float)threshold;
}

void
vad_use(struct vad *v, struct silero *silero)
{
	v->silero = silero;
}

/* A Butterworth high-pass of second order at 100 Hz; 16 kHz. */
static float
pass_high(struct vad *v, float x)
{
	float y = 0.9726139F * (x - 2 * v->x1 + v->x2) + 1.9444777F * v->y1 -
		  0.9459779F * v->y2;

	v->x2 = v->x1;
	v->x1 = x;
	v->y2 = v->y1;
	v->y1 = y;
	return y;
}

/* The level of a frame in dBFS; also appends the frame to v->low. */
static float
level(struct vad *v, const int16_t *s)
{
	float sum = 0, y;

	memmove(v->low, v->low + LOW, LOW * sizeof(*v->low));
	memset(v->low + LOW, 0, LOW * sizeof(*v->low));
	for (int i = 0; i < VAD_FRAME; i++) {
		y = pass_high(v, (float)s[i] / 32768);
		sum += y * y;
		v->low[LOW + i / LESS] += y / LESS;
	}
	return 10 * log10f(sum / VAD_FRAME + 1e-10F);
}

/* The similarity of the sound to itself some time ago: 1 is identical. */
static float
resemblance(const float *x, int lag)
{
	const float *then = x, *now = x + lag;
	float product = 0, a = 1e-9F, b = 1e-9F;

	for (int i = 0; i < 2 * LOW - lag; i++) {
		product += then[i] * now[i];
		a += then[i] * then[i];
		b += now[i] * now[i];
	}
	return product / sqrtf(a * b);
}

static bool
has_pitch(const struct vad *v)
{
	for (int lag = LAG_LEAST; lag <= LAG_MOST; lag++)
		if (resemblance(v->low, lag) > HAS_PITCH)
			return true;
	return false;
}

static float
least_of(const float *x, int n)
{
	float least = INFINITY;

	for (int i = 0; i < n; i++)
		least = fminf(least, x[i]);
	return least;
}

static float
floor_db(const struct vad *v)
{
	return fmaxf(least_of(v->least, PARTS), least_of(v->slow, SLOW_PARTS));
}

/* Drop the first of n parts and begin a new last one. */
static void
next_part(float *parts, int n)
{
	memmove(parts, parts + 1, (size_t)(n - 1) * sizeof(*parts));
	parts[n - 1] = INFINITY;
}

static void
ingest_slow(struct vad *v, float db)
{
	v->slow[SLOW_PARTS - 1] = fminf(v->slow[SLOW_PARTS - 1], db);
	if (++v->slow_frames < SLOW_FRAMES)
		return;
	v->slow_frames = 0;
	next_part(v->slow, SLOW_PARTS);
}

/* A part without a frame of noise leaves the floor as it is. */
static void
ingest_floor(struct vad *v, float db)
{
	float before = least_of(v->least, PARTS);

	if (!v->pitched)
		v->least[PARTS - 1] = fminf(v->least[PARTS - 1], db);
	if (++v->frames < PART_FRAMES)
		return;
	v->frames = 0;
	next_part(v->least, PARTS);
	if (isinf(least_of(v->least, PARTS)))
		v->least[0] = before;
}

bool
vad_frame(struct vad *v, const int16_t *s)
{
	float db = level(v, s), over, p;

	v->db = db;
	v->pitched = has_pitch(v);
	ingest_slow(v, db);
	ingest_floor(v, db);
	over = db - floor_db(v) - v->on_db + (v->speaking ? HYSTERESIS_DB : 0);
	if (v->silero != NULL && (p = silero_frame(v->silero, s)) >= 0)
		over = p - v->on + (v->speaking ? HYSTERESIS : 0);
	v->speaking = db > LEAST_DB && over > 0;
	return v->speaking || !v->enabled;
}

float
vad_db(const struct vad *v)
{
	return v->db;
}

bool
vad_has_pitch(const struct vad *v)
{
	return v->pitched;
}

/* ---- the speech of a recording ---- */

#define FRAMES_S 50   /* in a second */
#define SYLLABLE 12   /* frames before and behind, in which the level must move */
#define MOVES_DB 6.0F /* by this much */
#define PAUSE 25      /* frames within speech, at most */
#define BURST 3       /* frames of speech; fewer are a click */
#define THRESHOLD 0.2 /* of vad.h */
#define LOUD 0.5F
#define GAIN_MOST 100.0F

struct frame_level {
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
moves(const struct frame_level *f, size_t n, size_t at)
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
count(const struct frame_level *f, size_t n)
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
	struct frame_level *f = arena_alloc(mem, (n + 1) * sizeof(*f));
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
