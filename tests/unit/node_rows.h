/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_NODE_ROWS_H
#define TESTS_UNIT_NODE_ROWS_H

/* Other hosts that share the database of a fixture. */
#include "tests/unit/unit.h"

/* Adds a node whose last heartbeat was this many seconds ago. */
static inline void
put_node(const char *id, int load, int age_s)
{
	sql(arena_printf(fixture.mem,
	    "INSERT INTO nodes (id, public_url, connections, tasks, load, seen_us)"
	    " VALUES ('%s', 'https://%s.example.org/live', 0, 0, %d, %lld)"
	    " ON CONFLICT (id) DO UPDATE SET load = excluded.load,"
	    " seen_us = excluded.seen_us",
	    id, id, load, (long long)(now_us() - age_s * S_US)));
}

#endif
