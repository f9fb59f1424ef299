/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_STATS_ROWS_H
#define TESTS_UNIT_STATS_ROWS_H

/* Counts of events that a test writes directly to the database. */
#include "tests/unit/event_rows.h"

static inline void
set_stats(const char *event, const char *assignments)
{
	sql(arena_printf(fixture.mem, "UPDATE event_stats SET %s WHERE event = '%s'",
	    assignments, event));
}

/* Adds a listener of a language, as a join counts it. */
static inline void
put_heard(const char *event, const char *language, int participants)
{
	sql(arena_printf(fixture.mem,
	    "INSERT INTO heard VALUES ('%s', '%s', %d) ON CONFLICT (event, language)"
	    " DO UPDATE SET participants = excluded.participants",
	    event, language, participants));
}

#endif
