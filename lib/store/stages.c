/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages of an event, and its channels as they appear there. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "store/events.h"
#include "store/public_view_cache.h"

/* A join, because IN would need a temporary table of the ids. Rows are sorted in C,
   which is cheap as they are mostly in order; the database would sort them all. */
#define OF_THESE(table)                                                                \
	"SELECT {*} FROM (VALUES (0, CAST($1 AS TEXT)), (1, $2), (2, $3), (3, $4),"    \
	" (4, $5), (5, $6), (6, $7), (7, $8), (8, $9), (9, $10), (10, $11),"           \
	" (11, $12), (12, $13), (13, $14), (14, $15), (15, $16), (16, $17),"           \
	" (17, $18), (18, $19), (19, $20), (20, $21)) v CROSS JOIN " table             \
	" WHERE event = v.column2"

enum { LIST, CHANNELS, DISPLACE, PUT, DROP, RECOUNT, SQL_END };

/* clang-format off */
#define CHANNEL_ID { "channel_id",       F_TEXT, MEMBER(event_channel, id),               .flags = F_OUT, .column = "id" }
#define STAGE_ID   { "stage_id",         F_TEXT, MEMBER(event_channel, stage),            .flags = F_OUT, .column = "stage" }
#define BROADCAST  { "broadcast_id",     F_TEXT, MEMBER(event_channel, broadcast),        .flags = F_OUT | F_NULLABLE, .column = "broadcast" }
#define NAME       { "name",             F_TEXT, MEMBER(event_channel, name),             .flags = F_OUT }
#define INPUT      { "input_type",       F_TEXT, MEMBER(event_channel, input_type),       .flags = F_OUT }
#define RUNTIME    { "runtime_status",   F_TEXT, MEMBER(event_channel, runtime),          .flags = F_OUT | F_NULLABLE, .column = "runtime" }
#define SOURCE     { "source_language",  F_TEXT, MEMBER(event_channel, source_language),  .flags = F_OUT }
#define TARGETS    { "target_languages", F_JSON, MEMBER(event_channel, target_languages), .flags = F_OUT }

const struct field	 event_channel_fields[] = FIELDS(
	CHANNEL_ID, STAGE_ID, BROADCAST, NAME, INPUT,
	{ "lifecycle_status", F_TEXT, MEMBER(event_channel, lifecycle), .flags = F_OUT, .column = "lifecycle" },
	RUNTIME, SOURCE, TARGETS,
	{ "nth",              F_INT,  MEMBER(event_channel, nth),       .flags = 0, .column = "v.column1 AS nth" },
	{ "unserved",         F_TEXT, MEMBER(event_channel, unserved),  .flags = 0 },
	{ "created_us",       F_INT,  MEMBER(event_channel, created_us), .flags = 0 }
);
static const struct field	 public_channel_fields[] = FIELDS(
	CHANNEL_ID, STAGE_ID, BROADCAST, NAME, INPUT, RUNTIME, SOURCE, TARGETS
);

#define STAGE_NAME { "name", F_TEXT, MEMBER(stage, name), 1, 100, F_IO | F_REQUIRED | F_KEPT }
/* The other fields that organisers set. */
#define STAGE_SAID                                                                       \
	{ "greenscreen_settings", F_JSON, MEMBER(stage, greenscreen), 0, 16384,                     \
	                    F_IO | F_NULLABLE | F_KEPT, .column = "greenscreen", .help = "Any object." }
#define STAGE(channels_as)                                                               \
	{ "stage_id",       F_TEXT, MEMBER(stage, id),       .flags = F_OUT | F_ADD, .column = "id" }, \
	{ "event_id",       F_TEXT, MEMBER(stage, event),    .flags = F_OUT | F_ADD, .column = "event" }, \
	STAGE_NAME,                                                                      \
	{ "status",         F_TEXT, MEMBER(stage, status),   .flags = F_OUT, .column = NO_COLUMN },  \
	{ "qr_code_url",    F_TEXT, MEMBER(stage, qr_url),   .flags = F_OUT, .column = NO_COLUMN }, \
	STAGE_SAID,                                                                      \
	{ "utc_created_at", F_TIME, MEMBER(stage, created_us), .flags = F_OUT | F_ADD, .column = "created_us" }, \
	{ "utc_updated_at", F_TIME, MEMBER(stage, updated_us), .flags = F_OUT | F_KEPT, .column = "updated_us" }, \
	{ "nth",            F_INT,  MEMBER(stage, nth),      .flags = 0, .column = "v.column1 AS nth" }, \
	{ "position",       F_INT,  MEMBER(stage, position), .flags = 0 },                         \
	{ "channels",       F_LIST, MEMBER(stage, channels), .flags = F_OUT, .of = channels_as,     \
	                    .size = sizeof(struct event_channel) }
const struct field	 stage_fields[] = FIELDS(STAGE(event_channel_fields));
const struct field	 public_stage_fields[] = FIELDS(STAGE(public_channel_fields));
const struct field	 stage_in_fields[] = FIELDS(
	{ "stage_id",       F_TEXT, MEMBER(stage, id),       0, 0, F_IN | F_NULLABLE, id_check },
	STAGE_NAME, STAGE_SAID
);

const struct sql	 stage_sql[SQL_END + 1] = {
	[LIST] = { "stage.list",
	    OF_THESE("stages"), ROWS_OF(stage_fields, struct stage) },
	[CHANNELS] = { "stage.channels",
	    OF_THESE("channels"), ROWS_OF(event_channel_fields, struct event_channel) },
	[DISPLACE] = { "stage.displace", "UPDATE stages SET position = -1 WHERE event = $1" },
	[PUT] = { "stage.put",
	    "INSERT INTO stages ({names}, position) VALUES ({values}, $1)"
	    " ON CONFLICT (id) DO UPDATE SET {changes}, position = $1"
	    " WHERE stages.event = excluded.event", .from = stage_fields },
	[DROP] = { "stage.drop", "DELETE FROM stages WHERE event = $1 AND position = -1" },
	[RECOUNT] = { "stage.recount",
	    "UPDATE events SET (channels_ready, channels_active) = (SELECT"
	    " count(CASE WHEN lifecycle = 'ready' THEN 1 END), count(CASE WHEN lifecycle"
	    " <> 'deleting' AND runtime = 'active' THEN 1 END) FROM channels WHERE event = $1)"
	    " WHERE id = $1" },
};
/* clang-format on */

/* ---- reading ---- */

static bool
is_on(const struct event_channel *c, const struct stage *s)
{
	return c->stage != NULL && strcmp(c->stage, s->id) == 0;
}

static const char *
status_of(const struct stage *s)
{
	const struct event_channel *c = s->channels.items;
	const char *status = "setup_required";

	for (size_t i = 0; i < s->channels.n; i++) {
		if (event_channel_deleting(c + i))
			continue;
		if (event_channel_active(c + i))
			return "live";
		if (strcmp(c[i].lifecycle, "ready") == 0)
			status = "ready";
	}
	return status;
}

static void
set_channels(struct arena *mem, struct stage *s, const struct list *all)
{
	const struct event_channel *c = all->items;
	struct event_channel *mine = arena_alloc(mem, all->n * sizeof(*mine));

	s->channels = (struct list){ mine, 0 };
	for (size_t i = 0; i < all->n; i++)
		if (is_on(c + i, s))
			mine[s->channels.n++] = c[i];
	s->status = status_of(s);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The distinct texts, sorted, as a JSON array. */
static const char *
distinct(struct arena *mem, struct list l)
{
	const char **s = l.items;
	size_t kept = 0;

	if (l.n > 1)
		qsort(s, l.n, sizeof(*s), by_text);
	for (size_t i = 0; i < l.n; i++)
		if (kept == 0 || strcmp(s[kept - 1], s[i]) != 0)
			s[kept++] = s[i];
	l.n = kept;
	return texts_json(mem, &l);
}

static void
gather_languages(struct arena *mem, struct event *ev, const struct list *all)
{
	const struct event_channel *c = all->items;
	struct buf in = { .mem = mem }, out = { .mem = mem };

	for (size_t i = 0; i < all->n; i++) {
		struct list targets = texts_read(mem, c[i].target_languages);

		if (event_channel_deleting(c + i))
			continue;
		buf_put(&in, &c[i].source_language, sizeof(char *));
		if (targets.n > 0)
			buf_put(&out, targets.items, targets.n * sizeof(char *));
	}
	ev->input_languages =
	    distinct(mem, (struct list){ in.p, in.len / sizeof(char *) });
	ev->output_languages =
	    distinct(mem, (struct list){ out.p, out.len / sizeof(char *) });
}

/* Order by event, then by position. */
static int
stages_order(const void *a, const void *b)
{
	const struct stage *x = a, *y = b;

	if (x->nth != y->nth)
		return x->nth < y->nth ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

/* Order by event, then by time and id. */
static int
channels_order(const void *a, const void *b)
{
	const struct event_channel *x = a, *y = b;

	if (x->nth != y->nth)
		return x->nth < y->nth ? -1 : 1;
	if (x->created_us != y->created_us)
		return x->created_us < y->created_us ? -1 : 1;
	return strcmp(x->id, y->id);
}

/* Sort a list that is mostly in order. */
static void
sort(const struct list *l, size_t size, int (*order)(const void *, const void *))
{
	const char *item = l->items;

	for (size_t i = 1; i < l->n; i++, item += size)
		if (order(item, item + size) > 0) {
			qsort(l->items, l->n, size, order);
			return;
		}
}

/* Remove the items of one event from the front of a sorted list and return them. */
static struct list
split_off(struct list *rest, size_t size, size_t nth_at, int64_t nth)
{
	struct list of = { rest->items, 0 };

	for (char *item = rest->items;
	     rest->n > 0 && *(int64_t *)(void *)(item + nth_at) == nth;
	     rest->items = item += size, rest->n--)
		of.n++;
	return of;
}

static void
set_stages(struct arena *mem, struct event *ev, struct list stages,
    const struct list *channels)
{
	ev->stages = stages;
	for (size_t i = 0; i < stages.n; i++)
		set_channels(mem, (struct stage *)stages.items + i, channels);
	gather_languages(mem, ev, channels);
}

enum err
stage_list(struct db *db, struct arena *mem, const struct list *events)
{
	struct event *ev = events->items;
	struct val ids[STAGES_OF + 1];
	struct list stages, channels;
	enum err e;

	assert(events->n <= STAGES_OF);
	for (size_t i = 1; i <= STAGES_OF; i++)
		ids[i] = TEXT(i <= events->n ? ev[i - 1].id : NULL);
	if ((e = db_list(db, &stage_sql[LIST], ids, STAGES_OF, mem, &stages)) != OK ||
	    (e = db_list(db, &stage_sql[CHANNELS], ids, STAGES_OF, mem, &channels)) !=
		OK)
		return e;
	sort(&stages, sizeof(struct stage), stages_order);
	sort(&channels, sizeof(struct event_channel), channels_order);
	for (size_t i = 0; i < events->n; i++) {
		struct list of = split_off(&channels, sizeof(struct event_channel),
		    MEMBER(event_channel, nth), (int64_t)i);

		set_stages(mem, ev + i,
		    split_off(
			&stages, sizeof(struct stage), MEMBER(stage, nth), (int64_t)i),
		    &of);
	}
	return OK;
}

/* ---- writing ---- */

enum err
stage_replace(struct db *db, const struct event *ev)
{
	const struct stage *s = ev->stages.items;
	enum err e = db_exec(db, &stage_sql[DISPLACE], ARGS(TEXT(ev->id)), NULL);

	for (size_t i = 0; e == OK && i < ev->stages.n; i++)
		e = db_save(
		    db, &stage_sql[PUT], s + i, ARGS(INT((int64_t)i)), ERR_CONFLICT);
	return e != OK ? e : db_exec(db, &stage_sql[DROP], ARGS(TEXT(ev->id)), NULL);
}

enum err
event_channels_changed(struct db *db, const char *event)
{
	enum err e;

	if (event == NULL)
		return OK;
	e = db_exec(db, &stage_sql[RECOUNT], ARGS(TEXT(event)), NULL);
	return e != OK ? e : public_view_cache_drop(db, event);
}
