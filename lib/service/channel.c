/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/channel.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/log.h"
#include "service/backend.h"
#include "service/channel_outputs.h"
#include "service/channel_source.h"
#include "service/node.h"
#include "service/webhook_records.h"
#include "store/transcripts.h"

#define HOLDER "channels" /* holder of leases; differs from the names of workers */
#define SPARE_S 10 /* seconds of a lease beyond the longest calls of the backend */
#define CALLS 3    /* the most calls of the backend under one lease */

/* Jobs that may be running for a channel that is not being deleted. */
static const char *const attempts[] = { CHANNEL_CREATE, CHANNEL_RESTORE };

static int
lease_s(const struct conf *c)
{
	return CALLS * (int)(c->backend_timeout_ms / 1000) + SPARE_S;
}

/*
 * Returns a random time between half the wait and all of it, so that channels that
 * failed together do not retry together.
 */
static int64_t
wait_us(const struct conf *c, int64_t tries)
{
	int64_t s = c->channel_backoff_s, half;
	uint64_t dice;

	while (--tries > 0 && s < c->channel_backoff_max_s)
		s *= 2;
	half = (s < c->channel_backoff_max_s ? s : c->channel_backoff_max_s) * S_US / 2;
	random_bytes(&dice, sizeof(dice));
	return half + (int64_t)(dice % (uint64_t)(half + 1));
}

bool
channel_again(const struct conf *c, int64_t tries, int64_t *in_us)
{
	*in_us = wait_us(c, tries);
	return tries < c->channel_tries;
}

bool
channel_again_always(const struct conf *c, int64_t tries, int64_t *in_us)
{
	*in_us = wait_us(c, tries);
	return true;
}

enum err
channel_apply(const struct conf *conf, struct arena *mem, const struct channel *c)
{
	const char *why;

	if (strcmp(c->lifecycle, "ready") != 0)
		return OK;
	return backend_call(conf, mem, c, true, &why);
}

/* ---- state at run time ---- */

bool
channel_runs(const struct channel *c)
{
	return c->runtime != NULL && strcmp(c->runtime, "active") == 0;
}

/* A run that began at that unix time has ended: notify webhooks if its lines were
   kept. */
static enum err
notify_transcript(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *c, int64_t run_us)
{
	bool any;
	enum err e = transcript_since(db, c->id, run_us, &any);

	return e == OK && any ? webhook_channel(db, mem, conf, c, "transcript.ready")
			      : e;
}

enum err
channel_runtime_put(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *was, struct channel *now, int64_t run_us)
{
	enum err e;

	if ((e = channel_put(db, mem, was, now)) != OK ||
	    (e = webhook_channel_changed(db, mem, conf, was, now)) != OK)
		return e;
	return channel_runs(was) && !channel_runs(now)
		   ? notify_transcript(db, mem, conf, now, run_us)
		   : OK;
}

/* ---- creation ---- */

enum err
channel_next(struct db *db, struct arena *mem, struct channel *c)
{
	struct channel was = *c;

	if (strcmp(c->lifecycle, "ready") != 0)
		c->lifecycle = "creating";
	c->attempt = db_next_version(c->attempt);
	c->held = true;
	return channel_put(db, mem, &was, c);
}

enum err
channel_begin(struct db *db, struct arena *mem, const struct conf *conf,
    struct channel *c, struct job *jb)
{
	enum err e;

	*jb = (struct job){ .kind = CHANNEL_CREATE, .account = c->account };
	jb->ref = c->id;
	if ((e = queue_claim(db, mem, HOLDER, lease_s(conf), jb)) != OK)
		return e;
	return channel_next(db, mem, c);
}

/* Mark the channel as ready under the name of this attempt. */
static void
stand(struct arena *mem, struct channel *c)
{
	const char *name = backend_name_of(mem, c);

	c->lifecycle = "ready";
	if (c->broadcast == NULL || strcmp(c->broadcast, name) != 0) {
		c->runtime = c->runtime_too = "pending";
		c->broadcast = c->broadcast_too = name;
	}
}

/*
 * Set the channel's state after an attempt; there: it was created. A channel that was
 * ready stays ready, even if its restoration fails.
 */
static void
apply_outcome(
    struct arena *mem, struct channel *c, bool there, enum err e, const char *why)
{
	c->error = why;
	if (e == OK)
		stand(mem, c);
	else if (e != ERR_TIMEOUT && strcmp(c->lifecycle, "creating") == 0) {
		c->lifecycle = "failed";
		c->held = there;
	}
}

/* Assign a port to a ready channel; if none is left, the channel fails. */
static enum err
assign_port(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *was, struct channel *c)
{
	enum err e = strcmp(c->lifecycle, "ready") == 0
			 ? channel_source_assign(db, mem, conf, c)
			 : OK;

	if (e != ERR_LIMIT)
		return e;
	*c = *was;
	c->lifecycle = "failed";
	c->error = "No port of ingest.srt_ports is left.";
	return OK;
}

static enum err
write_outcome(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *was, struct channel *c)
{
	enum err e = db_begin(db, c->account);

	if (e == OK)
		e = assign_port(db, mem, conf, was, c);
	if (e == OK)
		e = channel_put(db, mem, was, c);
	if (e == OK)
		e = webhook_channel_changed(db, mem, conf, was, c);
	if (e != OK)
		db_rollback(db);
	return e;
}

static enum err
reassign_port(
    struct db *db, struct arena *mem, const struct conf *conf, struct channel *c)
{
	struct channel was = *c;
	enum err e = assign_port(db, mem, conf, &was, c);

	if (e != OK ||
	    (c->srt_port == was.srt_port && strcmp(c->lifecycle, was.lifecycle) == 0))
		return e;
	if ((e = channel_put(db, mem, &was, c)) == OK)
		e = webhook_channel_changed(db, mem, conf, &was, c);
	return e;
}

enum err
channels_of_event_ports(struct db *db, struct arena *mem, const struct conf *conf,
    const char *account, const char *event)
{
	struct list l;
	enum err e = channel_list(db, mem, account, event, NULL, &l);

	for (size_t i = 0; e == OK && i < l.n; i++)
		e = reassign_port(db, mem, conf, (struct channel *)l.items + i);
	return e;
}

/*
 * Read a row again that another process may have changed. OK: the row still needs this
 * attempt. A process that deletes the channel waits for the attempt to end, so its job
 * becomes due at once.
 */
static enum err
read_again(struct db *db, struct arena *mem, struct channel *c)
{
	struct channel was = *c;
	enum err e = channel_get(db, mem, was.account, was.id, c);

	if (e == OK && strcmp(c->lifecycle, "deleting") == 0)
		e = queue_hasten(db, CHANNEL_REMOVE, c->id);
	if (e != OK)
		return e;
	return c->attempt == was.attempt && strcmp(c->lifecycle, was.lifecycle) == 0
		   ? OK
		   : ERR_STALE;
}

/*
 * Call the backend until it agrees with the row, at most CALLS times. there: the
 * broadcast exists. ERR_STALE: the row keeps changing.
 */
static enum err
settle(struct db *db, struct arena *mem, const struct conf *conf, struct channel *c,
    bool there)
{
	struct channel was;
	enum err made, e;
	const char *why;

	for (int i = 1; i < CALLS; i++) {
		was = *c;
		made = backend_call(conf, mem, c, there, &why);
		if (made == ERR_NOT_FOUND)
			return made;
		there |= made == OK;
		apply_outcome(mem, c, there, made, why);
		e = write_outcome(db, mem, conf, &was, c);
		if (e == OK && made == OK)
			return backend_health_over(db, mem);
		if (e != ERR_STALE)
			return e != OK                   ? e
			       : made == ERR_UNSUPPORTED ? ERR_REFUSED
							 : made;
		*c = was;
		if ((e = read_again(db, mem, c)) != OK)
			return e;
	}
	return ERR_STALE;
}

enum err
channel_attempt(
    struct db *db, struct arena *mem, const struct conf *conf, struct channel *c)
{
	enum err e = settle(db, mem, conf, c, false);

	/*
	 * The broadcast was created and changed, and lost before the change reached it.
	 */
	return e == ERR_NOT_FOUND ? ERR_STALE : e;
}

static enum err
begin_next(struct db *db, struct arena *mem, struct channel *c)
{
	enum err e;

	if ((e = db_begin(db, c->account)) != OK ||
	    (e = channel_next(db, mem, c)) != OK) {
		db_rollback(db);
		return e;
	}
	return db_commit(db);
}

enum err
channel_restore(
    struct db *db, struct arena *mem, const struct conf *conf, struct channel *c)
{
	struct channel was = *c;
	enum err e = settle(db, mem, conf, c, true);

	if (e != ERR_NOT_FOUND && e != ERR_REFUSED)
		return e;
	db_rollback(db);
	*c = was; /* a broadcast that refuses changes counts as lost */
	if ((e = begin_next(db, mem, c)) != OK)
		return e;
	return channel_attempt(db, mem, conf, c);
}

enum err
channel_give_up(
    struct db *db, struct arena *mem, const struct conf *conf, struct channel *c)
{
	struct channel was = *c;
	enum err e;

	c->lifecycle = "failed";
	e = channel_put(db, mem, &was, c);
	return e != OK ? e : webhook_channel_changed(db, mem, conf, &was, c);
}

/* The backend did not answer: schedule another try, or give up after the last one. */
static enum err
put_off(struct db *db, struct arena *mem, const struct conf *conf, struct channel *c,
    const struct job *jb)
{
	int64_t in_us;
	enum err e;

	if ((e = backend_silent(db, mem)) != OK)
		return e;
	if (channel_again(conf, jb->tries, &in_us))
		return queue_retry(db, jb, in_us, c->error);
	if ((e = channel_give_up(db, mem, conf, c)) != OK)
		return e;
	return queue_dead(db, jb, c->error);
}

enum err
channel_create(struct db *db, struct arena *mem, const struct conf *conf,
    struct channel *c, const struct job *jb)
{
	enum err e = channel_attempt(db, mem, conf, c);

	if (e == ERR_TIMEOUT)
		return put_off(db, mem, conf, c, jb);
	return e == OK || e == ERR_REFUSED ? queue_done(db, jb) : e;
}

/* Do not call a silent backend in a request, which would block a process. */
static enum err
leave_to_worker(struct db *db, struct arena *mem, struct channel *c)
{
	struct channel was = *c;
	enum err e;

	c->error = BACKEND_NO_ANSWER;
	if ((e = channel_put(db, mem, &was, c)) != OK)
		return e;
	return queue_add(db, mem, CHANNEL_CREATE, c->account, c->id);
}

enum err
channel_create_now(struct db *db, struct arena *mem, const struct conf *conf,
    bool patient, struct channel *c)
{
	struct channel stored;
	struct job jb;
	enum err e;

	if (!patient && backend_is_silent(db, mem))
		return leave_to_worker(db, mem, c);
	if ((e = channel_begin(db, mem, conf, c, &jb)) != OK ||
	    (e = db_commit(db)) != OK)
		return e;
	stored = *c;
	if ((e = channel_create(db, mem, conf, c, &jb)) == OK)
		return OK;
	log_warn("channel %s: its attempt is not settled: %s", c->id, err_name(e));
	db_rollback(db);
	if (channel_get(db, mem, c->account, stored.id, c) != OK)
		*c = stored;
	return OK;
}

/* ---- removal ---- */

/*
 * Check whether an attempt is running; *until_us: the latest time at which it ends, or
 * 0.
 */
static enum err
drop_attempts(struct db *db, const struct channel *c, int64_t *until_us)
{
	int64_t us;
	enum err e = OK;

	*until_us = 0;
	for (size_t i = 0; e == OK && i < sizeof(attempts) / sizeof(*attempts); i++) {
		e = queue_drop(db, attempts[i], c->id, &us);
		*until_us = us > *until_us ? us : *until_us;
	}
	return e;
}

enum err
channel_forget(
    struct db *db, struct arena *mem, const struct conf *conf, const struct channel *c)
{
	enum err e = channel_drop(db, c);

	return e != OK ? e : webhook_channel(db, mem, conf, c, "channel.deleted");
}

static enum err
begin_removing(struct db *db, struct arena *mem, const struct conf *conf,
    struct channel *c, int64_t *until_us)
{
	struct channel was = *c;
	enum err e = drop_attempts(db, c, until_us);

	if (c->held)
		c->lifecycle = "deleting";
	if (channel_runs(c))
		c->runtime = c->runtime_too = "stopped";
	channel_outputs_forget(conf, mem, c);
	if (e == OK && (c->held || channel_runs(&was)))
		e = channel_runtime_put(db, mem, conf, &was, c, was.created_us);
	return e == OK && !c->held ? channel_forget(db, mem, conf, c) : e;
}

/*
 * Remove a channel that has nothing on the backend; otherwise mark it as `deleting` and
 * add a job. If the backend may be called now, *jb is leased for this process, for
 * channel_remove(). Otherwise its id is NULL.
 */
static enum err
start_removing(struct db *db, struct arena *mem, const struct conf *conf,
    struct channel *c, struct job *jb)
{
	int64_t until_us;
	enum err e = begin_removing(db, mem, conf, c, &until_us);

	*jb = (struct job){ .kind = CHANNEL_REMOVE, .account = c->account };
	jb->ref = c->id;
	if (e != OK || !c->held)
		return e;
	if (until_us > 0)
		return queue_add_at(
		    db, mem, CHANNEL_REMOVE, c->account, c->id, until_us);
	return queue_claim(db, mem, HOLDER, lease_s(conf), jb);
}

enum err
channel_remove(
    struct db *db, struct arena *mem, const struct conf *conf, const struct channel *c)
{
	enum err e = backend_destroy(conf, mem, c);

	if (e != OK)
		return e;
	if ((e = db_begin(db, c->account)) != OK ||
	    (e = backend_health_over(db, mem)) != OK)
		return e;
	return channel_forget(db, mem, conf, c);
}

static enum err
try_removing(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *c, const struct job *jb)
{
	enum err e;

	if (backend_is_silent(db, mem))
		return ERR_TIMEOUT;
	if ((e = channel_remove(db, mem, conf, c)) == OK)
		return queue_done(db, jb);
	if (e == ERR_TIMEOUT && backend_silent(db, mem) != OK)
		log_warn("the backend cannot be marked unavailable");
	return e;
}

enum err
channel_remove_now(
    struct db *db, struct arena *mem, const struct conf *conf, struct channel *c)
{
	int64_t in_us;
	struct job jb;
	enum err e;

	if (strcmp(c->lifecycle, "deleting") == 0)
		return queue_add(db, mem, CHANNEL_REMOVE, c->account, c->id);
	if ((e = start_removing(db, mem, conf, c, &jb)) != OK || jb.id == NULL ||
	    (e = db_commit(db)) != OK)
		return e;
	if ((e = try_removing(db, mem, conf, c, &jb)) == OK)
		return OK;
	db_rollback(db);
	channel_again_always(conf, jb.tries, &in_us);
	if (queue_retry(db, &jb, in_us, err_name(e)) != OK)
		log_warn("channel %s: its removal waits for its lease", c->id);
	return OK;
}

enum err
channels_of_event_deleting(struct db *db, struct arena *mem, const struct conf *conf,
    const char *account, const char *event, int64_t *n)
{
	struct list l;
	enum err e = channel_list(db, mem, account, event, NULL, &l);

	*n = 0;
	for (size_t i = 0; e == OK && i < l.n; i++) {
		struct channel *c = (struct channel *)l.items + i;
		int64_t until_us;

		*n += c->held;
		if (strcmp(c->lifecycle, "deleting") == 0)
			continue; /* the channel has a job already */
		e = begin_removing(db, mem, conf, c, &until_us);
		if (e == OK && c->held)
			e = queue_add_at(
			    db, mem, CHANNEL_REMOVE, c->account, c->id, until_us);
	}
	return e;
}

/* ---- copies ---- */

/* The members that the owner of a channel sets, in a new one. */
static struct channel
copy_of(struct arena *mem, const struct channel *c, const struct event *to,
    const struct stage *on)
{
	struct channel n = { .id = id_new(mem),
		.type = c->type,
		.event = to->id,
		.stage = on->id,
		.room_suffix = to->room_suffix,
		.account = c->account,
		.lifecycle = "creating",
		.input_type = c->input_type,
		.input_url = c->input_url,
		.outputs = c->outputs,
		.blocked_words = c->blocked_words,
		.stopped_us = NULL_INT,
		.target_languages = c->target_languages,
		.created_us = now_us(),
		.version = 1,
		.input_bitrate = NAN };

	field_copy(channel_edit_fields, c, &n);
	return n;
}

static enum err
add_copy(struct db *db, struct arena *mem, const struct conf *conf, int64_t streams,
    struct channel *c)
{
	const struct conf *at;
	enum err e;

	if ((e = channel_streams_allow(db, mem, streams, NULL, c)) != OK ||
	    (e = node_assign(db, mem, conf, &c->node, &at)) != OK ||
	    (e = channel_add(db, mem, c)) != OK)
		return e;
	return queue_add(db, mem, CHANNEL_CREATE, c->account, c->id);
}

enum err
channels_of_event_copy(struct db *db, struct arena *mem, const struct conf *conf,
    int64_t streams, const struct event *from, const struct event *to)
{
	const struct stage *was = from->stages.items, *is = to->stages.items;
	enum err e = OK;

	for (size_t i = 0; i < from->stages.n && e == OK; i++) {
		const struct channel *c;
		struct list l;

		e = channel_list(db, mem, from->account, from->id, was[i].id, &l);
		c = l.items;
		for (size_t k = 0; e == OK && k < l.n; k++) {
			struct channel n = copy_of(mem, c + k, to, is + i);

			if (strcmp(c[k].lifecycle, "deleting") != 0)
				e = add_copy(db, mem, conf, streams, &n);
		}
	}
	return e;
}
