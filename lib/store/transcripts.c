/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/transcripts.h"

#include <string.h>

#include "base/clock.h"

struct language {
	const char *code;
};

/* clang-format off */
const struct field	 transcript_fields[] = FIELDS(
	{ "line_id",          F_INT,  MEMBER(transcript_line, id),       .flags = F_OUT, .column = "id",
	                      .help = "Increases with time." },
	{ "channel_id",       F_TEXT, MEMBER(transcript_line, channel),  .flags = F_OUT, .column = "channel" },
	{ "stage_id",         F_TEXT, MEMBER(transcript_line, stage),    .flags = F_OUT | F_NULLABLE, .column = "stage" },
	{ "transcription_id", F_TEXT, MEMBER(transcript_line, segment),  .flags = F_OUT, .column = "segment",
	                      .help = "As in the sockets' messages; a phrase and its translations have the same id." },
	{ "language",         F_TEXT, MEMBER(transcript_line, language), .flags = F_OUT },
	{ "is_original",      F_BOOL, MEMBER(transcript_line, original), .flags = F_OUT, .column = "original",
	                      .help = "False: a translation." },
	{ "text",             F_TEXT, MEMBER(transcript_line, text),     .flags = F_OUT },
	{ "original_text",    F_TEXT, MEMBER(transcript_line, original_text), .flags = F_OUT | F_NULLABLE,
	                      .help = "Before its first correction." },
	{ "speaker",          F_TEXT, MEMBER(transcript_line, speaker),  .flags = F_OUT | F_NULLABLE },
	{ "utc_start_at",     F_TEXT, MEMBER(transcript_line, start),    .flags = F_OUT, .column = NO_COLUMN,
	                      .help = "RFC 3339, with milliseconds." },
	{ "utc_end_at",       F_TEXT, MEMBER(transcript_line, end),      .flags = F_OUT, .column = NO_COLUMN,
	                      .help = "RFC 3339, with milliseconds." },
	{ "account",          F_TEXT, MEMBER(transcript_line, account) },
	{ "event",            F_TEXT, MEMBER(transcript_line, event) },
	{ "part",             F_INT,  MEMBER(transcript_line, part) },
	{ "start_us",         F_INT,  MEMBER(transcript_line, start_us) },
	{ "end_us",           F_INT,  MEMBER(transcript_line, end_us) },
	{ "correction",       F_INT,  MEMBER(transcript_line, correction) }
);
static const struct field	 language_fields[] = FIELDS(
	{ "language", F_TEXT, MEMBER(language, code) }
);

#define LINES ROWS_OF(transcript_fields, struct transcript_line)
/* 1 if texts of channel c are stored. */
#define KEPT                                                                             \
	"CASE WHEN c.event IS NULL THEN c.keep_transcript WHEN EXISTS (SELECT 1 FROM"    \
	" events e WHERE e.id = c.event AND e.transcript <> 'off') THEN 1 ELSE 0 END"
/* 1 if the transcript of channel c's event was public at $9. */
#define PUBLIC                                                                           \
	"CASE WHEN EXISTS (SELECT 1 FROM events e WHERE e.id = c.event"                  \
	" AND e.transcript = 'public' AND e.transcript_us <= $9) THEN 1 ELSE 0 END"
/*
 * $1 account, $2 channel or event, $3 from, $4 to, $5 stage, $6 = 1: public lines only
 */
#define WHICH(of)                                                                        \
	" FROM transcript_lines l WHERE l.account = $1 AND l." of " = $2"                \
	" AND l.start_us >= $3 AND l.start_us < $4"                                      \
	" AND (CAST($5 AS TEXT) IS NULL OR l.stage = $5) AND l.public >= $6"
/* $7 language, $8 and $9 cursor, $10 limit */
#define PAGE(of)                                                                         \
	"SELECT {l.*}" WHICH(of) " AND CASE WHEN CAST($7 AS TEXT) IS NULL THEN 1"        \
	" WHEN $7 = 'original' THEN l.original WHEN l.language <> $7 THEN 0"             \
	" WHEN l.original = 1 AND EXISTS (SELECT 1 FROM transcript_lines t"              \
	" WHERE t.channel = l.channel AND t.segment = l.segment"                         \
	" AND t.language = l.language AND t.original = 0) THEN 0 ELSE 1 END = 1"         \
	" AND (l.start_us, l.id) > ($8, $9) ORDER BY l.start_us, l.id LIMIT $10", LINES
#define LANGUAGES(of)                                                                    \
	"SELECT DISTINCT l.language AS language" WHICH(of) " AND l.original = 0"         \
	" ORDER BY 1", ROWS_OF(language_fields, struct language)
#define OF_CHANNEL " WHERE account = $1 AND channel = $2"

enum {
	KEEPS, KNOWN, LAST, TAKEN, ADD, SINCE, PAGE_CHANNEL, PAGE_EVENT, LANGUAGES_CHANNEL, LANGUAGES_EVENT,
	BEGIN_CHANNEL, BEGIN_EVENT, GET, CORRECT, NAME_SPEAKER, CORRECTIONS, CORRECTED, DROP, EXPIRE, SWEEP,
	SQL_END
};

const struct sql	 transcript_sql[SQL_END + 1] = {
	[KEEPS] = { "transcript.keeps", "SELECT " KEPT " FROM channels c WHERE c.id = $1" },
	[KNOWN] = { "transcript.known",
	    "SELECT 1 FROM channels WHERE account = $1 AND id = $2"
	    " UNION ALL SELECT 1 FROM transcript_lines" OF_CHANNEL " LIMIT 1" },
	[LAST] = { "transcript.last", "SELECT max(id) FROM transcript_lines" },
	[TAKEN] = { "transcript.taken", "SELECT 1 FROM transcript_lines WHERE id = $1" },
	[ADD] = { "transcript.add",
	    "INSERT INTO transcript_lines (id, account, channel, event, stage, segment, part,"
	    " language, original, text, speaker, start_us, end_us, public)"
	    " SELECT CAST($1 AS BIGINT), c.account, c.id, c.event, c.stage, CAST($3 AS TEXT),"
	    " CAST($4 AS BIGINT), CAST($5 AS TEXT), CAST($6 AS BIGINT), CAST($7 AS TEXT),"
	    " CAST($8 AS TEXT), CAST($9 AS BIGINT), CAST($10 AS BIGINT), " PUBLIC
	    " FROM channels c WHERE c.id = $2 AND " KEPT " = 1 AND (CAST($11 AS BIGINT)"
	    " IN (0, c.epoch) OR CAST($10 AS BIGINT) < c.taken_us) ON CONFLICT DO NOTHING" },
	[SINCE] = { "transcript.since",
	    "SELECT 1 FROM transcript_lines WHERE channel = $1 AND start_us >= $2" },
	[PAGE_CHANNEL] = { "transcript.page_channel", PAGE("channel") },
	[PAGE_EVENT] = { "transcript.page_event", PAGE("event") },
	[LANGUAGES_CHANNEL] = { "transcript.languages_channel", LANGUAGES("channel") },
	[LANGUAGES_EVENT] = { "transcript.languages_event", LANGUAGES("event") },
	[BEGIN_CHANNEL] = { "transcript.begin_channel", "SELECT min(l.start_us)" WHICH("channel") },
	[BEGIN_EVENT] = { "transcript.begin_event", "SELECT min(l.start_us)" WHICH("event") },
	[GET] = { "transcript.get", "SELECT {*} FROM transcript_lines" OF_CHANNEL " AND id = $3", LINES },
	[CORRECT] = { "transcript.correct",
	    "UPDATE transcript_lines SET original_text = coalesce(original_text, text), text = $4,"
	    " correction = $5" OF_CHANNEL " AND id = $3" },
	[NAME_SPEAKER] = { "transcript.name_speaker",
	    "UPDATE transcript_lines SET speaker = $4" OF_CHANNEL " AND segment = $3" },
	[CORRECTIONS] = { "transcript.corrections",
	    "SELECT max(correction) FROM transcript_lines WHERE channel = $1 AND correction IS NOT NULL" },
	[CORRECTED] = { "transcript.corrected",
	    "SELECT {*} FROM transcript_lines WHERE channel = $1 AND correction > $2"
	    " ORDER BY correction LIMIT $3", LINES },
	[DROP] = { "transcript.drop",
	    "DELETE FROM transcript_lines WHERE id IN (SELECT id FROM transcript_lines" OF_CHANNEL
	    " LIMIT $3)" },
	/* Ids increase with time, so the oldest come first. */
	[EXPIRE] = { "transcript.expire",
	    "DELETE FROM transcript_lines WHERE id IN (SELECT id FROM transcript_lines"
	    " ORDER BY id LIMIT $2) AND end_us < $1" },
	/* Each channel takes one step in the index, however many lines it has. */
	[SWEEP] = { "transcript.sweep",
	    "DELETE FROM transcript_lines WHERE id IN (SELECT l.id FROM transcript_lines l"
	    " WHERE l.channel = (WITH RECURSIVE c (id) AS (SELECT min(channel)"
	    " FROM transcript_lines UNION ALL SELECT (SELECT min(t.channel)"
	    " FROM transcript_lines t WHERE t.channel > c.id) FROM c WHERE c.id IS NOT NULL)"
	    " SELECT c.id FROM c WHERE c.id IS NOT NULL"
	    " AND NOT EXISTS (SELECT 1 FROM channels x WHERE x.id = c.id)"
	    " AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = (SELECT o.event"
	    " FROM transcript_lines o WHERE o.channel = c.id LIMIT 1)) LIMIT 1) LIMIT $1)" },
};
/* clang-format on */

/* ---- storing ---- */

enum err
transcript_is_stored(struct db *db, const char *channel, bool *kept)
{
	int64_t n = 0;
	enum err e = db_number(db, &transcript_sql[KEEPS], ARGS(TEXT(channel)), &n);

	*kept = n == 1;
	return e;
}

/* Ids increase even after the last lines were deleted; they are about the time in
   microseconds. */
static enum err
next_id(struct db *db, int64_t *id)
{
	int64_t last = 0, now = now_us();
	enum err e = db_number(db, &transcript_sql[LAST], ARGS(), &last);

	*id = last >= now ? last + 1 : now;
	return e;
}

/* *taken: another node has taken the id meanwhile. */
static enum err
add_as(struct db *db, const struct transcript_line *l, int64_t id, bool *taken)
{
	int64_t added;
	enum err e = db_exec(db, &transcript_sql[ADD],
	    ARGS(INT(id), TEXT(l->channel), TEXT(l->segment), INT(l->part),
		TEXT(l->language), INT(l->original), TEXT(l->text), TEXT(l->speaker),
		INT(l->start_us), INT(l->end_us), INT(l->epoch)),
	    &added);

	*taken = false;
	if (e != OK || added == 1)
		return e;
	e = db_there(db, &transcript_sql[TAKEN], ARGS(INT(id)));
	*taken = e == OK;
	return e == ERR_NOT_FOUND ? OK : e;
}

enum err
transcript_add(struct db *db, const struct transcript_line *l)
{
	bool taken = true;
	int64_t id;
	enum err e = OK;

	while (e == OK && taken)
		if ((e = next_id(db, &id)) == OK)
			e = add_as(db, l, id, &taken);
	return e;
}

enum err
transcript_since(struct db *db, const char *channel, int64_t start_us, bool *any)
{
	enum err e =
	    db_there(db, &transcript_sql[SINCE], ARGS(TEXT(channel), INT(start_us)));

	*any = e == OK;
	return e == ERR_NOT_FOUND ? OK : e;
}

/* ---- reading ---- */

enum err
transcript_known(struct db *db, const char *account, const char *channel)
{
	return db_there(db, &transcript_sql[KNOWN], ARGS(TEXT(account), TEXT(channel)));
}

static const struct sql *
of(const struct transcript_query *q, int channel, int event)
{
	return &transcript_sql[q->channel != NULL ? channel : event];
}

/* The arguments of WHICH. */
#define WHICH_ARGS(q)                                                                  \
	TEXT((q)->account), TEXT((q)->channel != NULL ? (q)->channel : (q)->event),    \
	    INT((q)->from_us), INT((q)->to_us), TEXT((q)->stage), INT((q)->public)

enum err
transcript_page(struct db *db, struct arena *mem, const struct transcript_query *q,
    const struct transcript_cursor *from, int64_t n, struct list *to)
{
	return db_list(db, of(q, PAGE_CHANNEL, PAGE_EVENT),
	    ARGS(WHICH_ARGS(q), TEXT(q->language), INT(from->start_us), INT(from->id),
		INT(n)),
	    mem, to);
}

enum err
transcript_languages(
    struct db *db, struct arena *mem, const struct transcript_query *q, struct list *to)
{
	return db_list(db, of(q, LANGUAGES_CHANNEL, LANGUAGES_EVENT),
	    ARGS(WHICH_ARGS(q)), mem, to);
}

enum err
transcript_begin(struct db *db, const struct transcript_query *q, int64_t *start_us)
{
	struct rows rs =
	    db_query(db, of(q, BEGIN_CHANNEL, BEGIN_EVENT), ARGS(WHICH_ARGS(q)));
	enum err e;

	*start_us = NULL_INT;
	if (db_next(&rs))
		*start_us = row_int(&rs, 0);
	e = db_done(&rs);
	return e == OK && *start_us == NULL_INT ? ERR_NOT_FOUND : e;
}

static const char *
with_milliseconds(struct arena *mem, int64_t us)
{
	char text[TIME_TEXT];
	int ms = (int)(us / 1000 % 1000);

	time_text(us, text);
	text[strlen(text) - 1] = '\0'; /* remove its Z */
	return arena_printf(mem, "%s.%03dZ", text, ms);
}

void
transcript_fill_view(struct arena *mem, struct transcript_line *l)
{
	l->start = with_milliseconds(mem, l->start_us);
	l->end = with_milliseconds(mem, l->end_us);
	l->id_text = arena_printf(mem, "%lld", (long long)l->id);
}

/* ---- correcting ---- */

enum err
transcript_get(struct db *db, struct arena *mem, const char *account,
    const char *channel, int64_t id, struct transcript_line *l)
{
	return db_one(db, &transcript_sql[GET],
	    ARGS(TEXT(account), TEXT(channel), INT(id)), mem, l);
}

enum err
transcript_corrections(struct db *db, const char *channel, int64_t *n)
{
	return db_number(db, &transcript_sql[CORRECTIONS], ARGS(TEXT(channel)), n);
}

enum err
transcript_correct(struct db *db, const char *text, struct transcript_line *l)
{
	int64_t n = 0;
	enum err e;

	if (strcmp(l->text, text) == 0)
		return OK;
	if ((e = transcript_corrections(db, l->channel, &n)) != OK)
		return e;
	l->correction = n + 1;
	if (l->original_text == NULL)
		l->original_text = l->text;
	l->text = text;
	return db_change(db, &transcript_sql[CORRECT],
	    ARGS(TEXT(l->account), TEXT(l->channel), INT(l->id), TEXT(text),
		INT(l->correction)),
	    ERR_NOT_FOUND);
}

enum err
transcript_name_speaker(struct db *db, const char *speaker, struct transcript_line *l)
{
	l->speaker = speaker;
	return db_change(db, &transcript_sql[NAME_SPEAKER],
	    ARGS(TEXT(l->account), TEXT(l->channel), TEXT(l->segment), TEXT(speaker)),
	    ERR_NOT_FOUND);
}

enum err
transcript_corrected(struct db *db, struct arena *mem, const char *channel,
    int64_t since, int64_t n, struct list *to)
{
	return db_list(db, &transcript_sql[CORRECTED],
	    ARGS(TEXT(channel), INT(since), INT(n)), mem, to);
}

/* ---- removing ---- */

enum err
transcript_drop(struct db *db, const char *account, const char *channel, int64_t n,
    int64_t *dropped)
{
	return db_exec(db, &transcript_sql[DROP],
	    ARGS(TEXT(account), TEXT(channel), INT(n)), dropped);
}

enum err
transcript_expire(struct db *db, int64_t before_us, int n, int64_t *dropped)
{
	return db_exec(
	    db, &transcript_sql[EXPIRE], ARGS(INT(before_us), INT(n)), dropped);
}

enum err
transcript_sweep(struct db *db, int n, int64_t *dropped)
{
	return db_exec(db, &transcript_sql[SWEEP], ARGS(INT(n)), dropped);
}
