/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/asr_pocketsphinx_tuned.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

#define KEEP_S 60 /* seconds that an unused decoder is kept */
#define SLOTS 64

enum state { NONE, WANTED, LOADING, READY, FAILED };

struct tuned {
	enum state state;
	bool held;         /* used by a stream */
	struct arena *mem; /* arena of the following members; NULL: state is NONE */
	const char *model, *bin_dir;
	struct vocabulary *words;
	struct decoder *decoder; /* valid in state READY */
	int64_t given_us;        /* when it was given back, monotonic_us() */
};

static struct {
	pthread_mutex_t lock; /* lock of the following members */
	/* signals that a slot is requested, given back or loaded */
	pthread_cond_t changed;
	struct tuned slots[SLOTS];
	int most;
	bool runs; /* the loading thread runs */
	bool patient;
} tuned = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

/* With the lock held: empty a slot. The caller frees the returned decoder, if any,
   after releasing the lock. */
static struct decoder *
empty(struct tuned *t)
{
	struct decoder *d = t->decoder;

	arena_free(t->mem);
	*t = (struct tuned){ 0 };
	return d;
}

static void
discard(struct decoder *d)
{
	if (d != NULL)
		decoder_free(d);
}

/* ---- the thread ---- */

static struct tuned *
find_state(enum state state)
{
	for (int i = 0; i < SLOTS; i++)
		if (tuned.slots[i].state == state)
			return &tuned.slots[i];
	return NULL;
}

/*
 * Load one decoder. Called with the lock, which is released while it loads; no other
 * thread changes a slot that is loading. If the stream has ended meanwhile, the decoder
 * is freed.
 */
static void
load_one(struct tuned *t)
{
	int64_t began = monotonic_us();
	struct decoder *d = NULL;
	enum err e;

	t->state = LOADING;
	pthread_mutex_unlock(&tuned.lock);
	e = decoder_load_with(t->model, t->bin_dir, t->words, &d);
	if (e == OK)
		log_info("pocketsphinx: %zu terms of an event after %d ms",
		    t->words->terms.n, (int)((monotonic_us() - began) / 1000));
	else if (e != ERR_NOT_FOUND)
		log_warn("pocketsphinx: the words of an event are not used");
	pthread_mutex_lock(&tuned.lock);
	t->state = e == OK ? READY : FAILED;
	t->decoder = e == OK ? d : NULL;
	d = t->held ? NULL : empty(t);
	pthread_cond_broadcast(&tuned.changed);
	pthread_mutex_unlock(&tuned.lock);
	discard(d);
	pthread_mutex_lock(&tuned.lock);
}

/*
 * Find a slot that was not used since before_us, or that could not be loaded and is not
 * held.
 */
static struct tuned *
find_old(int64_t before_us)
{
	for (int i = 0; i < SLOTS; i++) {
		struct tuned *t = &tuned.slots[i];

		if (!t->held && (t->state == FAILED ||
				    (t->state == READY && t->given_us <= before_us)))
			return t;
	}
	return NULL;
}

static void
free_old(int64_t before_us)
{
	for (struct tuned *t; (t = find_old(before_us)) != NULL;) {
		struct decoder *d = empty(t);

		pthread_mutex_unlock(&tuned.lock);
		discard(d);
		pthread_mutex_lock(&tuned.lock);
	}
}

static bool
has_unused(void)
{
	for (int i = 0; i < SLOTS; i++)
		if (tuned.slots[i].state == READY && !tuned.slots[i].held)
			return true;
	return false;
}

static void
wait_a_second(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	pthread_cond_timedwait(&tuned.changed, &tuned.lock, &until);
}

/* The thread ends when there is nothing to load and nothing to free later. */
static void *
run(void *arg)
{
	struct tuned *t;

	(void)arg;
	pthread_mutex_lock(&tuned.lock);
	for (;;) {
		free_old(monotonic_us() - KEEP_S * S_US);
		if ((t = find_state(WANTED)) != NULL)
			load_one(t);
		else if (has_unused())
			wait_a_second();
		else
			break;
	}
	tuned.runs = false;
	pthread_cond_broadcast(&tuned.changed);
	pthread_mutex_unlock(&tuned.lock);
	return NULL;
}

/* Start the thread or wake it. Called with the lock held. */
static bool
wake(void)
{
	pthread_attr_t detached;
	pthread_t thread;

	if (!tuned.runs && pthread_attr_init(&detached) == 0) {
		pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
		tuned.runs = pthread_create(&thread, &detached, run, NULL) == 0;
		pthread_attr_destroy(&detached);
	}
	pthread_cond_broadcast(&tuned.changed);
	return tuned.runs;
}

/* ---- streams ---- */

static bool
fits(const struct tuned *t, const char *model, const struct vocabulary *words)
{
	return t->state == READY && !t->held && strcmp(t->model, model) == 0 &&
	       strcmp(t->words->digest, words->digest) == 0;
}

/* With the lock held: find a free slot, or empty one; *gone: its unused decoder. NULL:
   none. */
static struct tuned *
find_room(struct decoder **gone)
{
	struct tuned *t, *unused = NULL;
	int n = 0;

	for (t = tuned.slots; t < tuned.slots + SLOTS; t++) {
		n += t->state != NONE;
		if (t->state == READY && !t->held)
			unused = t;
	}
	if (n < tuned.most)
		return find_state(NONE);
	if (n == tuned.most && unused != NULL)
		*gone = empty(unused);
	return n == tuned.most ? unused : NULL;
}

static bool
want(struct tuned *t, const struct engine_at *at, const struct vocabulary *words)
{
	struct arena *mem = arena_new();

	*t = (struct tuned){ .state = WANTED,
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

struct tuned *
tuned_ask(const struct engine_at *at, const struct vocabulary *words)
{
	struct decoder *gone = NULL;
	struct tuned *t = tuned.slots;

	if (at->bin_dir == NULL)
		return NULL;
	pthread_mutex_lock(&tuned.lock);
	while (t < tuned.slots + SLOTS && !fits(t, decoder_model(at), words))
		t++;
	if (t < tuned.slots + SLOTS)
		t->held = true;
	else if ((t = find_room(&gone)) != NULL && !want(t, at, words))
		t = NULL;
	pthread_mutex_unlock(&tuned.lock);
	discard(gone);
	return t;
}

enum err
tuned_look(struct tuned *t, struct decoder **to)
{
	enum err e;

	pthread_mutex_lock(&tuned.lock);
	e = t->state == READY ? OK : t->state == FAILED ? ERR_FAILED : ERR_BUSY;
	*to = t->decoder;
	pthread_mutex_unlock(&tuned.lock);
	return e;
}

bool
tuned_too_slow(int64_t took_us, int64_t sound_us)
{
	bool patient;

	pthread_mutex_lock(&tuned.lock);
	patient = tuned.patient;
	pthread_mutex_unlock(&tuned.lock);
	return !patient && sound_us >= S_US && 4 * took_us > 3 * sound_us;
}

void
tuned_give(struct tuned *t)
{
	struct decoder *gone = NULL;

	if (t == NULL)
		return;
	pthread_mutex_lock(&tuned.lock);
	t->held = false;
	t->given_us = monotonic_us();
	if (t->state == WANTED || t->state == FAILED || !wake())
		gone = empty(t);
	pthread_mutex_unlock(&tuned.lock);
	discard(gone);
}

void
tuned_cool(void)
{
	pthread_mutex_lock(&tuned.lock);
	free_old(INT64_MAX);
	pthread_cond_broadcast(&tuned.changed);
	pthread_mutex_unlock(&tuned.lock);
}

/* ---- for programs ---- */

void
asr_tuned_limit(int n)
{
	pthread_mutex_lock(&tuned.lock);
	tuned.most = n < SLOTS ? n : SLOTS;
	pthread_mutex_unlock(&tuned.lock);
}

void
asr_tuned_patient(bool patient)
{
	pthread_mutex_lock(&tuned.lock);
	tuned.patient = patient;
	pthread_mutex_unlock(&tuned.lock);
}

void
asr_tuned_await(void)
{
	pthread_mutex_lock(&tuned.lock);
	while (find_state(WANTED) != NULL || find_state(LOADING) != NULL)
		pthread_cond_wait(&tuned.changed, &tuned.lock);
	pthread_mutex_unlock(&tuned.lock);
}
