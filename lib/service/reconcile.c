/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/reconcile.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/log.h"
#include "broadcast/broadcast.h"
#include "service/backend.h"
#include "service/channel.h"
#include "store/served.h"
#include "store/sessions.h"

#define BATCH 200              /* rows in a transaction, which must be short */
#define REMOVING_US (5 * S_US) /* time of a round; the next round does the rest */
#define ROOM_CHARS 8 /* length of a session's room; a channel's name is longer */
#define ALNUM "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

struct round {
	struct db *db;
	struct arena *mem;     /* arena of the round */
	struct arena *scratch; /* arena of one row */
	const struct conf *conf;
	const struct broadcast_driver *driver;
	struct list rows; /* struct standing, ordered by id; read first */
	struct list seen; /* struct broadcast_seen, ordered by name */
};

/* ---- lost, or in other languages ---- */

static int
by_name(const void *name, const void *seen)
{
	return strcmp(name, ((const struct broadcast_seen *)seen)->name);
}

static const struct broadcast_seen *
seen_as(const struct round *r, const char *name)
{
	if (r->seen.n == 0)
		return NULL;
	return bsearch(
	    name, r->seen.items, r->seen.n, sizeof(struct broadcast_seen), by_name);
}

static bool
same_languages(struct arena *mem, const struct broadcast_seen *s, const char *wanted)
{
	struct list of = texts_read(mem, wanted);
	bool same = of.n == s->languages.n;

	for (size_t i = 0; same && i < of.n; i++)
		same =
		    languages_have(&s->languages, ((const char *const *)of.items)[i]);
	return same;
}

/* The kind of job that a row needs; NULL: none. */
static const char *
needed(const struct round *r, const struct standing *c)
{
	const struct broadcast_seen *s;

	if (strcmp(c->lifecycle, "creating") == 0)
		return CHANNEL_CREATE;
	if (strcmp(c->lifecycle, "deleting") == 0)
		return CHANNEL_REMOVE;
	if (strcmp(c->lifecycle, "ready") != 0)
		return NULL;
	s = seen_as(r, c->broadcast);
	return s != NULL && s->whole &&
		       same_languages(r->scratch, s, c->target_languages)
		   ? NULL
		   : CHANNEL_RESTORE;
}

/* Queue a job; an existing one is left as it is. */
static enum err
add_job(struct round *r, const struct standing *c, const char *kind, int *in_batch)
{
	enum err e = OK;

	if (!db_writing(r->db))
		e = db_begin(r->db, DB_ROWS);
	if (e == OK)
		e = queue_add(r->db, r->scratch, kind, c->account, c->id);
	if (e == OK && ++*in_batch % BATCH == 0)
		e = db_commit(r->db);
	return e;
}

static enum err
add_jobs(struct round *r)
{
	const struct standing *c = r->rows.items;
	int in_batch = 0, differ = 0;
	enum err e = OK;

	for (size_t i = 0; e == OK && i < r->rows.n; i++) {
		const char *kind = needed(r, &c[i]);

		differ += kind != NULL && strcmp(kind, CHANNEL_RESTORE) == 0;
		if (kind != NULL)
			e = add_job(r, &c[i], kind, &in_batch);
		arena_reset(r->scratch);
	}
	if (differ > 0)
		log_info("%d broadcasts are lost, or in other languages", differ);
	return e == OK && db_writing(r->db) ? db_commit(r->db) : e;
}

/* ---- orphans ---- */

/*
 * Split a broadcast's name into a channel and an attempt; false: it is no channel's
 * name.
 */
static bool
read_name(struct arena *mem, const char *name, const char **channel, int64_t *attempt)
{
	size_t n = strlen(ID_NIL);

	if (strlen(name) < n + 2 || name[n] != '-')
		return false;
	*channel = id_read(mem, arena_dup(mem, name, n));
	*attempt = strtoll(name + n + 1, NULL, 10);
	return *channel != NULL && *attempt > 0 &&
	       strcmp(backend_name(mem, *channel, *attempt), name) == 0;
}

static int
by_id(const void *id, const void *row)
{
	return strcmp(id, ((const struct standing *)row)->id);
}

/*
 * True if one of the rows that were read has the broadcast, which saves a query for
 * nearly all. channel and attempt are the parts of its name.
 */
static bool
is_explained(struct round *r, const char *name, const char *channel, int64_t attempt)
{
	const struct standing *c = NULL;

	if (r->rows.n > 0)
		c = bsearch(channel, r->rows.items, r->rows.n, sizeof(*c), by_id);
	return c != NULL && (c->attempt == attempt ||
				(c->broadcast != NULL && !strcmp(c->broadcast, name)));
}

/* True for a room of no session. A session reserves the name before the room is
   made. */
static bool
is_left_room(struct round *r, const char *name)
{
	return strlen(name) == ROOM_CHARS && strspn(name, ALNUM) == ROOM_CHARS &&
	       session_room_taken(r->db, name) == ERR_NOT_FOUND;
}

/* The row is read after the backend: an attempt is stored before it begins. */
static bool
is_orphan(struct round *r, const char *name)
{
	const char *channel;
	int64_t attempt;

	if (is_left_room(r, name))
		return true;
	return read_name(r->scratch, name, &channel, &attempt) &&
	       !is_explained(r, name, channel, attempt) &&
	       channel_stands(r->db, channel, name, attempt) == ERR_NOT_FOUND;
}

/*
 * Remove broadcasts without a row. Starts at a random place in the list, so that
 * broadcasts which cannot be removed do not delay the others. Stops when the time is up
 * or the backend no longer answers.
 */
static void
remove_orphans(struct round *r)
{
	const struct broadcast_seen *s = r->seen.items;
	int64_t until_us = monotonic_us() + REMOVING_US;
	uint32_t from;
	int removed = 0;
	enum err e = OK;

	random_bytes(&from, sizeof(from));
	for (size_t i = 0; i < r->seen.n && e != ERR_TIMEOUT; i++) {
		const char *name = s[(i + from) % r->seen.n].name;

		if (is_orphan(r, name)) {
			e = r->driver->destroy(r->conf, r->scratch, name);
			removed += e == OK;
			if (monotonic_us() > until_us)
				break;
		}
		arena_reset(r->scratch);
	}
	if (removed > 0)
		log_info(
		    "%d broadcasts that belong to no channel were removed", removed);
}

/* ---- outages ---- */

/* Record whether the backend answered. */
static enum err
record_answer(struct round *r, bool answered)
{
	bool silent;
	enum err e = backend_known_silent(r->db, r->mem, &silent);

	if (e != OK || (answered && !silent))
		return e;
	if (!answered)
		return backend_silent(r->db, r->mem);
	log_info("the broadcasting backend is back");
	if ((e = db_begin(r->db, DB_ROWS)) != OK ||
	    (e = backend_health_over(r->db, r->mem)) != OK ||
	    (e = db_commit(r->db)) != OK)
		db_rollback(r->db);
	return e;
}

static enum err
compare(struct round *r)
{
	enum err e, asked;

	if ((e = channels_standing(r->db, r->mem, &r->rows)) != OK)
		return e;
	asked = r->driver->list(r->conf, r->mem, &r->seen);
	if ((e = record_answer(r, asked == OK)) != OK || asked != OK)
		return e;
	if ((e = add_jobs(r)) == OK)
		remove_orphans(r);
	return e;
}

enum err
reconcile(struct db *db, struct arena *mem, const struct conf *conf)
{
	struct round r = {
		.db = db, .mem = mem, .conf = conf, .driver = broadcast_driver(conf)
	};
	enum err e;

	if (r.driver == NULL || r.driver->list == NULL)
		return OK;
	r.scratch = arena_new();
	e = compare(&r);
	arena_free(r.scratch);
	return e;
}
