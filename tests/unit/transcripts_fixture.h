/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_TRANSCRIPTS_FIXTURE_H
#define TESTS_UNIT_TRANSCRIPTS_FIXTURE_H

/* The program of transcripts, with a standalone channel and a channel of an event. */
#define UNIT_TEST
#include "cgi-bin/transcripts.c"

#include "tests/unit/transcript_rows.h"

#define DAY "2026-11-23T09:00:"
/* The Spanish text of put_talk(). */
#define SRT_ES                                                                         \
	"1\n00:00:00,000 --> 00:00:01,500\nBuenos días a todos.\n\n"                  \
	"2\n00:00:03,000 --> 00:00:05,250\n=HYPERLINK(1) segunda parte\n\n"

static const char *channel, *event, *hall, *hall_channel;

static inline void
begin(void)
{
	static const struct sql *const prepared[] = { account_sql, event_sql,
		idempotent_response_sql, public_view_cache_sql, stage_sql,
		transcript_sql, NULL };

	fixture_open("transcripts", transcript_routes, prepared);
	channel = put_speaking(fixture.account, NULL, NULL);
	event = put_event(fixture.account, "Forum", 1);
	hall = put_stage(event, "Hall");
	hall_channel = put_speaking(fixture.account, event, hall);
}

static inline void
put_talk(const char *at)
{
	put_line(at, "aa", "=en", "Good morning, everyone.", 1000, 1500);
	put_line(at, "aa", "es", "Buenos días a todos.", 1000, 1500);
	put_line(at, "bb", "=en", "Fish & <chips> --> now", 4000, 2250);
	put_line(at, "bb", "es", "=HYPERLINK(1)", 4000, 2250);
	put_line(at, "bb", "es", "segunda parte", 4000, 2250);
}

/* Reads the transcript of the channel; more: its query. */
static inline struct response
get(const char *more)
{
	return ask(arena_printf(
		       fixture.mem, "GET /saas/channel/%s/transcript%s", channel, more),
	    NULL);
}

static inline struct response
of_event(const char *more)
{
	return ask(arena_printf(
		       fixture.mem, "GET /saas/v2/event/%s/transcript%s", event, more),
	    NULL);
}

static inline struct response
of_public(const char *more)
{
	struct response a;
	const char *bearer = fixture.bearer;

	fixture.bearer = NULL;
	a = ask(arena_printf(fixture.mem, "GET /saas/v2/event/public/%s/transcript%s",
		    event, more),
	    NULL);
	fixture.bearer = bearer;
	return a;
}

#endif
