/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/voice_level.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "audio/lufs.h"
#include "base/buf.h"
#include "base/hash.h"

#define VOICES 64
#define KNOWN_BLOCKS 30  /* sound after which a voice's gain is known: 3 s */
#define GAIN_MOST 32.0F  /* 30 dB */
#define INPUT_MOST 16.0F /* samples above this are cut */

/* ---- peaks ---- */

/*
 * Lowers peaks above VOICE_PEAK. Within a block the gain changes linearly; at an edge
 * it is low enough for both blocks. This delays the sound by one block.
 */
#define BLOCK_MS 5
#define RELEASE 1.02F /* a block */
#define BLOCK_MOST (192000 * BLOCK_MS / 1000)

struct limiter {
	float held[BLOCK_MOST]; /* the previous block, with the voice's gain */
	size_t n;
	float edge; /* gain at the block's beginning */
	float need; /* gain that the block needs */
};

static float
needed(const float *s, size_t n)
{
	float peak = 0;

	for (size_t i = 0; i < n; i++)
		peak = fmaxf(peak, fabsf(s[i]));
	return peak > VOICE_PEAK ? VOICE_PEAK / peak : 1;
}

/*
 * Write the held block, whose gain at its end is `edge`; returns the number of samples.
 */
static size_t
release(struct limiter *l, float edge, float *to)
{
	for (size_t i = 0; i < l->n; i++) {
		float at = (float)(i + 1) / (float)l->n;

		to[i] = l->held[i] * (l->edge + (edge - l->edge) * at);
	}
	l->edge = edge;
	return l->n;
}

/* Limit a block of sound; returns the number of samples in `to`. */
static size_t
limit_block(struct limiter *l, const float *s, size_t n, float *to)
{
	float need = needed(s, n);
	float edge = fminf(fminf(l->need, need), l->edge * RELEASE);
	size_t out;

	if (l->n == 0)
		l->edge = edge = need;
	out = release(l, edge, to);
	memcpy(l->held, s, n * sizeof(*s));
	l->n = n;
	l->need = need;
	return out;
}

/* ---- the voices ---- */

struct voice {
	uint64_t id;   /* 0: free */
	uint64_t used; /* when: number of the last use */
	struct lufs loudness;
};

struct voice_levels {
	pthread_mutex_t lock;
	uint64_t uses;
	struct voice voice[VOICES];
};

static void
destroy(void *levels)
{
	pthread_mutex_destroy(&((struct voice_levels *)levels)->lock);
}

struct voice_levels *
voice_levels_new(struct arena *mem)
{
	struct voice_levels *v = arena_alloc(mem, sizeof(*v));

	pthread_mutex_init(&v->lock, NULL);
	arena_defer(mem, destroy, v);
	return v;
}

/*
 * Returns the key of a voice and language, because languages of one voice may differ in
 * loudness.
 */
static uint64_t
id_of(struct arena *mem, const struct engine_at *at, const struct tts_text *t)
{
	const char *key = arena_printf(mem, "%s\n%s\n%d\n%.*s", at->id,
	    t->voice != NULL ? t->voice : "", t->voice == NULL && t->high,
	    (int)strcspn(t->lang, "-_"), t->lang);
	uint64_t id = hash_own(key, strlen(key));

	return id != 0 ? id : 1;
}

/*
 * Returns the entry of the voice; for a new voice the entry that was used longest ago
 * is replaced. Called with the lock held.
 */
static struct voice *
find(struct voice_levels *v, uint64_t id)
{
	struct voice *to = &v->voice[0];

	for (int i = 0; i < VOICES && to->id != id; i++)
		if (v->voice[i].id == id || v->voice[i].used < to->used)
			to = &v->voice[i];
	if (to->id != id)
		*to = (struct voice){ .id = id };
	to->used = ++v->uses;
	return to;
}

/* ---- one utterance ---- */

struct leveller {
	struct voice_levels *levels;
	struct arena *mem;
	uint64_t id;
	tts_sink *sink;
	void *to;
	struct lufs before, now; /* loudness of the voice, and of this utterance */
	struct lufs_meter meter;
	int rate_hz; /* 0: no sound yet */
	bool known;  /* the gain is set */
	bool enough; /* the sink wants no more */
	float gain;
	struct buf early; /* sound (float) before the gain is known */
	struct limiter limiter;
	float block[BLOCK_MOST]; /* nblock samples of the current block */
	size_t nblock;
};

/* Returns the gain of a sound; 1 if there is only silence. */
static float
gain_to(const struct lufs *l)
{
	double lufs = lufs_integrated(l);

	return isnan(lufs) ? 1
			   : fminf((float)pow(10, (VOICE_LUFS - lufs) / 20), GAIN_MOST);
}

static bool
pass(struct leveller *l, float *s, size_t n)
{
	const struct pcm pcm = { s, n, l->rate_hz };

	l->enough |= n > 0 && !l->sink(l->to, &pcm);
	return !l->enough;
}

static bool
level(struct leveller *l, const float *s, size_t n)
{
	const size_t whole = (size_t)l->rate_hz * BLOCK_MS / 1000;
	float *out = arena_alloc(l->mem, (n + 2 * whole) * sizeof(*out));
	size_t nout = 0;

	for (size_t i = 0; i < n; i++) {
		l->block[l->nblock++] = s[i] * l->gain;
		if (l->nblock == whole) {
			nout += limit_block(&l->limiter, l->block, whole, out + nout);
			l->nblock = 0;
		}
	}
	return pass(l, out, nout);
}

static bool
set_gain(struct leveller *l)
{
	struct lufs all = l->before;

	lufs_add(&all, &l->now);
	l->gain = gain_to(&all);
	l->known = true;
	return level(
	    l, (const float *)(const void *)l->early.p, l->early.len / sizeof(float));
}

static float
bounded(float v)
{
	return isfinite(v) ? fmaxf(-INPUT_MOST, fminf(INPUT_MOST, v)) : 0;
}

static bool
take(void *arg, const struct pcm *pcm)
{
	struct leveller *l = arg;
	float *s = arena_alloc(l->mem, pcm->n * sizeof(*s));

	for (size_t i = 0; i < pcm->n; i++)
		s[i] = bounded(pcm->s[i]);
	if (l->rate_hz == 0) {
		l->rate_hz = pcm->rate_hz;
		lufs_begin(&l->meter, &l->now, l->rate_hz);
	}
	lufs_put(&l->meter, s, pcm->n);
	if (l->known)
		return level(l, s, pcm->n);
	buf_put(&l->early, s, pcm->n * sizeof(*s));
	if (l->before.blocks < KNOWN_BLOCKS &&
	    l->early.len / sizeof(*s) < (size_t)l->rate_hz)
		return true;
	return set_gain(l);
}

/* End the utterance: pass on the rest of its sound. */
static void
end(struct leveller *l)
{
	float *out;
	size_t n;

	lufs_end(&l->meter);
	if (l->enough || (!l->known && !set_gain(l)))
		return;
	out = arena_alloc(l->mem, sizeof(l->limiter.held) + sizeof(l->block));
	n = limit_block(&l->limiter, l->block, l->nblock, out);
	n += release(&l->limiter, l->limiter.need, out + n);
	(void)pass(l, out, n);
}

static void
note(struct leveller *l)
{
	pthread_mutex_lock(&l->levels->lock);
	lufs_add(&find(l->levels, l->id)->loudness, &l->now);
	pthread_mutex_unlock(&l->levels->lock);
}

enum err
voice_level_speak(struct voice_levels *v, const struct registry_engine *en,
    struct arena *mem, const struct tts_text *t, tts_sink *sink, void *to)
{
	struct leveller *l = arena_alloc(mem, sizeof(*l));
	enum err e;

	*l = (struct leveller){ .levels = v,
		.mem = mem,
		.id = id_of(mem, &en->at, t),
		.sink = sink,
		.to = to,
		.early.mem = mem };
	pthread_mutex_lock(&v->lock);
	l->before = find(v, l->id)->loudness;
	pthread_mutex_unlock(&v->lock);
	e = en->tts->synthesize(&en->at, mem, t, take, l);
	if (l->rate_hz == 0)
		return e;
	end(l);
	note(l);
	return e;
}

/* ---- a whole sound ---- */

void
voice_level_whole(struct pcm *pcm)
{
	const size_t whole = (size_t)pcm->rate_hz * BLOCK_MS / 1000;
	struct lufs loudness = { .blocks = 0 };
	struct limiter limiter = { .n = 0 };
	struct lufs_meter meter;
	float gain, *to = pcm->s;
	float block[BLOCK_MOST];

	for (size_t i = 0; i < pcm->n; i++)
		pcm->s[i] = bounded(pcm->s[i]);
	lufs_begin(&meter, &loudness, pcm->rate_hz);
	lufs_put(&meter, pcm->s, pcm->n);
	lufs_end(&meter);
	gain = gain_to(&loudness);
	for (size_t at = 0, n; at < pcm->n; at += n) {
		n = pcm->n - at < whole ? pcm->n - at : whole;
		for (size_t i = 0; i < n; i++)
			block[i] = pcm->s[at + i] * gain;
		to += limit_block(&limiter, block, n, to);
	}
	release(&limiter, limiter.need, to);
}
