/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CHANNEL_ROWS_H
#define TESTS_UNIT_CHANNEL_ROWS_H

/* A broadcasting backend controlled by the test, and rows that channels need. */
#include "tests/unit/unit.h"

#include "broadcast/broadcast.h"

/* ---- the backend ---- */

static struct {
	enum err create, change, destroy; /* results of its calls */
	int creates, changes, destroys;   /* number of calls */
	const char *name;                 /* arguments of the last call */
	const char *languages, *outputs;
	void (*meanwhile)(void); /* called once, during the next call */
	enum err list;
	struct list seen; /* struct broadcast_seen, result of list() */
} backend;

static inline void
backend_called(int *count, const char *name)
{
	void (*happen)(void) = backend.meanwhile;

	++*count;
	backend.name = arena_str(fixture.mem, name);
	ck_assert_msg(!db_writing(fixture.app.db), "a transaction spans the call");
	backend.meanwhile = NULL;
	if (happen != NULL)
		happen();
}

static inline void
backend_told(const struct broadcast *b)
{
	backend.languages = arena_str(fixture.mem, b->target_languages);
	backend.outputs = arena_str(fixture.mem, b->outputs);
}

static inline enum err
told_create(const struct conf *c, struct arena *mem, const struct broadcast *b)
{
	(void)c, (void)mem;
	backend_told(b);
	backend_called(&backend.creates, b->name);
	return backend.create;
}

static inline enum err
told_change(const struct conf *c, struct arena *mem, const struct broadcast *b)
{
	(void)c, (void)mem;
	backend_told(b);
	backend_called(&backend.changes, b->name);
	return backend.change;
}

static inline enum err
told_destroy(const struct conf *c, struct arena *mem, const char *name)
{
	(void)c, (void)mem;
	backend_called(&backend.destroys, name);
	return backend.destroy;
}

static inline enum err
told_list(const struct conf *c, struct arena *mem, struct list *to)
{
	static int lists;

	(void)c, (void)mem;
	backend_called(&lists, NULL);
	*to = backend.seen;
	return backend.list;
}

static inline const char *
told_url(const struct conf *c, struct arena *mem)
{
	(void)c, (void)mem;
	return "wss://media.example.org";
}

/* Adds a room in these languages (JSON) to the backend's list. */
static inline void
backend_has(const char *name, const char *languages)
{
	struct list *l = &backend.seen;
	struct broadcast_seen *s = arena_alloc(fixture.mem, (l->n + 1) * sizeof(*s));

	if (l->n > 0)
		memcpy(s, l->items, l->n * sizeof(*s));
	s[l->n] = (struct broadcast_seen){ arena_str(fixture.mem, name), true,
		texts_read(fixture.mem, languages) };
	*l = (struct list){ s, l->n + 1 };
}

static const char *const backend_inputs[] = { "webrtc_push", "hls_pull", NULL };
static const char *const backend_outputs[] = { "webrtc_push", "hls_pull", NULL };
static inline bool
told_webrtc(const struct conf *c)
{
	(void)c;
	return false;
}

static const struct broadcast_driver backend_driver = {
	.name = "told",
	.inputs = backend_inputs,
	.outputs = backend_outputs,
	.webrtc = told_webrtc,
	.webrtc_url = told_url,
	.create = told_create,
	.change = told_change,
	.destroy = told_destroy,
	.list = told_list,
};

#define TEST_DRIVER backend_driver
#include "lib/broadcast/broadcast.c"

/* ---- rows ---- */

#define EVENT_LANGUAGES "[\"de\",\"fr\"]"

static inline const char *
put_stage(const char *event, const char *name, int position)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO stages (id, event, position, name, created_us, updated_us)"
	    " VALUES ('%s', '%s', %d, '%s', 1, 1)",
	    id, event, position, name));
	return id;
}

/* An event with two stages, and a public view that is kept. */
static inline const char *
put_event(const char *account)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO events (seq, created_us, id, account, updated_us, title, type,"
	    " start_us, end_us, recurring, languages, listener_mode, room_suffix, "
	    "agenda)"
	    " SELECT 1 + count(*), 1, '%s', '%s', 1, 'Forum', 'online', 1, 2, 0,"
	    " '" EVENT_LANGUAGES "', 'auto', 'k3v9q2xa', '[]' FROM events;"
	    "INSERT INTO bundles VALUES ('%s', 'm', 'h', '{}')",
	    id, account, id));
	put_stage(id, "Main stage", 0);
	put_stage(id, "Other stage", 1);
	return id;
}

static inline const char *
stage_at(const char *event, int position)
{
	return arena_printf(fixture.mem, "%.36s",
	    sql(arena_printf(fixture.mem,
		"SELECT id FROM stages WHERE event = '%s' AND position = %d", event,
		position)));
}

/*
 * Adds a channel of that event (NULL: a standalone one); its other columns can be set
 * afterwards.
 */
static inline const char *
put_channel(const char *account, const char *event, const char *lifecycle)
{
	const char *id = id_new(fixture.mem);
	bool ready = strcmp(lifecycle, "ready") == 0;

	sql(arena_printf(fixture.mem,
	    "INSERT INTO channels (id, account, created_us, updated_us, type, event, "
	    "stage,"
	    " lifecycle, attempt, held, broadcast, name, input_type, source_language,"
	    " target_languages, region, ignore_video, original_delay_s, "
	    "original_volume,"
	    " outputs) SELECT '%s', '%s', 1 + count(*), 1, '%s', %s, %s, '%s', 1, %d, "
	    "%s,"
	    " 'Main hall', 'webrtc_push', 'en', '[\"de\"]', 'local', 0, 3, 0.2, '[]'"
	    " FROM channels",
	    id, account, event ? "event" : "standalone",
	    event ? arena_printf(fixture.mem, "'%s'", event) : "NULL",
	    event ? arena_printf(fixture.mem, "'%s'", stage_at(event, 0)) : "NULL",
	    lifecycle, strcmp(lifecycle, "failed") != 0,
	    ready ? arena_printf(fixture.mem, "'%s-1'", id) : "NULL"));
	return id;
}

static inline void
set_channel(const char *id, const char *assignments)
{
	sql(arena_printf(
	    fixture.mem, "UPDATE channels SET %s WHERE id = '%s'", assignments, id));
}

/* The plan value of all accounts. */
static inline void
plan_languages(int n)
{
	sql(arena_printf(
	    fixture.mem, "UPDATE accounts SET plan_event_languages = %d", n));
}

/* Adds a job that was tried seven times; "left": its lease has expired. */
static inline void
put_job(const char *id, const char *state)
{
	bool left = strcmp(state, "left") == 0;

	sql(arena_printf(fixture.mem,
	    "INSERT INTO jobs (id, kind, account, ref, state, due_us, tries, "
	    "created_us)"
	    " VALUES ('j', 'channel.create', '%s', '%s', '%s', %lld, 7, 1)",
	    fixture.account, id, left ? "leased" : state,
	    (long long)(left ? 1 : now_us() + 600 * S_US)));
}

/* Returns a job as "state|tries|error" and a line end; "" when there is none. */
static inline const char *
job_of(const char *kind, const char *ref)
{
	return sql(arena_printf(fixture.mem,
	    "SELECT state, tries, error FROM jobs WHERE kind = '%s' AND ref = '%s'",
	    kind, ref));
}

/* Returns columns of a channel as "a|b" and a line end; "" when it was deleted. */
static inline const char *
channel_is(const char *id, const char *columns)
{
	return sql(arena_printf(
	    fixture.mem, "SELECT %s FROM channels WHERE id = '%s'", columns, id));
}

#endif
