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
 * Detects threads whose loop is stuck. Time counts only in steps that the watchdog
 * itself has seen. So no thread is considered stuck because the machine was suspended,
 * the process was stopped, or the host gave it no processor time.
 */
#define WATCHDOG_STEP_US INT64_C(500000)     /* between two checks */
#define WATCHDOG_STALLED_US INT64_C(5000000) /* without a turn: logged */
#define WATCHDOG_LOST_US INT64_C(10000000)   /* without a turn: considered dead */
#define WATCHDOG_THREADS 4                   /* the most threads */

struct watched {
	const char *name;  /* for the log */
	atomic_uint turns; /* of its loop */
	unsigned seen;     /* the watchdog's: turns at its last check */
	int64_t still_us;  /* the watchdog's: time without a turn */
};

/* All 0 at first. */
struct watchdog {
	struct watched threads[WATCHDOG_THREADS];
	size_t n;
	int64_t looked_us; /* monotonic */
};

/* Call it before the first check. The result lives as long as the watchdog. */
struct watched *watchdog_add(struct watchdog *, const char *name);
/* Called by the thread in each turn of its loop, at least once a second. */
void watched_turn(struct watched *);
/*
 * Call it every WATCHDOG_STEP_US.  Returns the thread that is stuck longest, for at
 * least WATCHDOG_STALLED_US, or NULL.  Logs each one that stalls or continues.
 */
const struct watched *watchdog_check(struct watchdog *, int64_t now_us);

/*
 * Join a thread that was asked to end. False, and logged: it did not end within
 * most_us. It keeps running, and what it uses must not be freed.
 */
bool watchdog_join(pthread_t, const char *name, int64_t most_us) MUST_CHECK;

#endif
