/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_STATS_FIXTURE_H
#define TESTS_UNIT_STATS_FIXTURE_H

/* The worker of events, with an event in a fixture. */
#define UNIT_TEST
#include "workers/stats_export.c"

#include "tests/unit/stats_rows.h"

enum { EXPORT, FINISH, FREEZE, CHORES_END }; /* as in chores[] */

static const char *event;
static struct work w;

static inline void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, event_sql, stage_sql,
		stats_sql, NULL };

	fixture_open("stats_export", none, prepared);
	w = (struct work){ fixture.app.db, fixture.wire, &fixture.app.conf };
	event = put_event(fixture.account, "Autumn summit", 1);
}

/* Runs the chore as the workers' loop does. */
static inline enum err
run_chore(int i)
{
	enum err e = chores[i].run(&w);

	db_rollback(w.db);
	arena_reset(w.mem);
	return e;
}

#define ran(chore) ck_assert_int_eq(run_chore(chore), OK)

/* True if a condition holds for the rows of event_stats and of the event. */
static inline const char *
of_stats(const char *columns)
{
	return sql(arena_printf(fixture.mem,
	    "SELECT %s FROM event_stats WHERE event = '%s'", columns, event));
}

static inline const char *
of_event(const char *columns)
{
	return sql(arena_printf(
	    fixture.mem, "SELECT %s FROM events WHERE id = '%s'", columns, event));
}

/*
 * Adds more events, each with as many listeners as its number; sets the same columns of
 * all events.
 */
static inline void
put_events(int n, const char *events, const char *stats)
{
	for (int i = 2; i <= n + 1; i++)
		put_heard(put_event(fixture.account, "Another", i), "de", i);
	sql(arena_printf(fixture.mem, "UPDATE events SET %s; UPDATE event_stats SET %s",
	    events, stats));
}

/* Adds an event with this many listeners. */
static inline const char *
event_of(int participants)
{
	const char *id = sql(arena_printf(fixture.mem,
	    "SELECT event FROM heard WHERE participants = %d", participants));

	return arena_dup(fixture.mem, id, strlen(id) - 1);
}

/* Runs the job that is due; the case fails when there is none. */
static inline struct stats_due
due_of(int duty)
{
	const struct stats_page all = {
		.duty = duty, .until_us = now_us(), .n = BATCH
	};
	struct list due;

	ck_assert_int_eq(stats_list(w.db, fixture.mem, &all, &due), OK);
	ck_assert_int_eq((int)due.n, 1);
	return *(struct stats_due *)due.items;
}

#endif
