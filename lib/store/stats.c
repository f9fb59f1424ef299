/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of events. They are counted with each change, so that reading takes the
 * same few rows for any number of listeners. The states of an event's final statistics:
 *
 *	open --its end, no sound--> noticed --a while without activity--> final
 *	  ^                            |
 *	  +--its end is postponed------+
 *
 * The UPDATE of each step checks its condition again, because other processes may have
 * written since the event was listed.
 */
#include "store/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "store/listening.h"

/* clang-format off */
static const struct field	 heard_fields[] = FIELDS(
	{ "language",     F_TEXT, MEMBER(language_count, language),     .flags = F_OUT },
	{ "participants", F_INT,  MEMBER(language_count, participants), .flags = F_OUT }
);
/* Fields that the final statistics have, too. */
#define TAKEN \
	{ "stages_count",         F_INT,  MEMBER(stats, stages),           .flags = F_OUT }, \
	{ "channels_count",       F_INT,  MEMBER(stats, channels),         .flags = F_OUT }, \
	{ "channels_live_count",  F_INT,  MEMBER(stats, channels_live),    .flags = F_OUT }, \
	{ "translations_count",   F_INT,  MEMBER(stats, translations),     .flags = F_OUT }, \
	{ "input_languages",      F_JSON, MEMBER(stats, input_languages),  .flags = F_OUT }, \
	{ "output_languages",     F_JSON, MEMBER(stats, output_languages), .flags = F_OUT }, \
	{ "event_time_minutes",   F_REAL, MEMBER(stats, minutes),          .flags = F_OUT }, \
	{ "participants_count",   F_INT,  MEMBER(stats, participants),     .flags = F_OUT }, \
	{ "consumed_languages_count", F_INT, MEMBER(stats, languages),     .flags = F_OUT }, \
	{ "credits_used",         F_REAL, MEMBER(stats, credits),          .flags = F_OUT }, \
	{ "language_distribution", F_LIST, MEMBER(stats, heard),           .flags = F_OUT, .of = heard_fields, \
	                          .size = sizeof(struct language_count) }, \
	{ "stats_freshness",      F_TIME, MEMBER(stats, fresh_us),         .flags = F_OUT }, \
	{ "is_finalized",         F_BOOL, MEMBER(stats, final),            .flags = F_OUT }
#define NOW(m) MEMBER(stats, now.m) - MEMBER(stats, now)
static const struct field	 now_fields[] = FIELDS(
	{ "listeners",  F_INT,  NOW(listeners),  .flags = F_OUT },
	{ "by_channel", F_LIST, NOW(by_channel), .flags = F_OUT, .of = listening_fields,
	                .size = sizeof(struct listening) }
);
#define OF_NOW { "now", F_OBJ, MEMBER(stats, now), .flags = F_OUT, .of = now_fields }
const struct field	 stats_fields[] = FIELDS(TAKEN);
const struct field	 stats_now_fields[] = FIELDS(OF_NOW);
const struct field	 stats_view_fields[] = FIELDS(TAKEN, OF_NOW);
static const struct field	 due_fields[] = FIELDS(
	{ "event",   F_TEXT, MEMBER(stats_due, event) },
	{ "account", F_TEXT, MEMBER(stats_due, account) },
	{ "since_us", F_TIME, MEMBER(stats_due, since_us) }
);

enum {
	GET, HEARD, CSV, USED, FINALIZED, REOPENED, NEWEST, CHANGED, ENDED, AWAITED, EXPORT, FINISH,
	NOTICE, FREEZE, MOVE, SQL_END
};

/* Items due since the same moment are not ordered, as that would need a sort. */
#define PAGE(since) since " BETWEEN $1 AND $2 ORDER BY " since " LIMIT $4 OFFSET $3"
#define DUE ROWS_OF(due_fields, struct stats_due)

const struct sql	 stats_sql[SQL_END + 1] = {
	[GET] = { "stats.get",
	    "SELECT s.participants, s.streamed_us, s.used_micro, s.final FROM event_stats s"
	    " JOIN events e ON e.id = s.event WHERE s.event = $2 AND e.account = $1" },
	[HEARD] = { "stats.heard", "SELECT {*} FROM heard WHERE event = $1", ROWS_OF(heard_fields, struct language_count) },
	[CSV] = { "stats.csv",
	    "SELECT s.csv FROM event_stats s JOIN events e ON e.id = s.event"
	    " WHERE s.event = $2 AND e.account = $1" },
	[USED] = { "stats.used",
	    "UPDATE event_stats SET used_micro = used_micro + $3, streamed_us = streamed_us + $4,"
	    " active_us = CASE WHEN active_us > $5 THEN active_us ELSE $5 END WHERE event = $2"
	    " AND EXISTS (SELECT 1 FROM events WHERE id = $2 AND account = $1)" },
	[FINALIZED] = { "stats.finalized",
	    "SELECT count(final_us) FROM event_stats WHERE event = $1" },
	[REOPENED] = { "stats.reopened",
	    "UPDATE event_stats SET noticed_us = NULL WHERE event = $1 AND final_us IS NULL" },
	[NEWEST] = { "stats.newest",
	    "SELECT max(changed_us) FROM event_stats WHERE changed_us > 0" },
	[CHANGED] = { "stats.changed",
	    "SELECT s.event, e.account, s.changed_us AS since_us FROM event_stats s JOIN events e"
	    " ON e.id = s.event WHERE " PAGE("s.changed_us"), DUE },
	[ENDED] = { "stats.ended",
	    "SELECT id AS event, account, end_us AS since_us FROM events WHERE finished_us IS NULL"
	    " AND channels_active = 0 AND " PAGE("end_us"), DUE },
	[AWAITED] = { "stats.awaited",
	    "SELECT s.event, e.account, s.noticed_us AS since_us FROM event_stats s JOIN events e"
	    " ON e.id = s.event WHERE s.final_us IS NULL AND e.channels_active = 0"
	    " AND coalesce(s.active_us, 0) < $2 AND " PAGE("s.noticed_us"), DUE },
	/* A join after the event was listed keeps it due. */
	[EXPORT] = { "stats.export",
	    "UPDATE event_stats SET csv = CASE WHEN final_us IS NULL THEN $2 ELSE csv END,"
	    " changed_us = CASE WHEN changed_us = $3 THEN NULL ELSE changed_us END"
	    " WHERE event = $1" },
	[FINISH] = { "stats.finish",
	    "UPDATE events SET finished_us = coalesce((SELECT active_us FROM event_stats"
	    " WHERE event = $1 AND active_us > end_us), end_us), updated_us = $4,"
	    " version = version + 1 WHERE id = $1 AND account = $2 AND finished_us IS NULL"
	    " AND end_us = $3 AND channels_active = 0" },
	[NOTICE] = { "stats.notice", "UPDATE event_stats SET noticed_us = $2 WHERE event = $1" },
	[FREEZE] = { "stats.freeze",
	    "UPDATE event_stats SET final = $3, final_us = $4, csv = $5, changed_us = NULL"
	    " WHERE event = $2 AND final_us IS NULL AND noticed_us < $6"
	    " AND coalesce(active_us, 0) < $6 AND EXISTS (SELECT 1 FROM events WHERE id = $2"
	    " AND account = $1 AND channels_active = 0)" },
	[MOVE] = { "stats.move",
	    "UPDATE events SET finished_us = (SELECT active_us FROM event_stats WHERE event = $2),"
	    " updated_us = $3, version = version + 1 WHERE id = $2 AND account = $1"
	    " AND finished_us < (SELECT active_us FROM event_stats WHERE event = $2)" },
};
/* clang-format on */

/* ---- reading ---- */

static int
by_participants(const void *a, const void *b)
{
	const struct language_count *x = a, *y = b;

	if (x->participants != y->participants)
		return x->participants < y->participants ? 1 : -1;
	return strcmp(x->language, y->language);
}

/* Sorted in C, as databases compare texts differently. */
static enum err
read_heard(struct db *db, struct arena *mem, const char *event, struct list *to)
{
	enum err e = db_list(db, &stats_sql[HEARD], ARGS(TEXT(event)), mem, to);

	if (e == OK && to->n > 0)
		qsort(to->items, to->n, sizeof(struct language_count), by_participants);
	return e;
}

static void
count_channels(const struct event *ev, struct stats *s)
{
	const struct stage *stage = ev->stages.items;

	for (size_t i = 0; i < ev->stages.n; i++) {
		const struct event_channel *c = stage[i].channels.items;

		for (size_t k = 0; k < stage[i].channels.n; k++) {
			if (event_channel_deleting(c + k))
				continue;
			s->channels++;
			s->channels_live += event_channel_active(c + k);
		}
	}
}

enum err
stats_get(struct db *db, struct arena *mem, const struct event *ev, struct stats *to)
{
	struct rows rs =
	    db_query(db, &stats_sql[GET], ARGS(TEXT(ev->account), TEXT(ev->id)));
	enum err e;

	*to = (struct stats){ .fresh_us = now_us() };
	if (db_next(&rs)) {
		to->participants = row_int(&rs, 0);
		to->minutes = round((double)row_int(&rs, 1) / 6e5) / 100;
		to->credits = round((double)row_int(&rs, 2) / 100) / 1e4;
		to->snapshot = row_text(&rs, 3, mem);
	}
	if ((e = db_done_one(&rs)) != OK || to->snapshot != NULL)
		return e;
	to->stages = (int64_t)ev->stages.n;
	count_channels(ev, to);
	to->input_languages = ev->input_languages;
	to->output_languages = ev->output_languages;
	to->translations = (int64_t)texts_read(mem, ev->output_languages).n;
	e = read_heard(db, mem, ev->id, &to->heard);
	to->languages = (int64_t)to->heard.n;
	return e;
}

enum err
stats_now(struct db *db, struct arena *mem, const struct event *ev, struct stats *to)
{
	struct list *all = &to->now.by_channel;
	enum err e = listening_now(db, mem, ev->id, all);

	to->now.listeners = 0;
	for (size_t i = 0; i < all->n; i++)
		to->now.listeners +=
		    ((const struct listening *)all->items)[i].listeners;
	return e;
}

static const char *
csv_of(struct arena *mem, const struct list *heard)
{
	const struct language_count *h = heard->items;
	struct buf b = { .mem = mem };

	buf_str(&b, "language,participants\r\n");
	for (size_t i = 0; i < heard->n; i++)
		buf_printf(&b, "%s,%lld\r\n", csv_cell_guarded(mem, h[i].language),
		    (long long)h[i].participants);
	return buf_text(&b);
}

static enum err
make_csv(struct db *db, struct arena *mem, const char *event, const char **to)
{
	struct list heard;
	enum err e = read_heard(db, mem, event, &heard);

	if (e == OK)
		*to = csv_of(mem, &heard);
	return e;
}

enum err
stats_csv(struct db *db, struct arena *mem, const struct event *ev, const char **to)
{
	struct rows rs =
	    db_query(db, &stats_sql[CSV], ARGS(TEXT(ev->account), TEXT(ev->id)));
	enum err e;

	*to = db_next(&rs) ? row_text(&rs, 0, mem) : NULL;
	e = db_done_one(&rs);
	return e == OK && *to == NULL ? make_csv(db, mem, ev->id, to) : e;
}

/* ---- counting ---- */

enum err
stats_used(
    struct db *db, const char *account, const char *event, const struct stats_use *u)
{
	return db_exec(db, &stats_sql[USED],
	    ARGS(TEXT(account), TEXT(event), INT(u->micro), INT(u->streamed_us),
		INT(u->active_us)),
	    NULL);
}

enum err
stats_finalized(struct db *db, const char *event, bool *to)
{
	int64_t n;
	enum err e = db_number(db, &stats_sql[FINALIZED], ARGS(TEXT(event)), &n);

	*to = n > 0;
	return e;
}

enum err
stats_reopened(struct db *db, const char *event)
{
	return db_exec(db, &stats_sql[REOPENED], ARGS(TEXT(event)), NULL);
}

/* what a worker does */

enum err
stats_newest(struct db *db, int64_t *us)
{
	struct rows rs = db_query(db, &stats_sql[NEWEST], ARGS());

	*us = db_next(&rs) ? row_int(&rs, 0) : NULL_INT;
	return db_done(&rs);
}

enum err
stats_list(
    struct db *db, struct arena *mem, const struct stats_page *p, struct list *to)
{
	static const int which[] = { CHANGED, ENDED, AWAITED };

	return db_list(db, &stats_sql[which[p->duty]],
	    ARGS(INT(p->from_us), INT(p->until_us), INT(p->passed), INT(p->n)), mem,
	    to);
}

enum err
stats_export(struct db *db, struct arena *mem, const struct stats_due *due)
{
	const char *csv;
	enum err e = make_csv(db, mem, due->event, &csv);

	if (e != OK)
		return e;
	return db_exec(db, &stats_sql[EXPORT],
	    ARGS(TEXT(due->event), TEXT(csv), INT(due->since_us)), NULL);
}

enum err
stats_finish(struct db *db, struct arena *mem, const struct stats_due *due)
{
	int64_t now = now_us(), n = 0;
	enum err e = db_exec(db, &stats_sql[FINISH],
	    ARGS(TEXT(due->event), TEXT(due->account), INT(due->since_us), INT(now)),
	    &n);

	(void)mem; /* all these functions have the same type */
	if (e != OK || n == 0)
		return e;
	return db_exec(db, &stats_sql[NOTICE], ARGS(TEXT(due->event), INT(now)), NULL);
}

static const char *
json_of(struct arena *mem, const struct stats *s)
{
	struct buf b = { .mem = mem };

	field_write(&(struct json_writer){ .out = &b }, NULL, stats_fields, s);
	return buf_text(&b);
}

static enum err
put_final(struct db *db, struct arena *mem, const struct event *ev)
{
	struct stats s;
	int64_t n = 0;
	enum err e = stats_get(db, mem, ev, &s);

	if (e != OK || s.snapshot != NULL)
		return e;
	s.final = true;
	e = db_exec(db, &stats_sql[FREEZE],
	    ARGS(TEXT(ev->account), TEXT(ev->id), TEXT(json_of(mem, &s)),
		INT(s.fresh_us), TEXT(csv_of(mem, &s.heard)),
		INT(s.fresh_us - STATS_WAIT_US)),
	    &n);
	if (e != OK || n == 0)
		return e;
	return db_exec(db, &stats_sql[MOVE],
	    ARGS(TEXT(ev->account), TEXT(ev->id), INT(s.fresh_us)), NULL);
}

enum err
stats_freeze(struct db *db, struct arena *mem, const struct stats_due *due)
{
	struct event ev;
	enum err e = event_get(db, mem, due->account, due->event, &ev);

	if (e == OK)
		e = put_final(db, mem, &ev);
	return e == ERR_NOT_FOUND ? OK : e;
}
