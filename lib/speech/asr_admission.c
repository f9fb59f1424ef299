/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/asr_admission.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"

#define KNOWN_S 10            /* seconds of sound that must have been measured */
#define MOST_S 120            /* beyond these seconds, older sound counts half */
#define VALID_US (600 * S_US) /* life of a measurement while there is no stream */
/*
 * On a busy host the phrases of the last seconds took this share of their length or
 * more.  A stream that falls behind takes all of it.
 */
#define BUSY 0.8
#define RECENT_S 20           /* beyond these seconds, older sound counts half */
#define RECENT_US (10 * S_US) /* life of that without more sound */

struct admission {
	struct admission *next;
	const char *key; /* key of the settings */
	int streams;
	double used_s, sound_s;
	double took_s, lately_s; /* time and sound, the last seconds */
	int64_t at_us;           /* the last measurement, monotonic_us() */
};

static struct {
	pthread_mutex_t lock;
	struct arena *mem; /* arena of the list, which is short */
	struct admission *all;
} engines = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct admission *
find(const struct engine_at *at)
{
	struct arena *mem = arena_new();
	const char *key = arena_printf(
	    mem, "%s\n%s\n%s\n%d", at->id, at->library, at->model, at->threads);
	struct admission *a = engines.all;

	while (a != NULL && strcmp(a->key, key) != 0)
		a = a->next;
	if (a == NULL) {
		if (engines.mem == NULL)
			engines.mem = arena_new();
		a = arena_alloc(engines.mem, sizeof(*a));
		*a = (struct admission){ .next = engines.all,
			.key = arena_str(engines.mem, key) };
		engines.all = a;
	}
	arena_free(mem);
	return a;
}

static double
least(double a, double b)
{
	return a < b ? a : b;
}

/* True if phrases are nearly late, whatever else keeps the host busy. */
static bool
is_busy(const struct admission *a, const struct engine_at *at)
{
	if (a->lately_s < KNOWN_S || a->took_s < BUSY * a->lately_s ||
	    monotonic_us() > a->at_us + RECENT_US)
		return false;
	log_warn("engine %s: a stream is refused: a second of sound takes %.2f s on "
		 "this busy host, and %d streams are open",
	    at->id, a->took_s / a->lately_s, a->streams);
	return true;
}

/* True if one more stream can be recognized in real time. */
static bool
has_room(struct admission *a, const struct engine_at *at, double supposed)
{
	double processors = (double)sysconf(_SC_NPROCESSORS_ONLN), each;
	double most = at->parallel > 0
			  ? least(processors, (double)at->parallel * at->threads)
			  : processors;

	if (a->streams == 0 && monotonic_us() > a->at_us + VALID_US)
		a->used_s = a->sound_s = 0;
	if (a->sound_s < KNOWN_S && supposed <= 0)
		return true;
	each = a->sound_s < KNOWN_S ? supposed : a->used_s / a->sound_s;
	if ((a->streams + 1) * each > most / 2 && is_busy(a, at))
		return false;
	if (each <= least(processors, at->threads) && (a->streams + 1) * each <= most)
		return true;
	log_warn("engine %s: a stream is refused: a second of sound takes %.2f s of "
		 "processor time, %.0f processors are there, and %d streams are open",
	    at->id, each, most, a->streams);
	return false;
}

enum err
admission_enter(const struct engine_at *at, double supposed, struct admission **to)
{
	enum err e = ERR_LIMIT;
	struct admission *a;

	pthread_mutex_lock(&engines.lock);
	a = find(at);
	if (has_room(a, at, supposed)) {
		a->streams++;
		*to = a;
		e = OK;
	}
	pthread_mutex_unlock(&engines.lock);
	return e;
}

struct admission *
admission_replace(const struct engine_at *at)
{
	struct admission *a;

	pthread_mutex_lock(&engines.lock);
	a = find(at);
	a->streams++;
	pthread_mutex_unlock(&engines.lock);
	return a;
}

void
admission_leave(struct admission *a)
{
	pthread_mutex_lock(&engines.lock);
	a->streams--;
	pthread_mutex_unlock(&engines.lock);
}

static void
add(double *time_s, double *sound_s, int64_t time_us, int64_t sound_us, double most_s)
{
	if (*sound_s > most_s) {
		*sound_s /= 2;
		*time_s /= 2;
	}
	*time_s += (double)time_us / S_US;
	*sound_s += (double)sound_us / S_US;
}

void
admission_measure(struct admission *a, const struct admission_work *w)
{
	pthread_mutex_lock(&engines.lock);
	add(&a->used_s, &a->sound_s, w->used_us, w->sound_us, MOST_S);
	if (w->took_us > 0)
		add(&a->took_s, &a->lately_s, w->took_us, w->sound_us, RECENT_S);
	a->at_us = monotonic_us();
	pthread_mutex_unlock(&engines.lock);
}
