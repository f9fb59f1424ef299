#include "service/reconcile.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "broadcast/broadcast.h"
#include "service/channel.h"

#define SILENT "broadcast silent" /* the latest of these two tells */
#define HEARD "broadcast heard"
#define WAKE_US (20 * S_US) /* what waited is due within this */
#define ORPHANS 200         /* removed in one round; the rest is the next one's */

struct round {
	struct db *db;
	struct arena *mem;
	const struct conf *conf;
	const struct broadcast_driver *driver;
	struct list rows; /* struct standing, by id, read before ... */
	struct list seen; /* ... struct broadcast_seen, by name */
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

/* Whether a row and the backend agree, or nothing has to be there. */
static bool
agrees(const struct round *r, const struct standing *c)
{
	const struct broadcast_seen *s;

	if (strcmp(c->lifecycle, "ready") != 0)
		return true;
	s = seen_as(r, c->broadcast);
	return s != NULL && same_languages(r->mem, s, c->target_languages);
}

static enum err
restore_lost(struct round *r)
{
	const struct standing *c = r->rows.items;
	enum err e = OK;

	for (size_t i = 0; e == OK && i < r->rows.n; i++) {
		if (agrees(r, &c[i]))
			continue;
		log_info("broadcast %s: lost, or in other languages", c[i].broadcast);
		if (!db_writing(r->db) && (e = db_begin(r->db)) != OK)
			return e;
		e = queue_add(r->db, r->mem, CHANNEL_RESTORE, c[i].account, c[i].id);
	}
	return e == OK && db_writing(r->db) ? db_commit(r->db) : e;
}

/* ---- orphans ---- */

/*
 * The channel that a broadcast bears the name of, and its attempt; false: it is
 * no channel's.
 */
static bool
read_name(struct arena *mem, const char *name, const char **channel, int64_t *attempt)
{
	size_t n = strlen(ID_NIL);
	char *end;

	if (strlen(name) < n + 2 || name[n] != '-')
		return false;
	*channel = id_read(mem, arena_dup(mem, name, n));
	*attempt = strtoll(name + n + 1, &end, 10);
	return *channel != NULL && *end == '\0' && *attempt > 0;
}

/* Asked after the backend was: an attempt is written before it begins. */
static bool
is_orphan(struct round *r, const char *name)
{
	const char *channel;
	int64_t attempt;

	return read_name(r->mem, name, &channel, &attempt) &&
	       channel_stands(r->db, channel, name, attempt) == ERR_NOT_FOUND;
}

/* They wait for the next round when the backend goes away meanwhile. */
static void
remove_orphans(struct round *r)
{
	const struct broadcast_seen *s = r->seen.items;
	int left = ORPHANS;
	enum err e = OK;

	for (size_t i = 0; i < r->seen.n && left > 0 && e != ERR_TIMEOUT; i++) {
		if (!is_orphan(r, s[i].name))
			continue;
		left--;
		e = r->driver->destroy(r->conf, r->mem, s[i].name);
		log_info("broadcast %s: nobody's; removed: %s", s[i].name,
		    e == OK ? "yes" : err_name(e));
	}
}

/* ---- outages ---- */

/* Whether the backend did not answer when it was asked last. */
static enum err
was_silent(struct db *db, bool *silent)
{
	int64_t silent_us, heard_us;
	enum err e;

	if ((e = chore_last(db, SILENT, &silent_us)) != OK ||
	    (e = chore_last(db, HEARD, &heard_us)) != OK)
		return e;
	*silent = silent_us != NULL_INT && silent_us > heard_us;
	return OK;
}

/* Everybody tries again soon, and not all at once. */
static enum err
wake_waiting(struct db *db)
{
	static const char *const kinds[] = { CHANNEL_CREATE, CHANNEL_RESTORE,
		CHANNEL_REMOVE, CHANNEL_LANGUAGE };
	enum err e = db_begin(db);

	for (size_t i = 0; e == OK && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		e = queue_wake(db, kinds[i], WAKE_US);
	if (e == OK)
		e = chore_done(db, HEARD);
	if (e == OK)
		return db_commit(db);
	db_rollback(db);
	return e;
}

/* The backend was asked, and answered or not. */
static enum err
take_answer(struct db *db, bool answered)
{
	bool silent = false;
	enum err e = was_silent(db, &silent);

	if (e != OK || silent == !answered)
		return e;
	if (!answered)
		return chore_done(db, SILENT);
	log_info("the broadcasting backend is back");
	return wake_waiting(db);
}

enum err
reconcile(struct db *db, struct arena *mem, const struct conf *conf)
{
	struct round r = { db, mem, conf, broadcast_driver(conf), { 0 }, { 0 } };
	enum err e, asked;

	if (r.driver == NULL || r.driver->list == NULL)
		return OK;
	if ((e = channels_standing(db, mem, &r.rows)) != OK)
		return e;
	asked = r.driver->list(conf, mem, &r.seen);
	if ((e = take_answer(db, asked == OK)) != OK || asked != OK)
		return e;
	if ((e = restore_lost(&r)) == OK)
		remove_orphans(&r);
	return e;
}
