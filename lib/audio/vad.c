/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/vad.h"

#include <math.h>
#include <string.h>

#include "audio/resample.h"
#include "audio/vad_silero.h"

/* least level of speech; white noise of -60 dB is far below */
#define LEAST_DB (-54.0F)
#define START_DB (-50.0F) /* initial noise floor */
#define ON_DB 4.0F
#define ON_DB_MORE 10.0F /* added to ON_DB at threshold 1 */
#define HYSTERESIS_DB 3.0F
#define BANDS_LEAST_DB (-45.0F) /* least noise floor at which bands are compared */
#define BANDS_ON_DB 6.0F        /* ON_DB and HYSTERESIS_DB when bands are compared */
#define BANDS_HYSTERESIS_DB 5.0F
#define ON 0.3F /* ON_DB, its addition and HYSTERESIS_DB as probabilities */
#define ON_MORE 0.4F
#define HYSTERESIS 0.15F

#define PARTS 5        /* parts of the window whose minimum is the noise floor */
#define PART_FRAMES 15 /* 0.3 s */
#define SLOW_PARTS 6   /* parts of the window in which frames with a pitch count, too */
#define SLOW_FRAMES 50 /* 1 s */

/* The pitch is searched at a quarter of the rate, within two frames. */
#define LESS 4
#define LOW (VAD_FRAME / LESS)
#define LOW_HZ (HEARD_HZ / LESS)
#define LAG_LEAST (LOW_HZ / 400)
#define LAG_MOST (LOW_HZ / 60)
#define HAS_PITCH 0.6F

#define BANDS 6
#define BAND_Q 1.6F
#define SMOOTH 0.6F /* weight of the previous frames in the power of a band */

struct noise_floor {
	float least[PARTS];     /* least level of each part; the last is being filled */
	float slow[SLOW_PARTS]; /* as least, but including frames with a pitch */
};

struct band {
	float b0, a1, a2;     /* coefficients of the band-pass */
	float x1, x2, y1, y2; /* state of the filter */
	float power;          /* smoothed power */
	struct noise_floor floor;
};

static const float centres_hz[BANDS] = { 200, 400, 700, 1200, 2000, 3200 };

struct vad {
	bool enabled, speaking; /* speaking: the last frame was speech */
	float more_db;          /* dB added to ON_DB for the threshold that was set */
	struct silero *silero;  /* NULL: no network is used */
	float on;               /* probability of the network at which speech begins */
	float x1, x2, y1, y2;   /* state of the high-pass */
	float low[2 * LOW];     /* the last two frames at LOW_HZ */
	struct noise_floor floor;
	struct band bands[BANDS];
	int frames, slow_frames; /* frames so far in the last part of the floors */
	bool pitched;            /* the last frame has a pitch */
	float db;                /* level of the last frame, dBFS */
};

static void
begin_floor(struct noise_floor *f)
{
	for (int i = 0; i < PARTS; i++)
		f->least[i] = START_DB;
	for (int i = 0; i < SLOW_PARTS; i++)
		f->slow[i] = START_DB;
}

/* The band-pass of R. Bristow-Johnson's "Cookbook formulae for audio EQ biquad filter
   coefficients", with a gain of 1 at its centre. */
static void
begin_band(struct band *b, float centre_hz)
{
	float w = 2 * (float)M_PI * centre_hz / HEARD_HZ,
	      alpha = sinf(w) / (2 * BAND_Q);

	*b = (struct band){ .b0 = alpha / (1 + alpha),
		.a1 = -2 * cosf(w) / (1 + alpha),
		.a2 = (1 - alpha) / (1 + alpha) };
	begin_floor(&b->floor);
}

struct vad *
vad_new(struct arena *mem)
{
	struct vad *v = arena_alloc(mem, sizeof(*v));

	begin_floor(&v->floor);
	for (int i = 0; i < BANDS; i++)
		begin_band(&v->bands[i], centres_hz[i]);
	vad_set(v, true, 0.5);
	return v;
}

void
vad_set(struct vad *v, bool enabled, double threshold)
{
	v->enabled = enabled;
	v->more_db = ON_DB_MORE * (float)threshold;
	v->on = ON + ON_MORE * (float)threshold;
}

void
vad_use(struct vad *v, struct silero *silero)
{
	v->silero = silero;
}

/* A Butterworth high-pass of second order at 100 Hz, for a rate of 16 kHz. */
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

/* The similarity of the sound to itself `lag` samples earlier; 1 is identical. */
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
floor_db(const struct noise_floor *f)
{
	return fmaxf(least_of(f->least, PARTS), least_of(f->slow, SLOW_PARTS));
}

/* Drop the first of n parts and begin a new last one. */
static void
next_part(float *parts, int n)
{
	memmove(parts, parts + 1, (size_t)(n - 1) * sizeof(*parts));
	parts[n - 1] = INFINITY;
}

/*
 * Add a level to the floor; return the difference to the floor in dB. A part that has
 * only frames with a pitch does not change the floor.
 */
static float
over_floor(const struct vad *v, struct noise_floor *f, float db)
{
	float before = least_of(f->least, PARTS);

	f->slow[SLOW_PARTS - 1] = fminf(f->slow[SLOW_PARTS - 1], db);
	if (!v->pitched)
		f->least[PARTS - 1] = fminf(f->least[PARTS - 1], db);
	if (v->slow_frames == 0)
		next_part(f->slow, SLOW_PARTS);
	if (v->frames == 0) {
		next_part(f->least, PARTS);
		if (isinf(least_of(f->least, PARTS)))
			f->least[0] = before;
	}
	return db - floor_db(f);
}

static float
band_db(struct band *b, const int16_t *s)
{
	float sum = 0;

	for (int i = 0; i < VAD_FRAME; i++) {
		float x = (float)s[i] / 32768;
		float y = b->b0 * (x - b->x2) - b->a1 * b->y1 - b->a2 * b->y2;

		b->x2 = b->x1;
		b->x1 = x;
		b->y2 = b->y1;
		b->y1 = y;
		sum += y * y;
	}
	b->power = SMOOTH * b->power + (1 - SMOOTH) * sum / VAD_FRAME;
	return 10 * log10f(b->power + 1e-10F);
}

/* The level of the two bands that are most above their floors, in dB above them on
   average. */
static float
bands_over(struct vad *v, const int16_t *s)
{
	float first = -INFINITY, second = -INFINITY;

	for (int i = 0; i < BANDS; i++) {
		struct band *b = &v->bands[i];
		float over = over_floor(v, &b->floor, band_db(b, s));

		second = fmaxf(second, fminf(first, over));
		first = fmaxf(first, over);
	}
	return (first + second) / 2;
}

/* The distance in dB of a frame from the level at which speech begins or continues. */
static float
stands_out(struct vad *v, const int16_t *s)
{
	float over, of_bands, p;

	v->db = level(v, s);
	v->pitched = has_pitch(v);
	v->frames = (v->frames + 1) % PART_FRAMES;
	v->slow_frames = (v->slow_frames + 1) % SLOW_FRAMES;
	over = over_floor(v, &v->floor, v->db) - ON_DB - v->more_db +
	       (v->speaking ? HYSTERESIS_DB : 0);
	of_bands = bands_over(v, s) - BANDS_ON_DB - v->more_db +
		   (v->speaking ? BANDS_HYSTERESIS_DB : 0);
	if (v->silero != NULL && (p = silero_frame(v->silero, s)) >= 0)
		return p - v->on + (v->speaking ? HYSTERESIS : 0);
	return floor_db(&v->floor) > BANDS_LEAST_DB ? fmaxf(over, of_bands) : over;
}

bool
vad_frame(struct vad *v, const int16_t *s)
{
	bool stands = stands_out(v, s) > 0;

	v->speaking = stands && v->db > LEAST_DB;
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

#define FRAMES_S 50   /* frames in a second */
#define SYLLABLE 12   /* frames before and after, over which the level must vary */
#define MOVES_DB 6.0F /* dB by which it must vary */
#define PAUSE 25      /* longest pause within speech, in frames */
#define BURST 3       /* shortest speech in frames; a shorter sound is a click */
#define THRESHOLD 0.2 /* threshold of vad_set() */
#define LOUD 0.5F
#define GAIN_MOST 100.0F

struct frame_level {
	bool speech;
	float db;
};

/* The factor that raises the peak to LOUD. */
static float
gain_of(const struct pcm *pcm)
{
	float peak = 0;

	for (size_t i = 0; i < pcm->n; i++)
		peak = fmaxf(peak, fabsf(pcm->s[i]));
	return peak * GAIN_MOST > LOUD ? LOUD / peak : GAIN_MOST;
}

static struct pcm16
resampled(struct arena *mem, const struct pcm *pcm)
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

/* Count the frames of speech, and of pauses up to PAUSE between them. */
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
	const struct pcm16 heard = resampled(mem, pcm);
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
