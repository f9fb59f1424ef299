/*
 * A pipeline is ready when its ASR engine is open and the translators of all targets
 * have answered once.  These parts start in the background.  The pipeline may end
 * before they report, so struct readiness outlives the pipeline.
 */
#include "pipeline/pipeline_internal.h"

#include <pthread.h>

struct readiness {
	struct arena *mem;
	pthread_mutex_t lock;
	struct pipeline *pipeline; /* NULL: it has ended */
	int missing;               /* parts that are not ready */
	int refs; /* of the pipeline, and of each part that has not reported */
};

struct readiness *
readiness_new(struct pipeline *p, int parts)
{
	struct arena *mem = arena_new();
	struct readiness *rd = arena_alloc(mem, sizeof(*rd));

	*rd = (struct readiness){
		.mem = mem, .pipeline = p, .missing = parts, .refs = 1 + parts
	};
	pthread_mutex_init(&rd->lock, NULL);
	return rd;
}

/* Drop a reference.  Called with the lock held; releases it. */
static void
unref(struct readiness *rd)
{
	bool last = --rd->refs == 0;

	pthread_mutex_unlock(&rd->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&rd->lock);
	arena_free(rd->mem);
}

void
readiness_report(void *arg)
{
	struct readiness *rd = arg;

	pthread_mutex_lock(&rd->lock);
	if (--rd->missing == 0 && rd->pipeline != NULL)
		pipeline_event_post(rd->pipeline, PIPELINE_READY);
	unref(rd);
}

void
readiness_fail(struct readiness *rd)
{
	pthread_mutex_lock(&rd->lock);
	unref(rd);
}

void
readiness_end(struct readiness *rd)
{
	pthread_mutex_lock(&rd->lock);
	rd->pipeline = NULL;
	unref(rd);
}
