/* A counting semaphore for each server, which tells whether a request waits for it. */
#include "speech/engine_gate.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"

#define GATES 64 /* servers; more have no bound */

struct engine_gate {
	const char *url;
	pthread_cond_t left; /* on monotonic time */
	int most, used, waiting;
};

/* Guards all of them; it is held for moments only. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct engine_gate gates[GATES];
static int ngates;
static struct arena *gates_mem;

/* With the lock. */
static struct engine_gate *
add_gate(const char *url)
{
	struct engine_gate *g = &gates[ngates];
	pthread_condattr_t attr;

	if (ngates == GATES)
		return NULL;
	if (gates_mem == NULL)
		gates_mem = arena_new();
	g->url = arena_str(gates_mem, url);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&g->left, &attr);
	pthread_condattr_destroy(&attr);
	ngates++;
	return g;
}

struct engine_gate *
engine_gate_of(const struct engine_at *at)
{
	struct engine_gate *g = gates;

	if (at->parallel <= 0)
		return NULL;
	pthread_mutex_lock(&lock);
	while (g < gates + ngates && strcmp(g->url, at->url) != 0)
		g++;
	if (g == gates + ngates)
		g = add_gate(at->url);
	if (g != NULL)
		g->most = at->parallel;
	pthread_mutex_unlock(&lock);
	return g;
}

/* With the lock. */
static bool
await_place(struct engine_gate *g, int64_t until_us)
{
	const struct timespec until = { until_us / S_US, until_us % S_US * 1000 };
	int how = 0;

	g->waiting++;
	while (how == 0 && g->used >= g->most)
		how = pthread_cond_timedwait(&g->left, &lock, &until);
	g->waiting--;
	return g->used < g->most;
}

bool
engine_gate_enter(struct engine_gate *g, int64_t until_us)
{
	bool in;

	if (g == NULL)
		return true;
	pthread_mutex_lock(&lock);
	in = until_us > 0 ? await_place(g, until_us)
			  : g->used < g->most && g->waiting == 0;
	g->used += in;
	pthread_mutex_unlock(&lock);
	return in;
}

void
engine_gate_leave(struct engine_gate *g)
{
	if (g == NULL)
		return;
	pthread_mutex_lock(&lock);
	g->used--;
	pthread_cond_signal(&g->left);
	pthread_mutex_unlock(&lock);
}

bool
engine_gate_is_crowded(struct engine_gate *g)
{
	bool crowded = false;

	if (g == NULL)
		return false;
	pthread_mutex_lock(&lock);
	crowded = g->waiting > 0;
	pthread_mutex_unlock(&lock);
	return crowded;
}
