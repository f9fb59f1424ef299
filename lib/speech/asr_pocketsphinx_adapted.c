/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/asr_pocketsphinx_adapted.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

#define KEEP_S 60 /* seconds that an unused decoder is kept */
#define SLOTS 64

enum state { NONE, WANTED, LOADING, READY, FAILED };

struct adapted_decoder {
	enum state state;
	bool held;         /* used by a stream */
	struct arena *mem; /* arena of the following members; NULL: state is NONE */
	const char *model, *bin_dir;
	struct vocabulary *words;
	struct decoder *decoder; /* valid in state READY */
	int64_t released_us;     /* when it was given back, monotonic_us() */
};

static struct {
	pthread_mutex_t lock; /* lock of the following members */
	/* signals that a slot is requested, given back or loaded */
	pthread_cond_t changed;
	struct adapted_decoder slots[SLOTS];
	int most;
	bool runs; /* the loading thread runs */
	bool patient;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

/* With the lock held: empty a slot. The caller frees the returned decoder, if any,
   after releasing the lock. */
static struct decoder *
empty(struct adapted_decoder *t)
{
	struct decoder *d = t->decoder;

	arena_free(t->mem);
	*t = (struct adapted_decoder){ 0 };
	return d;
}

static void
discard(struct decoder *d)
{
	if (d != NULL)
		decoder_free(d);
}

/* ---- the thread ---- */

static struct adapted_decoder *
find_state(enum state state)
{
	for (int i = 0; i < SLOTS; i++)
		if (pool.slots[i].state == state)
			return &pool.slots[i];
	return NULL;
}

/*
 * Load one decoder. Called with the lock, which is released while it loads; no other
 * thread changes a slot that is loading. If the stream has ended meanwhile, the decoder
 * is freed.
 */
static void
load_one(struct adapted_decoder *t)
{
	int64_t began = monotonic_us();
	struct decoder *d = NULL;
	enum err e;

	t->state = LOADING;
	pthread_mutex_unlock(&pool.lock);
	e = decoder_load_with(t->model, t->bin_dir, t->words, &d);
	if (e == OK)
		log_info("pocketsphinx: %zu terms of an event after %d ms",
		    t->words->terms.n, (int)((monotonic_us() - began) / 1000));
	else if (e != ERR_NOT_FOUND)
		log_warn("pocketsphinx: the words of an event are not used");
	pthread_mutex_lock(&pool.lock);
	t->state = e == OK ? READY : FAILED;
	t->decoder = e == OK ? d : NULL;
	d = t->held ? NULL : empty(t);
	pthread_cond_broadcast(&pool.changed);
	pthread_mutex_unlock(&pool.lock);
	discard(d);
	pthread_mutex_lock(&pool.lock);
}

/*
 * Find a slot that was not used since before_us, or that could not be loaded and is not
 * held.
 */
static struct adapted_decoder *
find_old(int64_t before_us)
{
	for (int i = 0; i < SLOTS; i++) {
		struct adapted_decoder *t = &pool.slots[i];

		if (!t->held && (t->state == FAILED ||
				    (t->state == READY && t->released_us <= before_us)))
			return t;
	}
	return NULL;
}

static void
free_old(int64_t before_us)
{
	for (struct adapted_decoder *t; (t = find_old(before_us)) != NULL;) {
		struct decoder *d = empty(t);

		pthread_mutex_unlock(&pool.lock);
		discard(d);
		pthread_mutex_lock(&pool.lock);
	}
}

static bool
has_unused(void)
{
	for (int i = 0; i < SLOTS; i++)
		if (pool.slots[i].state == READY && !pool.slots[i].held)
			return true;
	return false;
}

static void
wait_a_second(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	pthread_cond_timedwait(&pool.changed, &pool.lock, &until);
}

/* The thread ends when there is nothing to load and nothing to free later. */
static void *
run(void *arg)
{
	struct adapted_decoder *t;

	(void)arg;
	pthread_mutex_lock(&pool.lock);
	for (;;) {
		free_old(monotonic_us() - KEEP_S * S_US);
		if ((t = find_state(WANTED)) != NULL)
			load_one(t);
		else if (has_unused())
			wait_a_second();
		else
			break;
	}
	pool.runs = false;
	pthread_cond_broadcast(&pool.changed);
	pthread_mutex_unlock(&pool.lock);
	return NULL;
}

/* Start the thread or wake it. Called with the lock held. */
static bool
wake(void)
{
	pthread_attr_t detached;
	pthread_t thread;

	if (!pool.runs && pthread_attr_init(&detached) == 0) {
		pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
		pool.runs = pthread_create(&thread, &detached, run, NULL) == 0;
		pthread_attr_destroy(&detached);
	}
	pthread_cond_broadcast(&pool.changed);
	return pool.runs;
}

/* ---- streams ---- */

static bool
fits(const struct adapted_decoder *t, const char *model, const struct vocabulary *words)
{
	return t->state == READY && !t->held && strcmp(t->model, model) == 0 &&
	       strcmp(t->words->digest, words->digest) == 0;
}

/* With the lock held: find a free slot, or empty one; *gone: its unused decoder. NULL:
   none. */
static struct adapted_decoder *
find_room(struct decoder **gone)
{
	struct adapted_decoder *t, *unused = NULL;
	int n = 0;

	for (t = pool.slots; t < pool.slots + SLOTS; t++) {
		n += t->state != NONE;
		if (t->state == READY && !t->held)
			unused = t;
	}
	if (n < pool.most)
		return find_state(NONE);
	if (n == pool.most && unused != NULL)
		*gone = empty(unused);
	return n == pool.most ? unused : NULL;
}

static bool
want(struct adapted_decoder *t, const struct engine_at *at,
    const struct vocabulary *words)
{
	struct arena *mem = arena_new();

	*t = (struct adapted_decoder){ .state = WANTED,
		.held = true,
		.mem = mem,
		.model = arena_str(mem, decoder_model(at)),
		.bin_dir = arena_str(mem, at->bin_dir),
		.words = vocabulary_copy(mem, words) };
	if (wake())
		return true;
	empty(t);
	return false;
}

struct adapted_decoder *
adapted_request(const struct engine_at *at, const struct vocabulary *words)
{
	struct decoder *gone = NULL;
	struct adapted_decoder *t = pool.slots;

	if (at->bin_dir == NULL)
		return NULL;
	pthread_mutex_lock(&pool.lock);
	while (t < pool.slots + SLOTS && !fits(t, decoder_model(at), words))
		t++;
	if (t < pool.slots + SLOTS)
		t->held = true;
	else if ((t = find_room(&gone)) != NULL && !want(t, at, words))
		t = NULL;
	pthread_mutex_unlock(&pool.lock);
	discard(gone);
	return t;
}

enum err
adapted_poll(struct adapted_decoder *t, struct decoder **to)
{
	enum err e;

	pthread_mutex_lock(&pool.lock);
	e = t->state == READY ? OK : t->state == FAILED ? ERR_FAILED : ERR_BUSY;
	*to = t->decoder;
	pthread_mutex_unlock(&pool.lock);
	return e;
}

bool
adapted_too_slow(int64_t took_us, int64_t sound_us)
{
	bool patient;

	pthread_mutex_lock(&pool.lock);
	patient = pool.patient;
	pthread_mutex_unlock(&pool.lock);
	return !patient && sound_us >= S_US && 4 * took_us > 3 * sound_us;
}

void
adapted_release(struct adapted_decoder *t)
{
	struct decoder *gone = NULL;

	if (t == NULL)
		return;
	pthread_mutex_lock(&pool.lock);
	t->held = false;
	t->released_us = monotonic_us();
	if (t->state == WANTED || t->state == FAILED || !wake())
		gone = empty(t);
	pthread_mutex_unlock(&pool.lock);
	discard(gone);
}

void
adapted_free_idle(void)
{
	pthread_mutex_lock(&pool.lock);
	free_old(INT64_MAX);
	pthread_cond_broadcast(&pool.changed);
	pthread_mutex_unlock(&pool.lock);
}

/* ---- for programs ---- */

void
asr_adapted_limit(int n)
{
	pthread_mutex_lock(&pool.lock);
	pool.most = n < SLOTS ? n : SLOTS;
	pthread_mutex_unlock(&pool.lock);
}

void
asr_adapted_patient(bool patient)
{
	pthread_mutex_lock(&pool.lock);
	pool.patient = patient;
	pthread_mutex_unlock(&pool.lock);
}

void
asr_adapted_await(void)
{
	pthread_mutex_lock(&pool.lock);
	while (find_state(WANTED) != NULL || find_state(LOADING) != NULL)
		pthread_cond_wait(&pool.changed, &pool.lock);
	pthread_mutex_unlock(&pool.lock);
}
