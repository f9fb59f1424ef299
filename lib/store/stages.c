/*
 * The stages of an event, and its channels as they are seen there.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "store/events.h"
#include "store/public_view_cache.h"

#define OF_THESE                                                                       \
	"event IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,"       \
	" $15, $16, $17, $18, $19, $20, $21)"

enum { LIST, CHANNELS, DISPLACE, PUT, DROP, RECOUNT, SQL_END };

/* clang-format off */
const struct sql	 stage_sql[SQL_END + 1] = {
	[LIST] = { "stage.list",
	    "SELECT {*} FROM stages WHERE " OF_THESE " ORDER BY event, position",
	    ROWS_OF(stage_fields, struct stage) },
	[CHANNELS] = { "stage.channels",
	    "SELECT {*} FROM channels WHERE " OF_THESE " ORDER BY event, created_us, id",
	    ROWS_OF(event_channel_fields, struct event_channel) },
	[DISPLACE] = { "stage.displace", "UPDATE stages SET position = -1 WHERE event = $1" },
	[PUT] = { "stage.put",
	    "INSERT INTO stages ({names}, position) VALUES ({values}, $1)"
	    " ON CONFLICT (id) DO UPDATE SET {changes}, position = $1"
	    " WHERE stages.event = excluded.event", .from = stage_fields },
	[DROP] = { "stage.drop", "DELETE FROM stages WHERE event = $1 AND position = -1" },
	[RECOUNT] = { "stage.recount",
	    "UPDATE events SET channels_ready = (SELECT count(*) FROM channels WHERE event = $1"
	    " AND lifecycle = 'ready'), channels_active = (SELECT count(*) FROM channels"
	    " WHERE event = $1 AND lifecycle <> 'deleting' AND runtime = 'active')"
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
give_channels(struct arena *mem, struct stage *s, const struct list *all)
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

/* The texts in order, each once, as a JSON array. */
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

/* The part of a list that is of one event: its items stand together. */
static struct list
part(const struct list *all, size_t size, size_t at, const char *event)
{
	struct list of = { all->items, 0 };

	for (size_t i = 0; i < all->n; i++) {
		char *item = (char *)all->items + i * size;

		if (strcmp(*(const char **)(void *)(item + at), event) == 0)
			of.items = of.n++ == 0 ? item : of.items;
		else if (of.n > 0)
			break;
	}
	return of;
}

static void
give_stages(struct arena *mem, struct event *ev, const struct list *stages,
    const struct list *channels)
{
	const struct list mine = part(channels, sizeof(struct event_channel),
	    offsetof(struct event_channel, event), ev->id);

	ev->stages =
	    part(stages, sizeof(struct stage), offsetof(struct stage, event), ev->id);
	for (size_t i = 0; i < ev->stages.n; i++)
		give_channels(mem, (struct stage *)ev->stages.items + i, &mine);
	gather_languages(mem, ev, &mine);
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
	if ((e = db_list(db, &stage_sql[LIST], ids, STAGES_OF, mem, &stages)) == OK)
		e = db_list(db, &stage_sql[CHANNELS], ids, STAGES_OF, mem, &channels);
	for (size_t i = 0; e == OK && i < events->n; i++)
		give_stages(mem, ev + i, &stages, &channels);
	return e;
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
