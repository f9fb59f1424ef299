/*
 * Statistics of events.  What they say is counted as it happens, so reading takes
 * the same few rows however many listened.  Life of an event's last statistics:
 *
 *	open --its end, no sound--> noticed --a while, no sound--> final
 *	  ^                            |
 *	  +--its end is moved ahead----+
 *
 * Wherever an event is written to, its row is asked again whether it still is
 * what it was when it was listed.
 */
#include "store/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/csv.h"

/* clang-format off */
#define AT(m) offsetof(struct heard, m)
static const struct field	 heard_fields[] = {
	{ "language",     F_TEXT, AT(language),     .flags = F_OUT },
	{ "participants", F_INT,  AT(participants), .flags = F_OUT },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct stats, m)
const struct field	 stats_fields[] = {
	{ "stages_count",         F_INT,  AT(stages),           .flags = F_OUT },
	{ "channels_count",       F_INT,  AT(channels),         .flags = F_OUT },
	{ "channels_live_count",  F_INT,  AT(channels_live),    .flags = F_OUT },
	{ "translations_count",   F_INT,  AT(translations),     .flags = F_OUT },
	{ "input_languages",      F_JSON, AT(input_languages),  .flags = F_OUT },
	{ "output_languages",     F_JSON, AT(output_languages), .flags = F_OUT },
	{ "event_time_minutes",   F_REAL, AT(minutes),          .flags = F_OUT },
	{ "participants_count",   F_INT,  AT(participants),     .flags = F_OUT },
	{ "consumed_languages_count", F_INT, AT(languages),     .flags = F_OUT },
	{ "credits_used",         F_REAL, AT(credits),          .flags = F_OUT },
	{ "language_distribution", F_LIST, AT(heard),           .flags = F_OUT, .of = heard_fields,
	                          .size = sizeof(struct heard) },
	{ "stats_freshness",      F_TIME, AT(fresh_us),         .flags = F_OUT },
	{ "is_finalized",         F_BOOL, AT(final),            .flags = F_OUT },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct stats_due, m)
static const struct field	 due_fields[] = {
	{ "event",   F_TEXT, AT(event) },
	{ "account", F_TEXT, AT(account) },
	{ "since",   F_TIME, AT(since_us) },
	FIELDS_END,
};

enum {
	GET, HEARD, CSV, FINALIZED, REOPENED, CHANGED, ENDED, AWAITED, EXPORT, FINISH, NOTICE,
	FREEZE, SQL_END
};

const struct sql	 stats_sql[] = {
	[GET] = { "stats.get",
	    "SELECT s.participants, s.streamed_us, s.used_micro, s.final FROM event_stats s"
	    " JOIN events e ON e.id = s.event WHERE s.event = $2 AND e.account = $1", NULL },
	[HEARD] = { "stats.heard", "SELECT language, participants FROM heard WHERE event = $1", NULL },
	[CSV] = { "stats.csv", "SELECT csv FROM event_stats WHERE event = $1", NULL },
	[FINALIZED] = { "stats.finalized",
	    "SELECT count(final_us) FROM event_stats WHERE event = $1", NULL },
	[REOPENED] = { "stats.reopened",
	    "UPDATE event_stats SET noticed_us = NULL WHERE event = $1 AND final_us IS NULL", NULL },
	[CHANGED] = { "stats.changed",
	    "SELECT s.event, e.account, s.changed_us FROM event_stats s JOIN events e"
	    " ON e.id = s.event WHERE s.changed_us <= $1 ORDER BY s.changed_us LIMIT $2", NULL },
	[ENDED] = { "stats.ended",
	    "SELECT id, account, end_us FROM events WHERE finished_us IS NULL AND end_us < $1"
	    " AND channels_active = 0 ORDER BY end_us LIMIT $2", NULL },
	[AWAITED] = { "stats.awaited",
	    "SELECT s.event, e.account, s.noticed_us FROM event_stats s JOIN events e"
	    " ON e.id = s.event WHERE s.noticed_us < $1 AND s.final_us IS NULL"
	    " AND e.channels_active = 0 ORDER BY s.noticed_us LIMIT $2", NULL },
	/* A join behind the list keeps the event due. */
	[EXPORT] = { "stats.export",
	    "UPDATE event_stats SET csv = CASE WHEN final_us IS NULL THEN $2 ELSE csv END,"
	    " changed_us = CASE WHEN changed_us = $3 THEN NULL ELSE changed_us END"
	    " WHERE event = $1", NULL },
	[FINISH] = { "stats.finish",
	    "UPDATE events SET finished_us = coalesce((SELECT active_us FROM event_stats"
	    " WHERE event = $1 AND active_us > end_us), end_us), updated_us = $4,"
	    " version = version + 1 WHERE id = $1 AND account = $2 AND finished_us IS NULL"
	    " AND end_us = $3 AND channels_active = 0", NULL },
	[NOTICE] = { "stats.notice", "UPDATE event_stats SET noticed_us = $2 WHERE event = $1", NULL },
	[FREEZE] = { "stats.freeze",
	    "UPDATE event_stats SET final = $3, final_us = $4, csv = $5, changed_us = NULL"
	    " WHERE event = $1 AND noticed_us = $2 AND final_us IS NULL", NULL },
	[SQL_END] = { NULL, NULL, NULL },
};
/* clang-format on */

/* ---- reading ---- */

static int
by_participants(const void *a, const void *b)
{
	const struct heard *x = a, *y = b;

	if (x->participants != y->participants)
		return x->participants < y->participants ? 1 : -1;
	return strcmp(x->language, y->language);
}

/* Sorted here: databases differ in how they compare texts. */
static enum err
read_heard(struct db *db, struct arena *mem, const char *event, struct list *to)
{
	struct rows rs = db_query(db, &stats_sql[HEARD], ARGS(TEXT(event)));
	enum err e = db_all(&rs, mem, heard_fields, sizeof(struct heard), to);

	if (e == OK && to->n > 0)
		qsort(to->items, to->n, sizeof(struct heard), by_participants);
	return e;
}

static void
count_channels(const struct event *ev, struct stats *s)
{
	const struct stage *stage = ev->stages.items;

	for (size_t i = 0; i < ev->stages.n; i++) {
		const struct event_channel *c = stage[i].channels.items;

		for (size_t k = 0; k < stage[i].channels.n; k++) {
			if (strcmp(c[k].lifecycle, "deleting") == 0)
				continue;
			s->channels++;
			s->channels_live +=
			    c[k].runtime != NULL && !strcmp(c[k].runtime, "active");
		}
	}
}

static void
take_event(struct arena *mem, const struct event *ev, struct stats *s)
{
	s->stages = (int64_t)ev->stages.n;
	count_channels(ev, s);
	s->input_languages = ev->input_languages;
	s->output_languages = ev->output_languages;
	s->translations = (int64_t)texts_read(mem, ev->output_languages).n;
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
	take_event(mem, ev, to);
	e = read_heard(db, mem, ev->id, &to->heard);
	to->languages = (int64_t)to->heard.n;
	return e;
}

static const char *
csv_of(struct arena *mem, const struct list *heard)
{
	const struct heard *h = heard->items;
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
stats_csv(struct db *db, struct arena *mem, const char *event, const char **to)
{
	struct rows rs = db_query(db, &stats_sql[CSV], ARGS(TEXT(event)));
	enum err e;

	*to = db_next(&rs) ? row_text(&rs, 0, mem) : NULL;
	e = db_done_one(&rs);
	return e == OK && *to == NULL ? make_csv(db, mem, event, to) : e;
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

/* ---- what a worker does ---- */

static enum err
list_due(struct db *db, struct arena *mem, int which, const struct val until_and_n[],
    struct list *to)
{
	struct rows rs = db_query(db, &stats_sql[which], until_and_n, 2);

	return db_all(&rs, mem, due_fields, sizeof(struct stats_due), to);
}

enum err
stats_changed(
    struct db *db, struct arena *mem, int64_t until_us, int n, struct list *to)
{
	const struct val a[] = { { 0 }, INT(until_us), INT(n) };

	return list_due(db, mem, CHANGED, a, to);
}

enum err
stats_ended(struct db *db, struct arena *mem, int64_t before_us, int n, struct list *to)
{
	const struct val a[] = { { 0 }, INT(before_us), INT(n) };

	return list_due(db, mem, ENDED, a, to);
}

enum err
stats_awaited(
    struct db *db, struct arena *mem, int64_t before_us, int n, struct list *to)
{
	const struct val a[] = { { 0 }, INT(before_us), INT(n) };

	return list_due(db, mem, AWAITED, a, to);
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
	int64_t now = now_us(), n;
	enum err e = db_exec(db, &stats_sql[FINISH],
	    ARGS(TEXT(due->event), TEXT(due->account), INT(due->since_us), INT(now)),
	    &n);

	(void)mem;
	if (e != OK || n == 0)
		return e;
	return db_exec(db, &stats_sql[NOTICE], ARGS(TEXT(due->event), INT(now)), NULL);
}

static const char *
json_of(struct arena *mem, const struct stats *s)
{
	struct buf b = { .mem = mem };

	field_write(&(struct jw){ .out = &b }, NULL, stats_fields, s);
	return buf_text(&b);
}

static enum err
put_final(struct db *db, struct arena *mem, const struct stats_due *due,
    const struct event *ev)
{
	struct stats s;
	enum err e = stats_get(db, mem, ev, &s);

	if (e != OK || s.snapshot != NULL)
		return e;
	s.final = true;
	return db_exec(db, &stats_sql[FREEZE],
	    ARGS(TEXT(ev->id), INT(due->since_us), TEXT(json_of(mem, &s)),
		INT(s.fresh_us), TEXT(csv_of(mem, &s.heard))),
	    NULL);
}

enum err
stats_freeze(struct db *db, struct arena *mem, const struct stats_due *due)
{
	struct event ev;
	enum err e = event_get(db, mem, due->account, due->event, &ev);

	if (e == OK)
		e = put_final(db, mem, due, &ev);
	return e == ERR_NOT_FOUND ? OK : e;
}
