/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins of listeners: the channel for each, and who has listened in which language. */
#include "store/listener_joins.h"

#include "store/events.h"

/* Channels of an event and, unless NULL, of a stage. */
#define THERE                                                                          \
	" FROM channels WHERE event = $1 AND account = $2"                             \
	" AND (CAST($3 AS TEXT) IS NULL OR stage = $3)"

/* clang-format off */
enum {
	STAGE, CHANNEL, CHOOSE, UNFINISHED, CODE, RECORDED, KNOWN, ADD, COUNT_LISTENER,
	COUNT_HEARD, SQL_END
};
static const struct field	 chosen_fields[] = FIELDS(
	{ "id",        F_TEXT, MEMBER(listener_join_channel, id) },
	{ "stage",     F_TEXT, MEMBER(listener_join_channel, stage) },
	{ "broadcast", F_TEXT, MEMBER(listener_join_channel, broadcast) },
	{ "node",      F_TEXT, MEMBER(listener_join_channel, node) },
	{ "outputs",   F_TEXT, MEMBER(listener_join_channel, outputs), .flags = F_SEALED }
);

const struct sql	 listener_join_sql[SQL_END + 1] = {
	[STAGE] = { "join.stage", "SELECT 1 FROM stages WHERE id = $1 AND event = $2" },
	[CHANNEL] = { "join.channel", "SELECT 1" THERE " AND id = $4 AND lifecycle <> 'deleting'" },
	[CHOOSE] = { "join.choose",
	    "SELECT {*}" THERE " AND (CAST($4 AS TEXT) IS NULL OR id = $4)"
	    " AND lifecycle = 'ready' AND (CAST($5 AS TEXT) = 'original'"
	    " OR (target_languages LIKE '%\"' || $5 || '\"%'"
	    " AND unserved NOT LIKE '%\"' || $5 || '\"%'))"
	    " ORDER BY created_us, id LIMIT 1", ROWS_OF(chosen_fields, struct listener_join_channel) },
	[UNFINISHED] = { "join.finished",
	    "SELECT 1 FROM events e WHERE e.id = $1 AND "
	    EVENT_LIFECYCLE("$2") " <> 'finished'" },
	[CODE] = { "join.code", "SELECT code_version FROM events WHERE id = $1" },
	[RECORDED] = { "join.recorded",
	    "SELECT 1 FROM joins WHERE event = $1 AND listener = $2 AND language = $3" },
	[KNOWN] = { "join.known", "SELECT count(*) FROM joins WHERE event = $1 AND listener = $2" },
	[ADD] = { "join.add",
	    "INSERT INTO joins (event, listener, language) VALUES ($1, $2, $3)"
	    " ON CONFLICT DO NOTHING" },
	[COUNT_LISTENER] = { "join.count_listener",
	    "UPDATE event_stats SET participants = participants + $2, active_us ="
	    " CASE WHEN active_us > $3 THEN active_us ELSE $3 END,"
	    " changed_us = coalesce(changed_us, $3) WHERE event = $1" },
	[COUNT_HEARD] = { "join.count_heard",
	    "INSERT INTO heard (event, language, participants) VALUES ($1, $2, 1)"
	    " ON CONFLICT (event, language) DO UPDATE"
	    " SET participants = heard.participants + 1" },
};
/* clang-format on */

enum err
listener_join_find_stage(struct db *db, const struct listener_join_scope *p)
{
	return db_there(
	    db, &listener_join_sql[STAGE], ARGS(TEXT(p->stage), TEXT(p->event)));
}

enum err
listener_join_find_channel(struct db *db, const struct listener_join_scope *p)
{
	return db_there(db, &listener_join_sql[CHANNEL],
	    ARGS(TEXT(p->event), TEXT(p->account), TEXT(p->stage), TEXT(p->channel)));
}

enum err
listener_join_choose(struct db *db, struct arena *mem,
    const struct listener_join_scope *p, const char *language,
    struct listener_join_channel *c)
{
	return db_one(db, &listener_join_sql[CHOOSE],
	    ARGS(TEXT(p->event), TEXT(p->account), TEXT(p->stage), TEXT(p->channel),
		TEXT(language)),
	    mem, c);
}

enum err
listener_join_event_finished(
    struct db *db, const char *event, int64_t now_us, bool *finished)
{
	enum err e = db_there(
	    db, &listener_join_sql[UNFINISHED], ARGS(TEXT(event), INT(now_us)));

	*finished = e == ERR_NOT_FOUND;
	return *finished ? OK : e;
}

enum err
listener_join_code(struct db *db, const char *event, int64_t *version)
{
	return db_number(db, &listener_join_sql[CODE], ARGS(TEXT(event)), version);
}

enum err
listener_join_record(struct db *db, const char *event, const char *listener,
    const char *language, int64_t now_us, bool *first)
{
	int64_t known = 0, added = 0;
	enum err e;

	if ((e = db_number(db, &listener_join_sql[KNOWN],
		 ARGS(TEXT(event), TEXT(listener)), &known)) != OK ||
	    (e = db_exec(db, &listener_join_sql[ADD],
		 ARGS(TEXT(event), TEXT(listener), TEXT(language)), &added)) != OK)
		return e;
	*first = known == 0;
	if (added == 0)
		return OK;
	e = db_change(db, &listener_join_sql[COUNT_LISTENER],
	    ARGS(TEXT(event), INT(*first), INT(now_us)), ERR_NOT_FOUND);
	return e != OK ? e
		       : db_exec(db, &listener_join_sql[COUNT_HEARD],
			     ARGS(TEXT(event), TEXT(language)), NULL);
}

enum err
listener_join_once(struct db *db, const char *event, const char *listener,
    const char *language, int64_t now_us, bool *first)
{
	enum err e = db_there(db, &listener_join_sql[RECORDED],
	    ARGS(TEXT(event), TEXT(listener), TEXT(language)));

	*first = false;
	if (e != ERR_NOT_FOUND || (!db_writing(db) && (e = db_begin(db)) != OK))
		return e;
	return listener_join_record(db, event, listener, language, now_us, first);
}
