/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins of listeners: the channel for each, and the languages of each listener. */
#include "store/listener_joins.h"

#include <string.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "store/events.h"

/* Channels of an event and, unless NULL, of a stage. */
#define THERE                                                                          \
	" FROM channels WHERE event = $1 AND account = $2"                             \
	" AND (CAST($3 AS TEXT) IS NULL OR stage = $3)"

/* The oldest ready channel there with the language $5. */
#define CHOOSE_TEXT                                                                    \
	"SELECT {*}" THERE " AND (CAST($4 AS TEXT) IS NULL OR id = $4)"                \
	" AND lifecycle = 'ready' AND (CAST($5 AS TEXT) = 'original'"                  \
	" OR (target_languages LIKE '%\"' || $5 || '\"%'"                              \
	" AND unserved NOT LIKE '%\"' || $5 || '\"%'))"                                \
	" ORDER BY created_us, id LIMIT 1"
#define CHOSEN ROWS_OF(chosen_fields, struct listener_join_channel)

/* $1 is a JSON array of joins, [event, listener, language] each; a trigger counts those
   that are new. */
#define ADD_JOINS(it, all)                                                             \
	"INSERT INTO joins (event, listener, language, at_us) SELECT " it              \
	" ->> 0, " it " ->> 1, " it " ->> 2, $2 FROM " all                             \
	" WHERE EXISTS (SELECT 1 FROM"                                                 \
	" event_stats s WHERE s.event = " it " ->> 0) ON CONFLICT DO NOTHING"

#define OF_NODE(name)                                                                  \
	"(SELECT " name " FROM nodes WHERE nodes.id = channels.node) AS " name

/* clang-format off */
enum {
	STAGE, CHANNEL, CHOOSE, ADD_CHOSEN, UNFINISHED, CODE, KNOWN, ADD, SQL_END
};
static const struct field	 chosen_fields[] = FIELDS(
	{ "id",        F_TEXT, MEMBER(listener_join_channel, id) },
	{ "stage",     F_TEXT, MEMBER(listener_join_channel, stage) },
	{ "broadcast", F_TEXT, MEMBER(listener_join_channel, broadcast) },
	{ "node",      F_TEXT, MEMBER(listener_join_channel, node.id) },
	{ "public_url",  F_TEXT, MEMBER(listener_join_channel, node.public_url),  .column = OF_NODE("public_url") },
	{ "ingest_host", F_TEXT, MEMBER(listener_join_channel, node.ingest_host), .column = OF_NODE("ingest_host") },
	{ "seen_us",     F_INT,  MEMBER(listener_join_channel, node.seen_us),     .column = OF_NODE("seen_us") },
	{ "outputs",   F_TEXT, MEMBER(listener_join_channel, outputs), .flags = F_SEALED }
);

const struct sql	 listener_join_sql[SQL_END + 1] = {
	[STAGE] = { "join.stage", "SELECT 1 FROM stages WHERE id = $1 AND event = $2" },
	[CHANNEL] = { "join.channel", "SELECT 1" THERE " AND id = $4 AND lifecycle <> 'deleting'" },
	[CHOOSE] = { "join.choose", CHOOSE_TEXT, CHOSEN },
	[ADD_CHOSEN] = { "join.add_chosen", NULL,
	    "WITH chosen AS (" CHOOSE_TEXT "), added AS ("
	    "INSERT INTO joins (event, listener, language, at_us) SELECT s.event, $6, $5, $7"
	    " FROM chosen, event_stats s WHERE s.event = $1 ON CONFLICT DO NOTHING)"
	    " SELECT * FROM chosen", CHOSEN, .writes = true },
	[UNFINISHED] = { "join.finished",
	    "SELECT 1 FROM events e WHERE e.id = $1 AND "
	    EVENT_LIFECYCLE("$2") " <> 'finished'" },
	[CODE] = { "join.code", "SELECT code_version FROM events WHERE id = $1" },
	[KNOWN] = { "join.known",
	    "SELECT language FROM joins WHERE event = $1 AND listener = $2" },
	[ADD] = { "join.add", ADD_JOINS("value", "json_each($1)"),
	    ADD_JOINS("j", "json_array_elements(CAST($1 AS JSON)) j") },
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
listener_join_known(struct db *db, const char *event, const char *listener,
    const char *language, bool *first, bool *recorded)
{
	struct rows rs =
	    db_query(db, &listener_join_sql[KNOWN], ARGS(TEXT(event), TEXT(listener)));
	struct arena *mem = arena_new();
	enum err e;

	*recorded = false;
	while (db_next(&rs))
		*recorded |= strcmp(row_text(&rs, 0, mem), language) == 0;
	*first = rs.n == 0;
	e = db_done(&rs);
	arena_free(mem);
	return e;
}

static const char *
json_of(struct arena *mem, const struct listener_join *of, size_t n)
{
	struct buf b = { .mem = mem };
	struct json_writer w = { .out = &b };

	jw_list(&w, NULL);
	for (size_t i = 0; i < n; i++) {
		jw_list(&w, NULL);
		jw_text(&w, NULL, of[i].event);
		jw_text(&w, NULL, of[i].listener);
		jw_text(&w, NULL, of[i].language);
		jw_close(&w);
	}
	jw_close(&w);
	return buf_text(&b);
}

enum err
listener_joins_record(
    struct db *db, const struct listener_join *of, size_t n, int64_t now_us)
{
	struct arena *mem = arena_new();
	enum err e = db_exec(db, &listener_join_sql[ADD],
	    ARGS(TEXT(json_of(mem, of, n)), INT(now_us)), NULL);

	arena_free(mem);
	return e;
}

/* Each way to a server costs the listener time: it chooses and records in one. */
static enum err
add_chosen(struct db *db, struct arena *mem, const struct listener_join_scope *p,
    const struct listener_join *is, struct listener_join_channel *c)
{
	return db_one(db, &listener_join_sql[ADD_CHOSEN],
	    ARGS(TEXT(p->event), TEXT(p->account), TEXT(p->stage), TEXT(p->channel),
		TEXT(is->language), TEXT(is->listener), INT(now_us())),
	    mem, c);
}

enum err
listener_join_choose(struct db *db, struct arena *mem,
    const struct listener_join_scope *p, const struct listener_join *is, bool *recorded,
    struct listener_join_channel *c)
{
	enum err e;

	if (!*recorded && db_is_server(db)) {
		e = add_chosen(db, mem, p, is, c);
		*recorded = e == OK;
		return e;
	}
	return db_one(db, &listener_join_sql[CHOOSE],
	    ARGS(TEXT(p->event), TEXT(p->account), TEXT(p->stage), TEXT(p->channel),
		TEXT(is->language)),
	    mem, c);
}
