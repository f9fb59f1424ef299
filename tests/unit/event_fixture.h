/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_EVENT_FIXTURE_H
#define TESTS_UNIT_EVENT_FIXTURE_H

/* The program of events in a fixture.  A test defines UNIT_TEST first. */
#include "cgi-bin/events.c"

#include "tests/unit/event_rows.h"

#define BASE "https://speech.example.org"
#define MADE_US INT64_C(1795169924000000) /* 2026-11-20T10:18:44Z */
#define NEEDED                                                                         \
	"\"title\":\"Health Forum\",\"event_type\":\"in-person\",\"utc_start_dt\":"    \
	"\"2036-12-01T08:00:00Z\",\"utc_end_dt\":\"2036-12-02T16:00:00Z\""
#define EVENT_WITH(members) "{\"data\":{" NEEDED members "}}"
#define SESSION(members)                                                               \
	"{\"title\":\"Opening\",\"utc_start_dt\":\"2036-12-01T08:00:00Z\","            \
	"\"utc_end_dt\":\"2036-12-01T09:00:00Z\"" members "}"
#define UUID "11111111-2222-4333-8444-555555555555"

static inline void
event_fixture(void)
{
	static const struct sql *const prepared[] = { account_sql,
		idempotent_response_sql, event_sql, stage_sql, public_view_cache_sql,
		stats_sql, channel_sql, node_sql, queue_sql, served_sql, NULL };

	fixture_open("events", event_routes, prepared);
}

static inline struct response
add(const char *body)
{
	return ask("POST /saas/v2/event", body);
}

static inline struct response
on(const char *method, const char *id, const char *body)
{
	return ask(arena_printf(fixture.mem, "%s /saas/v2/event/%s", method, id), body);
}

/* Sends a change with this data; %s in it are ids. */
static inline struct response
change(const char *id, const char *data)
{
	return on("PATCH", id, arena_printf(fixture.mem, "{\"data\":%s}", data));
}

static inline const char *
added(const char *body)
{
	struct response a = add(body);

	answered(a, 201);
	return said(&a, "/data/event_id");
}

#endif
