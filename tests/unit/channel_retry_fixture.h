/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CHANNEL_RETRY_FIXTURE_H
#define TESTS_UNIT_CHANNEL_RETRY_FIXTURE_H

/*
 * The worker of channels in a fixture, with an event.  A test defines UNIT_TEST
 * first.
 */
#include "tests/unit/channel_rows.h"

#include "workers/channel_retry.c"

static struct work w;
static const char *event;

static inline void
retry_fixture(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, channel_sql,
		queue_sql, NULL };

	memset(&backend, 0, sizeof(backend));
	fixture_open("channel_retry", none, prepared);
	fixture.app.conf.broadcast_driver = "told";
	w = (struct work){ fixture.app.db, fixture.wire, &fixture.app.conf };
	event = put_event(fixture.account);
}

/* Runs the due jobs of a kind, as the worker's loop does. */
static inline enum err
work_on(const char *kind)
{
	const struct job_kind *k = kinds;
	enum err e;

	while (strcmp(k->name, kind) != 0)
		k++;
	sql("UPDATE jobs SET due_us = 1 WHERE state = 'ready'");
	e = work_one(&w, k, "test");
	arena_reset(fixture.wire);
	ck_assert(db_idle(w.db));
	return e;
}

static inline void
put_work(const char *kind, const char *ref, int tries)
{
	ck_assert_int_eq(queue_add(w.db, fixture.mem, kind, fixture.account, ref), OK);
	sql(arena_printf(fixture.mem, "UPDATE jobs SET tries = %d", tries));
}

static inline int
jobs(void)
{
	return number("SELECT count(*) FROM jobs WHERE state <> 'dead'");
}

#endif
