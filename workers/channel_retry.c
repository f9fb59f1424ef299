/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls the broadcasting backend again for channels that are not created yet, that it
 * has lost, or that are not removed yet. Adds languages that listeners asked for where
 * the organiser's approval is not required. Updates the languages that engines serve,
 * and the warnings of channels that depend on them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "broadcast/broadcast.h"
#include "service/backend.h"
#include "service/channel.h"
#include "service/engine_coverage.h"
#include "service/node.h"
#include "service/reconcile.h"
#include "store/accounts.h"
#include "store/public_view_cache.h"
#include "store/served.h"
#include "work/work.h"

#define LEASE_S 190 /* three calls with the backend's longest timeout */

/*
 * The event has no channel for the requested language yet, or no room for it;
 * channel_add() makes the job due.
 */
#define CHANNEL_LANGUAGE_LATER "channel.language_later"
#define SILENT_US (5 * S_US) /* time until a silent backend is asked again */
#define LATER_US (3600 * S_US)

/* Get the channel of a job; false: it is deleted, or in another state by now. */
static bool
still(struct work *w, const struct job *jb, const char *lifecycle, struct channel *c,
    enum err *e)
{
	*e = channel_get(w->db, w->mem, jb->account, jb->ref, c);
	return *e == OK && strcmp(c->lifecycle, lifecycle) == 0;
}

static enum job_end
gone(enum err e, const char **why)
{
	*why = err_name(e);
	return e == OK || e == ERR_NOT_FOUND ? JOB_DONE : job_failed(e);
}

/* ---- creation ---- */

/* The process that stored the row died before it began an attempt. */
static enum err
begin_attempt(struct work *w, struct channel *c)
{
	enum err e;

	if ((e = db_begin(w->db, c->account)) != OK ||
	    (e = channel_next(w->db, w->mem, c)) != OK)
		return e;
	return db_commit(w->db);
}

/* Handle a failed attempt. Its changes to the row must stay. */
static enum job_end
attempted(struct work *w, const struct channel *c, enum err e, const char **why)
{
	*why = err_name(e);
	if (e == ERR_STALE || e == ERR_NOT_FOUND)
		return JOB_AGAIN;
	if ((e == ERR_TIMEOUT || e == ERR_REFUSED) && db_commit(w->db) == OK)
		*why = c->error;
	return job_failed(e);
}

static enum job_end
create(struct work *w, const struct job *jb, const char **why)
{
	struct channel c;
	enum err e;

	if (!still(w, jb, "creating", &c, &e))
		return gone(e, why);
	e = c.attempt == 0 ? begin_attempt(w, &c) : OK;
	if (e == OK)
		e = channel_attempt(w->db, w->mem, w->conf, &c);
	if (e == OK || e == ERR_REFUSED)
		return JOB_DONE;
	return attempted(w, &c, e, why);
}

/* Restore a ready channel, any number of times, even after a refusal. */
static enum job_end
restore(struct work *w, const struct job *jb, const char **why)
{
	struct channel c;
	enum err e;

	if (!still(w, jb, "ready", &c, &e))
		return gone(e, why);
	e = channel_restore(w->db, w->mem, w->conf, &c);
	return e == OK ? JOB_DONE : attempted(w, &c, e, why);
}

static enum err
give_up_creation(struct work *w, const struct job *jb, const char *why)
{
	struct channel c;
	enum err e;

	(void)why; /* the channel's error says it */
	if (still(w, jb, "creating", &c, &e))
		e = channel_give_up(w->db, w->mem, w->conf, &c);
	return e == ERR_NOT_FOUND ? OK : e;
}

/* ---- removal ---- */

/* The backend refuses permanently: delete the row. */
static enum job_end
forget(struct work *w, const struct channel *c, const char **why)
{
	enum err e = db_begin(w->db, c->account);

	log_error("channel %s: its broadcast stays on the backend, which refuses to"
		  " remove it",
	    c->id);
	if (e == OK)
		e = channel_forget(w->db, w->mem, w->conf, c);
	return gone(e, why);
}

static enum job_end
remove_broadcast(struct work *w, const struct job *jb, const char **why)
{
	struct channel c;
	enum err e;

	if (!still(w, jb, "deleting", &c, &e))
		return gone(e, why);
	e = channel_remove(w->db, w->mem, w->conf, &c);
	if (e == ERR_REFUSED && jb->tries >= w->conf->channel_tries)
		return forget(w, &c, why);
	return gone(e, why);
}

/* ---- languages ---- */

/*
 * ERR_CONFLICT: other languages took the last place of the plan since the request was
 * approved.
 */
static enum err
find_room(struct work *w, const struct channel *c, const char *language)
{
	struct caller owner;
	struct list all;
	enum err e = caller_by_account(w->db, w->mem, w->conf, c->account, &owner);

	if (e == OK)
		e = channels_languages(w->db, w->mem, c->account, c->event, NULL, &all);
	if (e != OK)
		return e == ERR_NOT_FOUND ? ERR_CONFLICT : e; /* suspended */
	return languages_fit(&all, language, owner.plan.event_languages) ? OK
									 : ERR_CONFLICT;
}

/*
 * Change the backend first, then the row. If another language took the last place
 * meanwhile, it stays and ours is refused.
 */
static enum err
add_language(struct work *w, struct channel *c, const char *language)
{
	struct list of = texts_read(w->mem, c->target_languages);
	struct list more = { &language, 1 };
	struct channel was = *c;
	bool lost;
	enum err e;

	if (strcmp(c->lifecycle, "deleting") == 0 || languages_have(&of, language))
		return OK;
	if ((e = find_room(w, c, language)) != OK)
		return e;
	languages_add(w->mem, &of, &more);
	c->target_languages = texts_json(w->mem, &of);
	e = channel_apply(w->conf, w->mem, c);
	lost = e == ERR_NOT_FOUND;
	if ((e != OK && !lost) || (e = db_begin(w->db, c->account)) != OK)
		return e;
	if ((e = find_room(w, &was, language)) != OK)
		return e == ERR_CONFLICT ? ERR_STALE : e;
	if ((e = channel_put(w->db, w->mem, &was, c)) != OK)
		return e;
	return lost ? queue_add(w->db, w->mem, CHANNEL_RESTORE, c->account, c->id) : OK;
}

/*
 * Queue the job that waits for room, unless the event is over. This is not a failure
 * either.
 */
static enum err
await_room(struct work *w, const struct job *jb, const struct channel *c)
{
	struct cached_view b;
	enum err e;

	if ((e = db_begin(w->db, c->account)) != OK ||
	    (e = public_view_cache_head(w->db, w->mem, c->event, now_us(), &b)) != OK ||
	    strcmp(b.status, "finished") == 0)
		return e;
	return queue_add_at(w->db, w->mem, CHANNEL_LANGUAGE_LATER, jb->account, jb->ref,
	    now_us() + LATER_US);
}

/*
 * The event has no channel that could have the language. That is not a failure, so the
 * job ends and one of another kind waits in its place. The write lock is held:
 * channel_add() runs either before this, or after it and then finds that job.
 */
static enum err
put_off(struct work *w, const struct job *jb)
{
	const char *language;
	struct channel c;
	enum err e;

	if ((e = db_begin(w->db, jb->account)) != OK ||
	    (e = channel_wanted(w->db, w->mem, jb->account, jb->ref, &c, &language)) !=
		OK)
		return e;
	if (c.id != NULL)
		return ERR_STALE;
	return queue_add_at(w->db, w->mem, CHANNEL_LANGUAGE_LATER, jb->account, jb->ref,
	    now_us() + LATER_US);
}

static enum job_end
retry_language(struct work *w, const struct job *jb, const char **why)
{
	enum err e = db_begin(w->db, jb->account);

	if (e == OK)
		e = queue_add(w->db, w->mem, CHANNEL_LANGUAGE, jb->account, jb->ref);
	return gone(e, why);
}

static enum job_end
fulfil(struct work *w, const struct job *jb, const char **why)
{
	const char *language;
	struct channel c;
	enum err e = channel_wanted(w->db, w->mem, jb->account, jb->ref, &c, &language);

	if (e == OK && c.id == NULL)
		e = put_off(w, jb);
	else if (e == OK)
		e = add_language(w, &c, language);
	if (e == ERR_CONFLICT)
		e = await_room(w, jb, &c);
	if (e == ERR_STALE) {
		*why = "the channel was changed or made meanwhile";
		return JOB_AGAIN;
	}
	if (e == ERR_REFUSED || e == ERR_UNSUPPORTED) {
		*why = "the backend refused the language";
		return JOB_DEAD;
	}
	return gone(e, why);
}

static const struct job_kind kinds[] = {
	{ CHANNEL_CREATE, create, give_up_creation, .lease_s = LEASE_S,
	    .again = channel_again },
	{ CHANNEL_RESTORE, restore, NULL, .lease_s = LEASE_S,
	    .again = channel_again_always },
	{ CHANNEL_REMOVE, remove_broadcast, NULL, .lease_s = LEASE_S,
	    .again = channel_again_always },
	{ CHANNEL_LANGUAGE_LATER, retry_language, NULL, .lease_s = LEASE_S,
	    .again = channel_again_always },
	{ CHANNEL_LANGUAGE, fulfil, NULL, .lease_s = LEASE_S, .again = channel_again },
	{ NULL },
};

static enum err
check_backend(struct work *w)
{
	return reconcile(w->db, w->mem, w->conf);
}

/* Requests do not wait for a silent backend, so its return must be noticed soon. */
static enum err
ask_silent_backend(struct work *w)
{
	bool silent;
	enum err e = backend_known_silent(w->db, w->mem, &silent);

	if (e != OK || !silent)
		return e;
	w->again_us = monotonic_us() + SILENT_US;
	return check_backend(w);
}

static enum err
ask_engines(struct work *w)
{
	return engine_coverage_update(w->db, w->mem, w->conf);
}

static const struct chore chores[] = {
	{ "look at the backend", check_backend, .every_s = 20 },
	{ "ask a silent backend", ask_silent_backend, .every_s = 5, .idle_s = 20 },
	{ "ask the engines", ask_engines, .every_s = 60 },
	{ NULL },
};

#ifndef UNIT_TEST
int
main(int argc, char **argv)
{
	static const struct worker is = { "channel_retry", kinds, chores, node_is_fit };

	log_program("channel_retry");
	if (!broadcast_known())
		return EXIT_FAILURE;
	return work(&is, argc, argv);
}
#endif
