/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/gateway_watchdog.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

static void
end_gateway(const struct gateway *g, const struct watched *stalled)
{
	log_error("the %s has been stuck for %lld s; the gateway ends, to be started "
		  "again",
	    stalled->name, (long long)(stalled->still_us / S_US));
	if (stalled == g->loop_watch)
		_exit(EXIT_FAILURE);
	kill(getpid(), SIGTERM);
}

static void
forget(struct gateway *g, struct thread_call *e)
{
	(void)g;
	arena_free(e->message.mem);
}

/* The database thread stores it; it may sleep. */
static void
report(struct gateway *g, const struct watched *stalled)
{
	struct thread_call *e;

	if (g->stalled == stalled)
		return;
	g->stalled = stalled;
	e = THREAD_CALL(struct thread_call);
	e->run = forget;
	mailbox_send(g->to_db_thread, &e->message);
}

/* Runs until the process ends. A gateway that is stopping has other limits. */
static void *
watch(void *arg)
{
	struct gateway *g = arg;
	const struct watched *stalled = NULL;

	while (
	    !g->stopping && (stalled == NULL || stalled->still_us < WATCHDOG_LOST_US)) {
		usleep((useconds_t)watchdog_pause_us(&g->watchdog));
		stalled = watchdog_check(&g->watchdog, monotonic_us());
		report(g, stalled);
	}
	if (!g->stopping)
		end_gateway(g, stalled);
	return NULL;
}

void
gateway_watchdog_start(struct gateway *g)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, watch, g) != 0)
		abort();
	pthread_detach(thread);
}
