/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CHANNEL_FIXTURE_H
#define TESTS_UNIT_CHANNEL_FIXTURE_H

/* The program of channels in a fixture.  A test defines UNIT_TEST first. */
#include "tests/unit/channel_rows.h"

#include "cgi-bin/channels.c"

#define BASE "https://speech.example.org"
#define ID "8c0a70a7-a845-47f9-953a-5154281fa6f5"
#define ALONE "{\"data\":{\"type\":\"standalone\",\"name\":\"Main hall\"}}"
#define NEW(members) "{\"data\":{\"type\":\"standalone\",\"name\":\"A\"" members "}}"
#define DOWN "The broadcasting backend did not answer."
#define REFUSED "The broadcasting backend refused the channel."

static inline void
channel_fixture(void)
{
	static const struct sql *const prepared[] = { account_sql,
		idempotent_response_sql, public_view_cache_sql, channel_sql, event_sql,
		node_sql, queue_sql, served_sql, stage_sql, NULL };

	memset(&backend, 0, sizeof(backend));
	fixture_open("channels", channel_routes, prepared);
	fixture.app.conf.broadcast_driver = "told";
}

static inline struct response
add(const char *body)
{
	return ask("POST /saas/channel", body);
}

/* Creates a channel of the event; members begin with a comma. */
static inline struct response
add_to(const char *event, const char *members)
{
	return add(arena_printf(fixture.mem,
	    "{\"data\":{\"type\":\"event\",\"name\":\"Main "
	    "hall\",\"event_id\":\"%s\"%s}}",
	    event, members));
}

static inline struct response
on(const char *method, const char *id, const char *body)
{
	return ask(arena_printf(fixture.mem, "%s /saas/channel/%s", method, id), body);
}

static inline struct response
retry(const char *id)
{
	return ask(arena_printf(fixture.mem, "POST /saas/channel/%s/retry", id), NULL);
}

static inline int
channels(void)
{
	return number("SELECT count(*) FROM channels");
}

static const char *
line(const char *fmt, const char *a)
{
	return arena_printf(fixture.mem, fmt, a);
}

#endif
