/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_TRANSCRIPT_ROWS_H
#define TESTS_UNIT_TRANSCRIPT_ROWS_H

/* Channels with transcripts and lines that a test writes directly to the database. */
#include "tests/unit/event_rows.h"

#define DAY_US INT64_C(1795424400000000) /* 2026-11-23T09:00:00Z */

/* event NULL: a standalone channel. */
static inline const char *
put_speaking(const char *account, const char *event, const char *stage)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO channels (id, account, created_us, updated_us, type, "
	    "lifecycle,"
	    " attempt, held, name, input_type, source_language, target_languages, "
	    "region,"
	    " ignore_video, original_delay_s, original_volume, outputs, "
	    "keep_transcript)"
	    " VALUES ('%s', '%s', 1, 1, 'standalone', 'ready', 1, 1, 'Hall',"
	    " 'webrtc_push', 'en', '[\"es\"]', 'local', 0, 0, 0, '[]', 1)",
	    id, account));
	if (event != NULL)
		sql(arena_printf(fixture.mem,
		    "UPDATE channels SET type = 'event', event = '%s', stage = '%s'"
		    " WHERE id = '%s'",
		    event, stage, id));
	return id;
}

/*
 * language: of a target, or "=en" for the original; start: ms of the day. The line is
 * public when the event is public now.
 */
static inline void
put_line(const char *channel, const char *segment, const char *language,
    const char *text, int start_ms, int length_ms)
{
	static int64_t ids = 1000;
	int64_t start_us = DAY_US + start_ms * INT64_C(1000);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO transcript_lines (id, account, channel, event, stage, segment,"
	    " part, language, original, text, start_us, end_us, public) SELECT %lld,"
	    " account, "
	    "id,"
	    " event, stage, '%s', (SELECT count(*) FROM transcript_lines WHERE segment "
	    "="
	    " '%s'), '%s', %d, '%s', %lld, %lld, (SELECT count(*) FROM events e WHERE"
	    " e.id = event AND e.transcript = 'public') FROM channels WHERE id = '%s'",
	    (long long)++ids, segment, segment, language + (language[0] == '='),
	    language[0] == '=', text, (long long)start_us,
	    (long long)(start_us + length_ms * INT64_C(1000)), channel));
}

#endif
