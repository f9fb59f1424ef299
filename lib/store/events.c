/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events: fields and statements.  Other parts of an event are in stages.c, requests.c,
 * listener_joins.c and stats.c.
 */
#include "store/events.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/lang.h"
#include "base/text.h"
#include "store/event_search.h"
#include "store/join_codes.h"
#include "store/public_view_cache.h"

#define OPEN_MOST "4000" /* events that a page searches for a status */

const char *const event_statuses[] = { "setup_required", "upcoming", "ready", "live",
	"finished", NULL };
const char *const event_types[] = { "in-person", "online", NULL };
const char *const event_modes[] = { "off", "approval", "auto", NULL };
static const char *const transcripts[] = { "off", "organizer", "public", NULL };

/* Only http and https: pages show the URL as an image. */
static const char *
url_check(const char *s)
{
	return strncmp(s, "https://", 8) == 0 || strncmp(s, "http://", 7) == 0
		   ? NULL
		   : "must be an http or https address";
}

static const char *
key_check(const char *s)
{
	static const char allowed[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz/._-";

	if (s[strspn(s, allowed)] != '\0')
		return "may have letters of ASCII, digits and / . _ - only";
	for (size_t n; *s != '\0'; s += s[n] == '/' ? n + 1 : n) {
		n = strcspn(s, "/");
		if (n == 2 && strncmp(s, "..", 2) == 0)
			return "must not have the segment \"..\"";
	}
	return NULL;
}

static const char *
code_check(const char *s)
{
	for (; *s != '\0'; s++)
		if (*s <= ' ' || *s > '~')
			return "may have visible characters of ASCII only";
	return NULL;
}

/* clang-format off */
#define EVENT_ID   { "event_id",         F_TEXT, MEMBER(event, id),               .flags = F_OUT | F_ADD, .column = "id" }
#define TITLE      { "title",            F_TEXT, MEMBER(event, title),       3, 100,  F_IO | F_REQUIRED | F_KEPT }
#define DESCRIPTION { "description",     F_TEXT, MEMBER(event, description), 0, 2000, F_IO | F_OPT | F_NULLABLE | F_KEPT }
#define TYPE       { "event_type",       F_ENUM, MEMBER(event, type),        0, 0,    F_IO | F_REQUIRED | F_KEPT, \
                     .names = event_types, .column = "type" }
#define LOCATION   { "location",         F_TEXT, MEMBER(event, location),    0, 255,  F_IO | F_OPT | F_NULLABLE | F_KEPT }
#define TIMEZONE   { "timezone",         F_TEXT, MEMBER(event, timezone),    1, 64,   F_IO | F_OPT | F_NULLABLE | F_KEPT, \
                     zone_check }
#define START      { "utc_start_dt",     F_TIME, MEMBER(event, start_us),    0, 0,    F_IO | F_REQUIRED | F_KEPT, .column = "start_us" }
#define END        { "utc_end_dt",       F_TIME, MEMBER(event, end_us),      0, 0,    F_IO | F_REQUIRED | F_KEPT, .column = "end_us" }
#define RECURRING  { "is_recurring",     F_BOOL, MEMBER(event, recurring),   0, 0,    F_IO | F_KEPT, .column = "recurring" }
#define COVER_KEY  { "cover_image_key",  F_TEXT, MEMBER(event, cover_key),   1, 1024, F_IO | F_OPT | F_NULLABLE | F_KEPT, \
                     key_check, .column = "cover_key" }
#define COVER      { "cover_image_url",  F_TEXT, MEMBER(event, cover_url),        .flags = F_OUT | F_OPT, .column = "b.id AS cover_url" }
#define QR_CODE    { "qr_code_url",      F_TEXT, MEMBER(event, qr_url),           .flags = F_OUT, .column = NO_COLUMN }
#define STATUS     { "lifecycle_status", F_TEXT, MEMBER(event, lifecycle),        .flags = F_OUT, \
                     .column = EVENT_LIFECYCLE("$1") " AS lifecycle" }
#define CODE       { "access_code",      F_TEXT, MEMBER(event, access_code), 4, 64,   F_IO | F_OPT | F_NULLABLE | F_KEPT | F_SEALED, code_check }
#define JOIN_CODE  { "join_code",        F_TEXT, MEMBER(event, join_code),        .flags = F_OUT | F_OPT | F_KEPT, \
                     .help = "Digits that lead to the event: {base_url}/{join_code}; absent from 30 days after its end." }
#define LANGUAGES  { "target_languages", F_JSON, MEMBER(event, languages),        .flags = F_OUT | F_KEPT, .column = "languages" }
#define MODE       { "listener_language_mode", F_ENUM, MEMBER(event, listener_mode), .flags = F_IO | F_KEPT, \
                     .names = event_modes, .column = "listener_mode" }
#define TRANSCRIPT { "transcript",       F_ENUM, MEMBER(event, transcript),       .flags = F_IO | F_KEPT, \
                     .names = transcripts, .help = "Who may read texts from now on; `off`: they are not stored; `organizer`; `public`: everyone." }
#define SUFFIX     { "room_name_suffix", F_TEXT, MEMBER(event, room_suffix),      .flags = F_OUT | F_ADD, .column = "room_suffix" }
#define STAGES(as) { "stages",           F_LIST, MEMBER(event, stages),           .flags = F_OUT, .of = as, \
                     .size = sizeof(struct stage) }
#define SESSIONS   { "sessions",         F_JSON, MEMBER(event, agenda),           .flags = F_OUT | F_KEPT, .column = "agenda" }

const struct field	 event_fields[] = FIELDS(
	EVENT_ID, TITLE, DESCRIPTION, TYPE, LOCATION, TIMEZONE, START, END, RECURRING,
	COVER_KEY, COVER, QR_CODE, STATUS,
	{ "finished_at",      F_TIME, MEMBER(event, finished_us),      .flags = F_OUT | F_OPT | F_PUT, .column = "finished_us" },
	CODE, JOIN_CODE,
	{ "input_languages",  F_JSON, MEMBER(event, input_languages),  .flags = F_OUT, .column = NO_COLUMN },
	{ "output_languages", F_JSON, MEMBER(event, output_languages), .flags = F_OUT, .column = NO_COLUMN },
	LANGUAGES, MODE, TRANSCRIPT, SUFFIX, STAGES(stage_fields), SESSIONS,
	{ "utc_created_at",   F_TIME, MEMBER(event, created_us),       .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "utc_updated_at",   F_TIME, MEMBER(event, updated_us),       .flags = F_OUT | F_KEPT, .column = "updated_us" },
	{ "account",          F_TEXT, MEMBER(event, account),          .flags = F_ADD },
	{ "version",          F_INT,  MEMBER(event, version),          .flags = 0 },
	{ "seq",              F_INT,  MEMBER(event, seq),              .flags = F_ADD }
);

static const struct field	 language[] = FIELDS( { "", F_ENUM, 0, 0, 0, F_IN | F_NOCASE, .names = lang_target } };
const struct field	 event_in_fields[] = {
	TITLE, DESCRIPTION, TYPE, LOCATION, TIMEZONE, START, END, RECURRING, COVER_KEY, CODE,
	{ "target_languages", F_LIST, MEMBER(event_in, languages),   0, 66,  F_IN | F_NULLABLE, .of = language,
	                      .size = sizeof(const char *) },
	MODE, TRANSCRIPT,
	{ "stages",           F_LIST, MEMBER(event_in, stages),      1, 50,  F_IN, .of = stage_in_fields,
	                      .size = sizeof(struct stage) },
	{ "sessions",         F_LIST, MEMBER(event_in, sessions),    0, 500, F_IN | F_NULLABLE, .of = agenda_item_fields,
	                      .size = sizeof(struct agenda_item) }
);

#define PUBLIC                                                                           \
	EVENT_ID, TITLE, DESCRIPTION, TYPE, LOCATION, TIMEZONE, START, END, QR_CODE,     \
	JOIN_CODE, LANGUAGES, MODE, TRANSCRIPT, SUFFIX, STAGES(public_stage_fields), SESSIONS

/* The public fields without the status and the address of the cover, which change with
   time alone. */
const struct field	 event_public_fields[] = FIELDS(PUBLIC);
/* All public fields, for the documentation. */
const struct field	 event_view_fields[] = FIELDS(
	PUBLIC, STATUS, COVER, { "captcha_required", F_BOOL, .flags = F_OUT }
);

static const struct field	 speaker_fields[] = FIELDS(
	{ "name",      F_TEXT, MEMBER(speaker, name),      1, 255,  F_IO | F_REQUIRED },
	{ "title",     F_TEXT, MEMBER(speaker, title),     0, 255,  F_IO | F_OPT | F_NULLABLE },
	{ "photo_url", F_TEXT, MEMBER(speaker, photo_url), 1, 2083, F_IO | F_OPT | F_NULLABLE, url_check }
);
const struct field	 agenda_item_fields[] = FIELDS(
	{ "session_id",   F_TEXT, MEMBER(agenda_item, id),          0, 0,    F_IO | F_OPT | F_NULLABLE, id_check },
	{ "stage_id",     F_TEXT, MEMBER(agenda_item, stage),       0, 0,    F_IO | F_OPT | F_NULLABLE, id_check },
	{ "stage_index",  F_INT,  MEMBER(agenda_item, stage_index), 0, 49,   F_IN | F_OPT | F_NULLABLE },
	{ "title",        F_TEXT, MEMBER(agenda_item, title),       1, 200,  F_IO | F_REQUIRED },
	{ "description",  F_TEXT, MEMBER(agenda_item, description), 0, 2000, F_IO | F_OPT | F_NULLABLE },
	{ "utc_start_dt", F_TIME, MEMBER(agenda_item, start_us),    0, 0,    F_IO | F_REQUIRED },
	{ "utc_end_dt",   F_TIME, MEMBER(agenda_item, end_us),      0, 0,    F_IO | F_REQUIRED },
	{ "speakers",     F_LIST, MEMBER(agenda_item, speakers),    0, 50,   F_IO | F_NULLABLE, .of = speaker_fields,
	                  .size = sizeof(struct speaker) }
);

#define COVER_JOIN                                                                          \
	" LEFT JOIN blobs b ON b.id = e.cover_blob AND b.account = e.account"            \
	" AND b.kind = 'upload' AND b.state IN ('stored', 'checked')"
/* $1 is the current time, on which the lifecycle depends. */
#define EVENT(more) "SELECT {e.*} FROM events e" COVER_JOIN more, ROWS_OF(event_fields, struct event)
/*
 * $2 account, $3 cursor, $4 status, $5 limit. PostgreSQL must not look for the account
 * in all events, so it compares rows, which only an index of both columns can answer.
 */
#define BEFORE    "e.account = $2 AND e.seq < $3"
#define BEFORE_PG "(e.account, e.seq) < ($2, $3) AND e.account >= $2"
#define HAS_STATUS "(CAST($4 AS TEXT) IS NULL OR " EVENT_LIFECYCLE("$1") " = $4)"
#define SELECT_EVENT "SELECT {e.*} FROM events e" COVER_JOIN
#define PAGE(more)                                                                       \
	SELECT_EVENT " WHERE " BEFORE " AND " HAS_STATUS more                            \
	    " ORDER BY e.seq DESC LIMIT $5",                                             \
	SELECT_EVENT " WHERE " BEFORE_PG " AND " HAS_STATUS more                         \
	    " ORDER BY e.account DESC, e.seq DESC LIMIT $5", ROWS_OF(event_fields, struct event)
/* Events that are over, but not yet marked by a worker: those of all accounts are few. */
#define UNMARKED(account, seq)                                                           \
	SELECT_EVENT                                                                     \
	" WHERE e.finished_us IS NULL AND e.end_us < $1 AND e.channels_active = 0"       \
	" AND " account " = $2 AND " seq " < $3 ORDER BY " seq " DESC LIMIT $4"
/* With a range of keys PostgreSQL would read the whole table. */
#define PURGE_PG(table)                                                                  \
	"DELETE FROM " table " WHERE ctid = ANY (ARRAY(SELECT ctid FROM " table          \
	" WHERE event = $1 LIMIT $2))"

enum {
	GET, GET_AT, GET_PUBLIC, ALL, LIVE, OPEN, OPEN_REST, OVER, ENDED, NEXT, ADD, ADD_TEXT, ADD_TERMS, ADD_STATS,
	PUT, PUT_TEXT, DROP_TERMS, DROP_TEXT, DROP, PURGE_JOINS, PURGE_ASKERS, SQL_END
};

const struct sql	 event_sql[SQL_END + 1] = {
	[GET] = { "event.get", EVENT(" WHERE e.id = $2 AND e.account = $3") },
	[GET_AT] = { "event.get_at", EVENT(" WHERE e.seq = $2 AND e.account = $3") },
	[GET_PUBLIC] = { "event.get_public", EVENT(" WHERE e.id = $2") },
	[ALL] = { "event.all", PAGE("") },
	[LIVE] = { "event.live", PAGE(" AND e.channels_active > 0") },
	/* $6 is the first seq to look at. */
	[OPEN] = { "event.open",
	    SELECT_EVENT " WHERE " BEFORE " AND " HAS_STATUS " AND e.finished_us IS NULL AND e.seq >= $6"
	    " ORDER BY e.seq DESC LIMIT $5",
	    "SELECT {e.*} FROM (SELECT o.seq FROM (SELECT e.seq, " HAS_STATUS " AS fits FROM events e"
	    " WHERE " BEFORE_PG " AND e.finished_us IS NULL AND e.seq >= $6 ORDER BY e.account DESC,"
	    " e.seq DESC LIMIT " OPEN_MOST ") o WHERE o.fits LIMIT $5) found JOIN events e ON e.seq = found.seq"
	    COVER_JOIN " ORDER BY e.seq DESC", ROWS_OF(event_fields, struct event) },
	[OPEN_REST] = { "event.open_rest",
	    "SELECT seq FROM events WHERE account = $1 AND seq < $2 AND finished_us IS NULL"
	    " ORDER BY seq DESC LIMIT 1 OFFSET " OPEN_MOST " - 1" },
	[OVER] = { "event.over", PAGE(" AND e.finished_us IS NOT NULL") },
	[ENDED] = { "event.ended", UNMARKED("+e.account", "+e.seq"),
	    UNMARKED("e.account || ''", "e.seq + 0"), ROWS_OF(event_fields, struct event) },
	[NEXT] = { "event.next", "SELECT coalesce(max(seq), 0) + 1 FROM events",
	    /* more than one number if a program without the sequence took some */
	    "SELECT max(n) FROM (SELECT nextval('event_seq') AS n FROM generate_series(1,"
	    " greatest(1, 2 + (SELECT coalesce(max(seq), 0) FROM events)"
	    " - (SELECT last_value FROM event_seq)))) drawn" },
	[ADD] = { "event.add",
	    "INSERT INTO events ({names}, cover_blob) VALUES ({values}, $1)",
	    .from = event_fields },
	[ADD_TEXT] = { "event.add_text",
	    "INSERT INTO event_texts (rowid, folded, account) VALUES ($1, $2, $3)" },
	[ADD_TERMS] = { "event.add_terms",
	    "INSERT INTO event_terms (rowid, terms) SELECT rowid, grams(account, folded, 1)"
	    " FROM event_texts WHERE rowid = $1", "SELECT CAST($1 AS BIGINT)" },
	[ADD_STATS] = { "event.add_stats", "INSERT INTO event_stats (event) VALUES ($1)" },
	[PUT] = { "event.put",
	    "UPDATE events SET {changes}, cover_blob = $1, version = version + 1,"
	    " code_version = code_version + $3,"
	    " transcript_us = CASE WHEN :transcript <> transcript THEN :updated_us"
	    " ELSE transcript_us END"
	    " WHERE id = :id AND account = :account AND version = $2",
	    .from = event_fields },
	[PUT_TEXT] = { "event.put_text", "UPDATE event_texts SET folded = $2 WHERE rowid = $1" },
	/* FTS5 needs the old text; PostgreSQL's index does not. */
	[DROP_TERMS] = { "event.drop_terms",
	    "INSERT INTO event_terms (event_terms, rowid, terms) SELECT 'delete', rowid,"
	    " grams(account, folded, 1) FROM event_texts WHERE rowid = (SELECT seq FROM events"
	    " WHERE id = $2 AND account = $1)", "SELECT CAST($1 AS TEXT), CAST($2 AS TEXT)" },
	[DROP_TEXT] = { "event.drop_text",
	    "DELETE FROM event_texts WHERE rowid = (SELECT seq FROM events WHERE id = $2"
	    " AND account = $1)" },
	[DROP] = { "event.drop", "DELETE FROM events WHERE id = $2 AND account = $1" },
	[PURGE_JOINS] = { "event.purge_joins",
	    "DELETE FROM joins WHERE event = $1 AND listener IN (SELECT listener FROM joins"
	    " WHERE event = $1 ORDER BY listener LIMIT $2)", PURGE_PG("joins") },
	[PURGE_ASKERS] = { "event.purge_askers",
	    "DELETE FROM askers WHERE (event, request, listener) IN (SELECT event, request,"
	    " listener FROM askers WHERE event = $1 ORDER BY request, listener LIMIT $2)",
	    PURGE_PG("askers") },
};
/* clang-format on */

/* ---- one event ---- */

static enum err
get(struct db *db, struct arena *mem, int which, const struct val *a, size_t n,
    struct event *ev)
{
	enum err e = db_one(db, &event_sql[which], a, n, mem, ev);

	return e != OK ? e : stage_list(db, mem, &(struct list){ ev, 1 });
}

enum err
event_get(struct db *db, struct arena *mem, const char *account, const char *id,
    struct event *ev)
{
	return get(db, mem, GET, ARGS(INT(now_us()), TEXT(id), TEXT(account)), ev);
}

enum err
event_get_public(struct db *db, struct arena *mem, const char *id, struct event *ev)
{
	return get(db, mem, GET_PUBLIC, ARGS(INT(now_us()), TEXT(id)), ev);
}

void
event_fill_view(const struct conf *c, struct arena *mem, struct event *ev)
{
	struct stage *s = ev->stages.items;
	struct buf address = { .mem = mem };

	buf_str(&address, c->server_base_url);
	buf_str(&address, "/saas/v2/event/public/");
	buf_str(&address, ev->id);
	buf_str(&address, "/qr.svg");
	ev->qr_url = arena_dup(mem, address.p, address.len);
	buf_str(&address, "?stage=");
	for (size_t i = 0, n = address.len; i < ev->stages.n; i++, address.len = n) {
		buf_str(&address, s[i].id);
		s[i].qr_url = arena_dup(mem, address.p, address.len);
	}
	if (ev->cover_url == NULL && ev->cover_key != NULL && c->media_url[0] != '\0')
		ev->cover_url = arena_printf(mem, "%s/%s", c->media_url, ev->cover_key);
}

/* ---- pages ---- */

static enum err
list_by(struct db *db, struct arena *mem, const char *account,
    const struct event_query *q, int by, struct list *to)
{
	return db_list(db, &event_sql[by],
	    ARGS(INT(now_us()), TEXT(account), INT(q->before), TEXT(q->status),
		INT(q->limit)),
	    mem, to);
}

/* Events that are not over, of a status that few of them may have. */
static enum err
list_open(struct db *db, struct arena *mem, const char *account,
    const struct event_query *q, struct event_page *to)
{
	int64_t from = 0;
	enum err e = db_number(
	    db, &event_sql[OPEN_REST], ARGS(TEXT(account), INT(q->before)), &from);

	if (e == OK)
		e = db_list(db, &event_sql[OPEN],
		    ARGS(INT(now_us()), TEXT(account), INT(q->before), TEXT(q->status),
			INT(q->limit), INT(from)),
		    mem, &to->events);
	if (from > 0 && to->events.n < (size_t)q->limit)
		to->rest = from;
	return e;
}

/* Merge two lists, both newest first, up to limit. */
static struct list
merge(struct arena *mem, const struct list *a, const struct list *b, size_t limit)
{
	const struct event *x = a->items, *y = b->items;
	struct event *to = arena_alloc(mem, (a->n + b->n) * sizeof(*to));
	size_t i = 0, k = 0, n = 0;

	while (n < limit && (i < a->n || k < b->n))
		to[n++] =
		    k == b->n || (i < a->n && x[i].seq > y[k].seq) ? x[i++] : y[k++];
	return (struct list){ to, n };
}

/* Finished events, including those that ended but were not marked by a worker yet. */
static enum err
list_finished(struct db *db, struct arena *mem, const char *account,
    const struct event_query *q, struct list *to)
{
	struct list ended, over;
	enum err e;

	if ((e = db_list(db, &event_sql[ENDED],
		 ARGS(INT(now_us()), TEXT(account), INT(q->before), INT(q->limit)), mem,
		 &ended)) == OK &&
	    (e = list_by(db, mem, account, q, OVER, &over)) == OK)
		*to = merge(mem, &ended, &over, (size_t)q->limit);
	return e;
}

/* Skips events that were deleted in the meantime. */
static enum err
list_found(struct db *db, struct arena *mem, const char *account,
    const struct buf *found, struct list *to)
{
	const int64_t *at = (const int64_t *)(const void *)found->p;
	size_t n = found->len / sizeof(*at);
	struct event *ev = arena_alloc(mem, n * sizeof(*ev));
	enum err e = OK;

	*to = (struct list){ ev, 0 };
	for (size_t i = 0; i < n && e == OK; i++) {
		e = db_one(db, &event_sql[GET_AT],
		    ARGS(INT(now_us()), INT(at[i]), TEXT(account)), mem, ev + to->n);
		to->n += e == OK;
		e = e == ERR_NOT_FOUND ? OK : e;
	}
	return e;
}

enum err
event_list(struct db *db, struct arena *mem, const char *account,
    const struct event_query *asked, struct event_page *to)
{
	struct buf found = { .mem = mem };
	struct event_query q = *asked;
	enum err e;

	if (q.before == NULL_INT)
		q.before = INT64_MAX;
	to->rest = INT64_MIN;
	if (q.q != NULL) {
		e = event_search(db, account, &q, &found, &to->rest);
		if (e == OK)
			e = list_found(db, mem, account, &found, &to->events);
	} else if (q.status == NULL)
		e = list_by(db, mem, account, &q, ALL, &to->events);
	else if (strcmp(q.status, "live") == 0)
		e = list_by(db, mem, account, &q, LIVE, &to->events);
	else if (strcmp(q.status, "finished") == 0)
		e = list_finished(db, mem, account, &q, &to->events);
	else
		e = list_open(db, mem, account, &q, to);
	return e != OK ? e : stage_list(db, mem, &to->events);
}

/* ---- writing ---- */

static const char *
folded(struct arena *mem, const struct event *ev)
{
	return text_fold(mem, arena_printf(mem, "%s\n%s", ev->title,
				  ev->description != NULL ? ev->description : ""));
}

/*
 * The id of the blob that a cover key names. The key is the blob's id, or the key of
 * its upload form.
 */
static const char *
cover_blob(struct arena *mem, const struct event *ev)
{
	const char *key = ev->cover_key;
	size_t n = strlen(ev->account);

	if (key == NULL)
		return NULL;
	if (strncmp(key, "u/", 2) == 0 && strncmp(key + 2, ev->account, n) == 0 &&
	    key[2 + n] == '/')
		key += n + 3;
	return id_read(mem, key);
}

static enum err
add_text(struct db *db, struct arena *mem, const struct event *ev)
{
	enum err e = db_exec(db, &event_sql[ADD_TEXT],
	    ARGS(INT(ev->seq), TEXT(folded(mem, ev)), TEXT(ev->account)), NULL);

	return e != OK ? e
		       : db_exec(db, &event_sql[ADD_TERMS], ARGS(INT(ev->seq)), NULL);
}

enum err
event_add(struct db *db, struct arena *mem, struct event *ev)
{
	enum err e = db_number(db, &event_sql[NEXT], ARGS(), &ev->seq);

	if (e != OK)
		return e;
	ev->created_us = ev->updated_us = now_us();
	ev->version = 1;
	if ((e = join_code_draw(db, mem, ev->id, ev->end_us, &ev->join_code)) != OK ||
	    (e = db_save(db, &event_sql[ADD], ev, ARGS(TEXT(cover_blob(mem, ev))),
		 ERR_CONFLICT)) != OK ||
	    (e = add_text(db, mem, ev)) != OK ||
	    (e = db_exec(db, &event_sql[ADD_STATS], ARGS(TEXT(ev->id)), NULL)) != OK)
		return e;
	return stage_replace(db, ev);
}

static enum err
put_text(
    struct db *db, struct arena *mem, const struct event *was, const struct event *ev)
{
	const char *text = folded(mem, ev);
	enum err e;

	if (strcmp(text, folded(mem, was)) == 0)
		return OK;
	if ((e = db_exec(db, &event_sql[DROP_TERMS],
		 ARGS(TEXT(ev->account), TEXT(ev->id)), NULL)) != OK ||
	    (e = db_exec(
		 db, &event_sql[PUT_TEXT], ARGS(INT(ev->seq), TEXT(text)), NULL)) != OK)
		return e;
	return db_exec(db, &event_sql[ADD_TERMS], ARGS(INT(ev->seq)), NULL);
}

static bool
same_stages(struct arena *mem, const struct event *was, const struct event *ev)
{
	const struct stage *a = was->stages.items, *b = ev->stages.items;
	bool same = was->stages.n == ev->stages.n;

	for (size_t i = 0; same && i < ev->stages.n; i++)
		same = field_same(mem, stage_fields, a + i, b + i);
	return same;
}

/* Ignores case. False without a code, as no token becomes invalid then. */
static bool
has_other_code(struct arena *mem, const struct event *was, const struct event *ev)
{
	const char *a = was->access_code, *b = ev->access_code;

	return b != NULL &&
	       (a == NULL || strcmp(text_lower(mem, a), text_lower(mem, b)) != 0);
}

/* The end of an event decides how long it has its join code. */
static enum err
keep_join_code(
    struct db *db, struct arena *mem, const struct event *was, struct event *ev)
{
	if (ev->join_code != NULL)
		return ev->end_us != was->end_us
			   ? join_code_move(db, ev->id, ev->end_us)
			   : OK;
	return join_code_kept(ev->end_us, ev->updated_us)
		   ? join_code_draw(db, mem, ev->id, ev->end_us, &ev->join_code)
		   : OK;
}

enum err
event_put(struct db *db, struct arena *mem, const struct event *was, struct event *ev)
{
	int64_t before = ev->version;
	enum err e;

	ev->version = db_next_version(before);
	ev->updated_us = now_us();
	if ((e = keep_join_code(db, mem, was, ev)) != OK ||
	    (e = db_save(db, &event_sql[PUT], ev,
		 ARGS(TEXT(cover_blob(mem, ev)), INT(before),
		     INT(has_other_code(mem, was, ev))),
		 ERR_STALE)) != OK ||
	    (e = public_view_cache_drop(db, ev->id)) != OK ||
	    (e = put_text(db, mem, was, ev)) != OK)
		return e;
	return same_stages(mem, was, ev) ? OK : stage_replace(db, ev);
}

enum err
event_drop(struct db *db, const char *account, const char *id)
{
	const struct val a[] = { { 0 }, TEXT(account), TEXT(id) };
	enum err e;

	if ((e = join_code_detach(db, id)) != OK ||
	    (e = db_exec(db, &event_sql[DROP_TERMS], a, 2, NULL)) != OK ||
	    (e = db_exec(db, &event_sql[DROP_TEXT], a, 2, NULL)) != OK)
		return e;
	return db_change(db, &event_sql[DROP], a, 2, ERR_NOT_FOUND);
}

enum err
event_purge(struct db *db, const char *id, int n, bool *left)
{
	const struct val a[] = { { 0 }, TEXT(id), INT(n) };
	int64_t joins = 0, askers = 0;
	enum err e = db_exec(db, &event_sql[PURGE_JOINS], a, 2, &joins);

	if (e == OK)
		e = db_exec(db, &event_sql[PURGE_ASKERS], a, 2, &askers);
	*left = joins > 0 || askers > 0;
	return e;
}
