/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_EVENT_ROWS_H
#define TESTS_UNIT_EVENT_ROWS_H

/*
 * Events, stages and channels that a test writes directly to the database.  Counts of
 * an event and its public view are updated with every change.
 */
#include "tests/unit/unit.h"

#include "base/text.h"

/*
 * Adds an event without stages that begins in a day and lasts a day; created_us is also
 * its seq.
 */
static inline const char *
put_event(const char *account, const char *title, int64_t created_us)
{
	const char *id = id_new(fixture.mem);
	long long day_us = 86400 * S_US, start = now_us() + day_us;
	long long made = created_us;

	sql(arena_printf(fixture.mem,
	    "INSERT INTO events (seq, created_us, id, account, updated_us, title, type,"
	    " start_us, end_us, recurring, languages, listener_mode, room_suffix,"
	    " agenda) VALUES (%lld, %lld, '%s', '%s', %lld, '%s', 'online', %lld, "
	    "%lld, 0,"
	    " '[]', 'approval', 'k3v9q2xa', '[]');"
	    "INSERT INTO event_texts (rowid, folded, account) VALUES (%lld, '%s', "
	    "'%s');"
	    "INSERT INTO event_terms (rowid, terms) SELECT rowid, grams(account, "
	    "folded, 1)"
	    " FROM event_texts WHERE rowid = %lld;"
	    "INSERT INTO event_stats (event) VALUES ('%s')",
	    made, made, id, account, made, title, start, start + day_us, made,
	    text_fold(fixture.mem, title), account, made, id));
	return id;
}

static inline void
set_event(const char *id, const char *assignments)
{
	sql(arena_printf(fixture.mem,
	    "UPDATE events SET %s WHERE id = '%s';"
	    "DELETE FROM bundles WHERE event = '%s'",
	    assignments, id, id));
}

/* Adds a stage after the event's other stages. */
static inline const char *
put_stage(const char *event, const char *name)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO stages (id, event, position, name, created_us, updated_us)"
	    " SELECT '%s', id, (SELECT count(*) FROM stages WHERE event = e.id), '%s',"
	    " created_us, created_us FROM events e WHERE id = '%s';"
	    "DELETE FROM bundles WHERE event = '%s'",
	    id, name, event, event));
	return id;
}

/* Updates the counts of channels of every event. */
static inline void
recount_channels(void)
{
	sql("UPDATE events SET channels_ready = (SELECT count(*) FROM channels c WHERE"
	    " c.event = events.id AND lifecycle = 'ready'), channels_active = (SELECT"
	    " count(*) FROM channels c WHERE c.event = events.id AND"
	    " lifecycle <> 'deleting' AND runtime = 'active');"
	    "DELETE FROM bundles");
}

/*
 * Adds a ready channel from English to the targets, '["de","fr"]'. stage NULL: a
 * standalone channel.
 */
static inline const char *
put_channel(const char *account, const char *stage, const char *name,
    const char *targets, int64_t created_us)
{
	const char *id = id_new(fixture.mem);
	const char *where = stage ? arena_printf(fixture.mem, "'%s'", stage) : "NULL";
	const char *of = arena_printf(
	    fixture.mem, "(SELECT s.event FROM stages s WHERE s.id = %s)", where);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO channels (id, account, created_us, updated_us, type, event,"
	    " stage, room_suffix, lifecycle, runtime, attempt, held, broadcast, name,"
	    " input_type, source_language, target_languages, region, ignore_video,"
	    " original_delay_s, original_volume, outputs) VALUES ('%s', '%s', %lld,"
	    " %lld, '%s', %s, %s, %s, 'ready', 'pending', 1, 1, '%s-1', '%s',"
	    " 'webrtc_push', 'en', '%s', 'local', 0, 0, 0, '[]')",
	    id, account, (long long)created_us, (long long)created_us,
	    stage ? "event" : "standalone", of, where, stage ? "'k3v9q2xa'" : "NULL",
	    id, name, targets));
	recount_channels();
	return id;
}

static inline void
set_channel(const char *id, const char *assignments)
{
	sql(arena_printf(
	    fixture.mem, "UPDATE channels SET %s WHERE id = '%s'", assignments, id));
	recount_channels();
}

#endif
