/*
 * What happens to an event by itself: its export is written anew after somebody
 * joined, it is finished when its time is over, and a while later its statistics
 * are taken for the last time.  And what a deleted event left is removed.
 */
#include <unistd.h>

#include "base/clock.h"
#include "store/stats.h"
#include "work/work.h"

#define BATCH 100           /* events in a transaction */
#define WAIT_US (30 * S_US) /* until the last usage of a finished event is booked */
#define PURGED 2000         /* rows removed in a transaction */
#define PAUSE_US 10000      /* between two, in which others take the write lock */

/* One of the things that are due for events. */
struct duty {
	enum err (*list)(struct db *, struct arena *, int64_t, int n, struct list *);
	enum err (*act)(struct db *, struct arena *, const struct stats_due *);
};

/* Nothing that was listed is held on to, so each batch may have all the memory. */
static enum err
do_batch(struct work *w, const struct duty *d, int64_t until_us, size_t *n)
{
	struct list due;
	enum err e;

	arena_reset(w->mem);
	e = d->list(w->db, w->mem, until_us, BATCH, &due);
	*n = due.n;
	if (e != OK || due.n == 0 || (e = db_begin(w->db)) != OK)
		return e;
	for (size_t i = 0; i < due.n && e == OK; i++)
		e = d->act(w->db, w->mem, (struct stats_due *)due.items + i);
	return e == OK ? db_commit(w->db) : e;
}

static enum err
do_all(struct work *w, const struct duty *d, int64_t until_us)
{
	size_t n = BATCH;
	enum err e = OK;

	while (e == OK && n == BATCH)
		e = do_batch(w, d, until_us, &n);
	return e;
}

static enum err
export_statistics(struct work *w)
{
	static const struct duty exporting = { stats_changed, stats_export };

	return do_all(w, &exporting, now_us());
}

static enum err
finish_events(struct work *w)
{
	static const struct duty finishing = { stats_ended, stats_finish };

	return do_all(w, &finishing, now_us());
}

static enum err
take_last_statistics(struct work *w)
{
	static const struct duty freezing = { stats_awaited, stats_freeze };

	return do_all(w, &freezing, now_us() - WAIT_US);
}

static enum err
purge_some(struct work *w, const char *event, bool *left)
{
	enum err e;

	if ((e = db_begin(w->db)) != OK ||
	    (e = event_purge(w->db, event, PURGED, left)) != OK)
		return e;
	return db_commit(w->db);
}

/* What a million listeners left, without keeping the others waiting. */
static enum job_end
purge(struct work *w, const struct job *jb, const char **why)
{
	bool left = true;
	enum err e;

	while ((e = purge_some(w, jb->ref, &left)) == OK && left)
		usleep(PAUSE_US);
	*why = err_name(e);
	return e == OK ? JOB_DONE : JOB_RETRY;
}

static const struct job_kind kinds[] = {
	{ "event.purge", purge, NULL, .lease_s = 600, .tries = 20 },
	{ NULL },
};

/* In the order of an event's life. */
static const struct chore chores[] = {
	{ "export statistics", export_statistics, .every_s = 10 },
	{ "finish events", finish_events, .every_s = 5 },
	{ "take last statistics", take_last_statistics, .every_s = 5 },
	{ NULL },
};

#ifndef UNIT_TEST
int
main(int argc, char **argv)
{
	static const struct worker is = { "stats_export", kinds, chores };

	return work(&is, argc, argv);
}
#endif
