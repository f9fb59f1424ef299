/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/held_lines.h"

#include "base/clock.h"

#define SENT_US (5 * S_US) /* time after which a taken line has surely gone out */
#define WAITING_MOST 500

/* clang-format off */
const struct field	 held_fields[] = FIELDS(
	{ "transcription_id", F_TEXT, MEMBER(held_text, segment),  .flags = F_OUT, .column = "segment" },
	{ "language",     F_TEXT, MEMBER(held_text, language),     .flags = F_OUT },
	{ "text",         F_TEXT, MEMBER(held_text, text),         .flags = F_OUT },
	{ "action",       F_TEXT, MEMBER(held_text, action),       .flags = F_OUT | F_NULLABLE,
	                  .help = "Null: not decided; it goes out when it is due." },
	{ "new_text",     F_TEXT, MEMBER(held_text, said),         .flags = F_OUT | F_NULLABLE, .column = "said",
	                  .help = "The text that goes out instead." },
	{ "utc_start_at", F_TIME, MEMBER(held_text, start_us),     .flags = F_OUT, .column = "start_us" },
	{ "utc_held_at",  F_TIME, MEMBER(held_text, held_us),      .flags = F_OUT, .column = "held_us" },
	{ "utc_due_at",   F_TIME, MEMBER(held_text, due_us),       .flags = F_OUT, .column = "due_us" },
	{ "channel",      F_TEXT, MEMBER(held_text, channel) },
	{ "owner",        F_TEXT, MEMBER(held_text, owner) },
	{ "end_us",       F_INT,  MEMBER(held_text, end_us) },
	{ "taken_us",     F_INT,  MEMBER(held_text, taken_us) }
);

#define ROWS ROWS_OF(held_fields, struct held_text)
#define ORDERED " ORDER BY held_us, segment"

enum { ADD, WAITING, GET, DECIDE, FORGET, OF_OWNER, TAKE, SENT, OTHERS, ADOPT, DROP, EXPIRE, SQL_END };

const struct sql	 held_sql[SQL_END + 1] = {
	[ADD] = { "held.add",
	    "INSERT INTO held_lines (channel, segment, owner, language, text, start_us, end_us,"
	    " held_us, due_us) SELECT c.id, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT),"
	    " CAST($5 AS TEXT), CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($8 AS BIGINT),"
	    " CAST($9 AS BIGINT) FROM channels c WHERE c.id = $1 ON CONFLICT DO NOTHING" },
	[WAITING] = { "held.waiting",
	    "SELECT {*} FROM held_lines WHERE channel = $1 AND taken_us IS NULL" ORDERED
	    " LIMIT $2", ROWS },
	[GET] = { "held.get", "SELECT {*} FROM held_lines WHERE channel = $1 AND segment = $2", ROWS },
	[DECIDE] = { "held.decide",
	    "UPDATE held_lines SET action = $3, said = $4 WHERE channel = $1 AND segment = $2"
	    " AND taken_us IS NULL" },
	[FORGET] = { "held.forget", "DELETE FROM held_lines WHERE channel = $1" },
	[OF_OWNER] = { "held.of_owner",
	    "SELECT {*} FROM held_lines WHERE channel = $1 AND owner = $2 AND taken_us IS NULL"
	    ORDERED, ROWS },
	[TAKE] = { "held.take",
	    "UPDATE held_lines SET taken_us = $4 WHERE channel = $1 AND owner = $2"
	    " AND segment = $3" },
	[SENT] = { "held.sent",
	    "DELETE FROM held_lines WHERE channel = $1 AND owner = $2 AND taken_us < $3" },
	[OTHERS] = { "held.others",
	    "SELECT {*} FROM held_lines WHERE channel = $1"
	    " AND (owner <> $2 OR taken_us IS NULL)" ORDERED, ROWS },
	[ADOPT] = { "held.adopt",
	    "UPDATE held_lines SET owner = $2, taken_us = NULL WHERE channel = $1"
	    " AND owner <> $2" },
	[DROP] = { "held.drop",
	    "DELETE FROM held_lines WHERE channel = $1 AND owner = $2 AND segment = $3" },
	[EXPIRE] = { "held.expire",
	    "DELETE FROM held_lines WHERE (channel, segment) IN (SELECT channel, segment"
	    " FROM held_lines WHERE due_us < $1 LIMIT $2)" },
};
/* clang-format on */

/* ---- for people ---- */

enum err
held_waiting(struct db *db, struct arena *mem, const char *channel, struct list *to)
{
	return db_list(
	    db, &held_sql[WAITING], ARGS(TEXT(channel), INT(WAITING_MOST)), mem, to);
}

enum err
held_get(struct db *db, struct arena *mem, const char *channel, const char *segment,
    struct held_text *to)
{
	return db_one(db, &held_sql[GET], ARGS(TEXT(channel), TEXT(segment)), mem, to);
}

enum err
held_decide(struct db *db, const struct held_text *h)
{
	return db_change(db, &held_sql[DECIDE],
	    ARGS(TEXT(h->channel), TEXT(h->segment), TEXT(h->action), TEXT(h->said)),
	    ERR_STALE);
}

enum err
held_forget(struct db *db, const char *channel)
{
	return db_exec(db, &held_sql[FORGET], ARGS(TEXT(channel)), NULL);
}

/* ---- for the gateway ---- */

enum err
held_add(struct db *db, const struct held_text *h)
{
	return db_exec(db, &held_sql[ADD],
	    ARGS(TEXT(h->channel), TEXT(h->segment), TEXT(h->owner), TEXT(h->language),
		TEXT(h->text), INT(h->start_us), INT(h->end_us), INT(h->held_us),
		INT(h->due_us)),
	    NULL);
}

/* Read the lines, from the oldest on, that are decided or due. */
static enum err
read_ready(struct db *db, struct arena *mem, const struct held_of *of, struct list *to)
{
	int64_t now = now_us();
	enum err e = db_list(
	    db, &held_sql[OF_OWNER], ARGS(TEXT(of->channel), TEXT(of->owner)), mem, to);
	const struct held_text *h = to->items;
	size_t n = 0;

	while (e == OK && n < to->n && (h[n].action != NULL || h[n].due_us <= now))
		n++;
	to->n = n;
	return e;
}

/* Mark the lines that are ready, in the transaction, and delete those that went out. */
static enum err
take_ready(struct db *db, struct arena *mem, const struct held_of *of, struct list *to)
{
	int64_t now = now_us();
	enum err e = read_ready(db, mem, of, to);
	const struct held_text *h = to->items;

	for (size_t i = 0; e == OK && i < to->n; i++)
		e = db_exec(db, &held_sql[TAKE],
		    ARGS(TEXT(of->channel), TEXT(of->owner), TEXT(h[i].segment),
			INT(now)),
		    NULL);
	if (e == OK)
		e = db_exec(db, &held_sql[SENT],
		    ARGS(TEXT(of->channel), TEXT(of->owner), INT(now - SENT_US)), NULL);
	return e;
}

enum err
held_take(struct db *db, struct arena *mem, const struct held_of *of, struct list *to)
{
	enum err e = read_ready(db, mem, of, to);

	if (e != OK || to->n == 0)
		return e;
	if ((e = db_begin(db, of->account)) == OK &&
	    (e = take_ready(db, mem, of, to)) == OK)
		e = db_commit(db);
	return e;
}

static enum err
read_others(struct db *db, struct arena *mem, const struct held_of *of, struct list *to)
{
	return db_list(
	    db, &held_sql[OTHERS], ARGS(TEXT(of->channel), TEXT(of->owner)), mem, to);
}

enum err
held_adopt(struct db *db, struct arena *mem, const struct held_of *of, struct list *to)
{
	enum err e = read_others(db, mem, of, to);

	if (e != OK || to->n == 0)
		return e;
	if ((e = db_begin(db, of->account)) == OK &&
	    (e = read_others(db, mem, of, to)) == OK &&
	    (e = db_exec(db, &held_sql[ADOPT], ARGS(TEXT(of->channel), TEXT(of->owner)),
		 NULL)) == OK)
		e = db_commit(db);
	return e;
}

enum err
held_drop(struct db *db, const char *channel, const char *owner, const char *segment)
{
	return db_exec(
	    db, &held_sql[DROP], ARGS(TEXT(channel), TEXT(owner), TEXT(segment)), NULL);
}

enum err
held_expire(struct db *db, int64_t before_us, int most, int64_t *n)
{
	return db_exec(db, &held_sql[EXPIRE], ARGS(INT(before_us), INT(most)), n);
}
