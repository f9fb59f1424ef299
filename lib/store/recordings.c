/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/recordings.h"

#include "store/blobs.h"

/* clang-format off */
const struct field	 recording_fields[] = FIELDS(
	{ "recording_id", F_TEXT, MEMBER(recording, id),          .flags = F_OUT | F_ADD, .column = "id" },
	{ "channel_id",   F_TEXT, MEMBER(recording, channel),     .flags = F_OUT | F_ADD, .column = "channel" },
	{ "language",     F_TEXT, MEMBER(recording, language),    .flags = F_OUT | F_NULLABLE | F_ADD,
	                  .help = "Its language, or original; null: an MP4 with a track for each language." },
	{ "format",       F_TEXT, MEMBER(recording, format),      .flags = F_OUT | F_ADD },
	{ "utc_start_at", F_TIME, MEMBER(recording, start_us),    .flags = F_OUT | F_ADD, .column = "start_us" },
	{ "duration_ms",  F_INT,  MEMBER(recording, duration_ms), .flags = F_OUT | F_ADD },
	{ "size_bytes",   F_INT,  MEMBER(recording, bytes),       .flags = F_OUT | F_ADD, .column = "bytes" },
	{ "url",          F_TEXT, MEMBER(recording, url),         .flags = F_OUT, .column = NO_COLUMN },
	{ "account",      F_TEXT, MEMBER(recording, account),     .flags = F_ADD },
	{ "event",        F_TEXT, MEMBER(recording, event),       .flags = F_ADD },
	{ "blob",         F_TEXT, MEMBER(recording, blob),        .flags = F_ADD }
);
static const struct field	 owner_fields[] = FIELDS(
	{ "account", F_TEXT, MEMBER(recording, account) },
	{ "event",   F_TEXT, MEMBER(recording, event) }
);

#define RECORDINGS(rest) "SELECT {r.*} FROM recordings r WHERE " rest, \
	ROWS_OF(recording_fields, struct recording)
#define OF_CHANNEL "account = $1 AND channel = $2"

#define OF_EVENT "event = $1 AND account = $2"

enum { OWNER, ADD, KNOWN, UP, DOWN, EVENT_UP, EVENT_DOWN, GET, DROP, OLD, LEFT, SQL_END };

const struct sql	 recording_sql[SQL_END + 1] = {
	[OWNER] = { "recording.owner", "SELECT {*} FROM channels WHERE id = $1",
	    ROWS_OF(owner_fields, struct recording) },
	[ADD] = { "recording.add",
	    "INSERT INTO recordings ({names}) VALUES ({values}) ON CONFLICT DO NOTHING",
	    .from = recording_fields },
	[KNOWN] = { "recording.known",
	    "SELECT 1 FROM channels WHERE account = $1 AND id = $2"
	    " UNION ALL SELECT 1 FROM recordings WHERE " OF_CHANNEL " LIMIT 1" },
	[UP] = { "recording.list_up",
	    RECORDINGS(OF_CHANNEL " AND (start_us, id) > ($3, $4)"
		" ORDER BY start_us, id LIMIT $5") },
	[DOWN] = { "recording.list_down",
	    RECORDINGS(OF_CHANNEL " AND (start_us, id) < ($3, $4)"
		" ORDER BY start_us DESC, id DESC LIMIT $5") },
	[EVENT_UP] = { "recording.event_up",
	    RECORDINGS(OF_EVENT " AND (start_us, id) > ($3, $4)"
		" ORDER BY start_us, id LIMIT $5") },
	[EVENT_DOWN] = { "recording.event_down",
	    RECORDINGS(OF_EVENT " AND (start_us, id) < ($3, $4)"
		" ORDER BY start_us DESC, id DESC LIMIT $5") },
	[GET] = { "recording.get", RECORDINGS(OF_CHANNEL " AND id = $3") },
	[DROP] = { "recording.drop", "DELETE FROM recordings WHERE id = $1" },
	[OLD] = { "recording.old", RECORDINGS("start_us < $1 ORDER BY start_us LIMIT $2") },
	[LEFT] = { "recording.left",
	    RECORDINGS("NOT EXISTS (SELECT 1 FROM channels c WHERE c.id = r.channel)"
		" AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = r.event) LIMIT $1") },
};
/* clang-format on */

enum err
recording_owner(
    struct db *db, struct arena *mem, const char *channel, struct recording *to)
{
	return db_one(db, &recording_sql[OWNER], ARGS(TEXT(channel)), mem, to);
}

enum err
recording_add(struct db *db, const struct recording *r)
{
	return db_save(db, &recording_sql[ADD], r, ARGS(), ERR_CONFLICT);
}

enum err
recording_known(struct db *db, const char *account, const char *channel)
{
	return db_there(db, &recording_sql[KNOWN], ARGS(TEXT(account), TEXT(channel)));
}

enum err
recording_list(struct db *db, struct arena *mem, const char *account,
    const char *channel, const struct list_cursor *from, struct list *to)
{
	return db_list(db, &recording_sql[from->ascending ? UP : DOWN],
	    ARGS(TEXT(account), TEXT(channel), CURSOR(from)), mem, to);
}

enum err
recording_list_event(struct db *db, struct arena *mem, const char *account,
    const char *event, const struct list_cursor *from, struct list *to)
{
	return db_list(db, &recording_sql[from->ascending ? EVENT_UP : EVENT_DOWN],
	    ARGS(TEXT(event), TEXT(account), CURSOR(from)), mem, to);
}

enum err
recording_get(struct db *db, struct arena *mem, const char *account,
    const char *channel, const char *id, struct recording *to)
{
	return db_one(db, &recording_sql[GET],
	    ARGS(TEXT(account), TEXT(channel), TEXT(id)), mem, to);
}

enum err
recording_drop(struct db *db, const struct recording *r)
{
	enum err e =
	    db_change(db, &recording_sql[DROP], ARGS(TEXT(r->id)), ERR_NOT_FOUND);

	return e != OK ? e : blob_drop_recording(db, r->account, r->blob);
}

enum err
recording_old(
    struct db *db, struct arena *mem, int64_t before_us, int n, struct list *to)
{
	return db_list(db, &recording_sql[OLD], ARGS(INT(before_us), INT(n)), mem, to);
}

enum err
recording_left(struct db *db, struct arena *mem, int n, struct list *to)
{
	return db_list(db, &recording_sql[LEFT], ARGS(INT(n)), mem, to);
}
