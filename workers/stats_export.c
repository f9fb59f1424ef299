/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Updates the statistics of events: writes an event's export again after a listener has
 * joined, finishes the event when its time is over, and later takes its final
 * statistics. Deletes the remaining data of deleted events.
 */

#include "base/clock.h"
#include "base/log.h"
#include "service/node.h"
#include "service/webhook_records.h"
#include "store/stats.h"
#include "work/work.h"

#define BATCH 100 /* events in a transaction */

/* A task that becomes due for events. */
struct duty {
	const char *name; /* name for the log */
	int which;        /* member of struct stats_page */
	enum err (*act)(struct work *, const struct stats_due *);
};

/* Act on all of these events in one transaction, or on none. */
static enum err
act_on(struct work *w, const struct duty *d, const struct stats_due *due, size_t n)
{
	enum err e = db_begin(w->db, "statistics");

	for (size_t i = 0; i < n && e == OK; i++)
		e = d->act(w, due + i);
	if (e == OK)
		e = db_commit(w->db);
	db_rollback(w->db);
	return e;
}

/*
 * Continue the page after this event. An event that was handled is not listed again;
 * one that was passed over is.
 */
static void
go_on(struct stats_page *p, int64_t since_us, bool passed)
{
	if (since_us != p->from_us)
		p->passed = 0;
	p->from_us = since_us;
	p->passed += passed;
}

/* True if the error concerns this event only; false: any other would fail too. */
static bool
is_its_own_fault(enum err e)
{
	return e != OK && e != ERR_BUSY && e != ERR_FULL;
}

/* Act on each event alone, so that one that fails does not delay the others. */
static enum err
act_one_by_one(
    struct work *w, const struct duty *d, const struct list *due, struct stats_page *p)
{
	const struct stats_due *one = due->items;
	enum err e;

	for (const struct stats_due *end = one + due->n; one < end; one++) {
		e = act_on(w, d, one, 1);
		if (e != OK && !is_its_own_fault(e))
			return e;
		if (e != OK)
			log_error(
			    "%s: %s is skipped: %s", d->name, one->event, err_name(e));
		go_on(p, one->since_us, e != OK);
	}
	return OK;
}

/* Nothing in the arena outlives a batch, so it is reset before each one. */
static enum err
do_batch(struct work *w, const struct duty *d, struct stats_page *p, bool *more)
{
	struct list due;
	enum err e;

	arena_reset(w->mem);
	e = stats_list(w->db, w->mem, p, &due);
	*more = due.n == BATCH;
	if (e != OK || due.n == 0)
		return e;
	e = act_on(w, d, due.items, due.n);
	if (is_its_own_fault(e))
		return act_one_by_one(w, d, &due, p);
	if (e == OK)
		go_on(p, ((struct stats_due *)due.items)[due.n - 1].since_us, false);
	return e;
}

/* Act on all events that are due at until_us or earlier. */
static enum err
do_all(struct work *w, const struct duty *d, int64_t until_us)
{
	struct stats_page p = { d->which, NULL_INT + 1, until_us, .n = BATCH };
	bool more = true;
	enum err e = OK;

	while (e == OK && more)
		e = do_batch(w, d, &p, &more);
	return e;
}

static enum err
export_one(struct work *w, const struct stats_due *due)
{
	return stats_export(w->db, w->mem, due);
}

/*
 * Handle exports that are due up to the newest join, because the clock may have been
 * set back since.
 */
static enum err
export_statistics(struct work *w)
{
	static const struct duty exporting = { "export statistics", STATS_CHANGED,
		export_one };
	int64_t until_us;
	enum err e = stats_newest(w->db, &until_us);

	return e != OK || until_us == NULL_INT ? e : do_all(w, &exporting, until_us);
}

static enum err
finish_one(struct work *w, const struct stats_due *due)
{
	return stats_finish(w->db, w->mem, due);
}

static enum err
finish_events(struct work *w)
{
	static const struct duty finishing = { "finish events", STATS_ENDED,
		finish_one };

	return do_all(w, &finishing, now_us());
}

/* The message that the event is finished is sent when its statistics are final. */
static enum err
freeze_one(struct work *w, const struct stats_due *due)
{
	bool was, is;
	enum err e;

	if ((e = stats_finalized(w->db, due->event, &was)) != OK ||
	    (e = stats_freeze(w->db, w->mem, due)) != OK ||
	    (e = stats_finalized(w->db, due->event, &is)) != OK || was || !is)
		return e;
	return webhook_event_of(
	    w->db, w->mem, w->conf, due->account, due->event, "event.finished");
}

static enum err
store_last_statistics(struct work *w)
{
	static const struct duty freezing = { "take final statistics", STATS_AWAITED,
		freeze_one };

	return do_all(w, &freezing, now_us() - STATS_WAIT_US);
}

/* Delete the event in small steps: it may have had a million listeners. */
static enum job_end
purge(struct work *w, const struct job *jb, const char **why)
{
	return job_purge(w, jb, event_purge, why);
}

static const struct job_kind kinds[] = {
	{ "event.purge", purge, NULL, .lease_s = 600, .tries = 20 },
	{ NULL },
};

/* Chores in the order of an event's life. */
static const struct chore chores[] = {
	{ "export statistics", export_statistics, .every_s = 10, .idle_s = 60 },
	{ "finish events", finish_events, .every_s = 5, .idle_s = 15 },
	{ "take final statistics", store_last_statistics, .every_s = 5, .idle_s = 15 },
	{ NULL },
};

#ifndef UNIT_TEST
int
main(int argc, char **argv)
{
	static const struct worker is = { "stats_export", kinds, chores, node_is_fit };

	return work(&is, argc, argv);
}
#endif
