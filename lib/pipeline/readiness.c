/*
 * A task runs when its recogniser is open and the translators of all targets have
 * answered once.  Pipelines start in the background and tell when that is done; by then
 * the task may have ended, so what they tell outlives it.
 */
#include "pipeline/pipeline_internal.h"

#include <pthread.h>

struct readiness {
	struct arena *mem;
	pthread_mutex_t lock;
	struct pipeline *pipeline; /* NULL: it has gone */
	int missing;               /* parts that are not ready */
	int users; /* the pipeline, and each part that has not told yet */
};

struct readiness *
readiness_new(struct pipeline *p, int parts)
{
	struct arena *mem = arena_new();
	struct readiness *rd = arena_alloc(mem, sizeof(*rd));

	*rd = (struct readiness){
		.mem = mem, .pipeline = p, .missing = parts, .users = 1 + parts
	};
	pthread_mutex_init(&rd->lock, NULL);
	return rd;
}

/* Opens the lock. */
static void
drop(struct readiness *rd)
{
	bool last = --rd->users == 0;

	pthread_mutex_unlock(&rd->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&rd->lock);
	arena_free(rd->mem);
}

void
readiness_told(void *arg)
{
	struct readiness *rd = arg;

	pthread_mutex_lock(&rd->lock);
	if (--rd->missing == 0 && rd->pipeline != NULL)
		pipeline_event_send(
		    pipeline_event_new(rd->pipeline, PIPELINE_READY, -1), NULL, -1);
	drop(rd);
}

void
readiness_failed(struct readiness *rd)
{
	pthread_mutex_lock(&rd->lock);
	drop(rd);
}

void
readiness_leave(struct readiness *rd)
{
	pthread_mutex_lock(&rd->lock);
	rd->pipeline = NULL;
	drop(rd);
}
