/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_WATCHDOG_H
#define BASE_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Detects threads whose loop is stuck. A thread may sleep for as long as it likes: the
 * watchdog wakes one that has not turned since the last check, and only time in which
 * it does not turn then counts. Time counts only in steps that the watchdog itself has
 * seen. So no thread is considered stuck because the machine was suspended, the process
 * was stopped, or the host gave it no processor time.
 */
#define WATCHDOG_STEP_US INT64_C(500000)  /* time between two checks */
#define WATCHDOG_REST_US INT64_C(4500000) /* the same, while all threads sleep */
#define WATCHDOG_BUSY 8 /* turns between two checks, above which a thread works */
/* time without a turn after which a thread is logged */
#define WATCHDOG_STALLED_US INT64_C(5000000)
/* time without a turn after which a thread is considered dead */
#define WATCHDOG_LOST_US INT64_C(10000000)
#define WATCHDOG_THREADS 72 /* the most threads */

struct watched {
	const char *name;     /* name for the log */
	void (*wake)(void *); /* makes it turn */
	void *arg;            /* argument of wake() */
	atomic_uint turns;    /* turns of its loop */
	unsigned seen;        /* the watchdog's: turns at its last check */
	int64_t still_us;     /* the watchdog's: time without a turn */
};

/* Must be zeroed. */
struct watchdog {
	struct watched threads[WATCHDOG_THREADS];
	size_t n;
	int64_t checked_us; /* monotonic */
	bool resting; /* at the last check all threads slept, or had just turned */
};

/*
 * Call it before the first check. wake: lets the thread turn soon; called from the
 * watchdog's thread, and must not wait. The result lives as long as the watchdog.
 */
struct watched *watchdog_add(
    struct watchdog *, const char *name, void (*wake)(void *), void *arg);
/* Report a turn of the loop. Called by the thread after each sleep. */
void watched_turn(struct watched *);
/*
 * Check all threads. Call it again after watchdog_pause_us(). Returns the thread that
 * is stuck longest, for at least WATCHDOG_STALLED_US, or NULL. Logs each thread that
 * stalls or continues.
 */
const struct watched *watchdog_check(struct watchdog *, int64_t now_us);
int64_t watchdog_pause_us(const struct watchdog *);

/*
 * Join a thread that was asked to end. False, and logged: it did not end within
 * most_us. It keeps running, and memory that it uses must not be freed.
 */
bool watchdog_join(pthread_t, const char *name, int64_t most_us) MUST_CHECK;

#endif
