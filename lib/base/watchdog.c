/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/watchdog.h"

#include <assert.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

struct watched *
watchdog_add(struct watchdog *d, const char *name, void (*wake)(void *), void *arg)
{
	struct watched *t = &d->threads[d->n++];

	assert(d->n <= WATCHDOG_THREADS);
	t->name = name;
	t->wake = wake;
	t->arg = arg;
	return t;
}

void
watched_turn(struct watched *t)
{
	atomic_fetch_add_explicit(&t->turns, 1, memory_order_relaxed);
}

/*
 * True if it rests. One that has not turned may only sleep, so it is woken. After a
 * rest all are woken, so that all have turned at the next check, which ends in a rest,
 * too.
 */
static bool
check_thread(struct watched *t, int64_t step_us, bool rested)
{
	unsigned turns = atomic_load_explicit(&t->turns, memory_order_relaxed),
		 turned = turns - t->seen;
	int64_t was_us = t->still_us;

	t->still_us = turned == 0 ? was_us + step_us : 0;
	t->seen = turns;
	if (rested || (turned == 0 && was_us == 0))
		t->wake(t->arg);
	if (was_us < WATCHDOG_STALLED_US && t->still_us >= WATCHDOG_STALLED_US)
		log_error("the %s has been stuck for %lld s", t->name,
		    (long long)(t->still_us / S_US));
	else if (was_us >= WATCHDOG_STALLED_US && t->still_us == 0)
		log_warn("the %s continues after %lld s", t->name,
		    (long long)(was_us / S_US));
	return turned > 0 && turned <= WATCHDOG_BUSY;
}

const struct watched *
watchdog_check(struct watchdog *d, int64_t now_us)
{
	int64_t passed_us = d->checked_us != 0 ? now_us - d->checked_us : 0;
	int64_t step_us = passed_us < WATCHDOG_STEP_US ? passed_us : WATCHDOG_STEP_US;
	const struct watched *longest = NULL;
	bool rested = d->resting;

	d->checked_us = now_us;
	d->resting = true;
	for (size_t i = 0; i < d->n; i++) {
		struct watched *t = &d->threads[i];

		d->resting &= check_thread(t, step_us, rested);
		if (t->still_us >= WATCHDOG_STALLED_US &&
		    (longest == NULL || t->still_us > longest->still_us))
			longest = t;
	}
	return longest;
}

int64_t
watchdog_pause_us(const struct watchdog *d)
{
	return d->resting ? WATCHDOG_REST_US : WATCHDOG_STEP_US;
}

bool
watchdog_join(pthread_t thread, const char *name, int64_t most_us)
{
	int64_t end_us = monotonic_us() + most_us;
	const struct timespec end = { .tv_sec = end_us / S_US,
		.tv_nsec = end_us % S_US * 1000 };

	if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &end) == 0)
		return true;
	log_error("the %s does not end and keeps running", name);
	return false;
}
