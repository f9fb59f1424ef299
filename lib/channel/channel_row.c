/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The row of a channel: its runtime and error are written by the node that serves it,
 * its pipeline is read.
 */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "channel/caption_outputs.h"
#include "channel/channel_internal.h"
#include "channel/egress_outputs.h"
#include "channel/transcript.h"
#include "service/channel.h"
#include "service/channel_outputs.h"
#include "session/sink.h"
#include "store/listener_joins.h"

/* longest time from the first sound of a run until it is active */
#define START_US (30 * S_US)
#define TRIES 3 /* tries to update a row that others change, too */

/* run_us: unix time at which the run began. */
static enum err
put_runtime(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *was, struct channel *now, int64_t run_us)
{
	enum err e;

	if ((e = db_begin(db, was->account)) != OK ||
	    (e = channel_runtime_put(db, mem, conf, was, now, run_us)) != OK)
		db_rollback(db);
	return e == OK ? db_commit(db) : e;
}

static enum err
stop_row(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *was, int64_t run_us)
{
	struct channel c = *was;

	c.runtime = c.runtime_too = "stopped";
	c.input_bitrate = NAN;
	return put_runtime(db, mem, conf, was, &c, run_us);
}

enum err
channel_row_reset(
    struct db *db, struct arena *mem, const struct conf *conf, bool begins)
{
	struct list all;
	enum err e = channels_active(db, mem, conf->node, begins, &all);

	for (size_t i = 0; e == OK && i < all.n; i++) {
		const struct channel *c = (const struct channel *)all.items + i;

		e = stop_row(db, mem, conf, c, c->updated_us);
		/* changed meanwhile: do not overwrite it */
		e = e == ERR_STALE ? OK : e;
	}
	return e;
}

/* ---- reading and writing ---- */

/* Apply the answer, unless another node owns the channel meanwhile. */
static void
polled(struct gateway *g, struct thread_call *e)
{
	struct session *s = ((const struct channel_poll *)e)->session;

	(void)g;
	if (s->guest == NULL)
		s->channel->follow(s, (const struct channel_poll *)e);
	arena_free(e->message.mem);
	session_unref(s);
}

static bool
is_same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
is_same_rate(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

static enum err
update_row(struct gateway *g, struct channel_poll *l, struct channel *c)
{
	struct channel was = *c;

	if (l->runtime != NULL)
		c->runtime = c->runtime_too = l->runtime;
	if (l->told)
		c->error = l->why;
	c->input_bitrate = l->bitrate;
	if (is_same(c->runtime, was.runtime) && is_same(c->error, was.error) &&
	    is_same_rate(c->input_bitrate, was.input_bitrate))
		return OK;
	return put_runtime(g->app.db, l->call.message.mem, g->conf, &was, c, l->run_us);
}

/*
 * Stop a channel that is not on air any more, for example because its account is
 * suspended.
 */
static enum err
leave_air(struct gateway *g, const struct channel_poll *l)
{
	struct arena *mem = l->call.message.mem;
	struct channel c;
	enum err e = channel_running(g->app.db, mem, l->id, g->conf->node, &c);

	if (e == OK) {
		channel_outputs_forget(&g->app.conf, mem, &c);
		e = stop_row(g->app.db, mem, g->conf, &c, l->run_us);
	}
	return e == ERR_NOT_FOUND ? OK : e;
}

/* Read the row. Runs on the database thread. */
static void
poll(struct gateway *g, struct thread_call *e)
{
	struct channel_poll *l = (struct channel_poll *)e;
	struct arena *mem = e->message.mem;
	struct channel c;
	enum err how = ERR_STALE;

	for (int i = 0; i < TRIES && how == ERR_STALE; i++) {
		how = channel_on_air(g->app.db, mem, l->id, &c);
		l->moved = how == OK &&
			   (c.handed_to != NULL ||
			       (c.node != NULL && strcmp(c.node, g->conf->node) != 0));
		if (how == OK && !l->moved)
			how = update_row(g, l, &c);
	}
	l->gone = how == ERR_NOT_FOUND;
	if (l->gone && (how = leave_air(g, l)) == OK)
		how = ERR_NOT_FOUND;
	if (how == OK && c.event != NULL)
		how = listener_join_event_finished(
		    g->app.db, c.event, now_us(), &l->over);
	if (how == OK && l->event != NULL)
		how = listener_join_code(g->app.db, l->event, &l->code_version);
	if (how == OK)
		how =
		    transcript_correction_read(g->app.db, mem, l->id, &l->corrections);
	if (how == OK)
		how = caption_outputs_read(g->app.db, mem, &c, &l->captions);
	if (how == OK)
		how = egress_outputs_read(&g->app.conf, g->app.db, mem, &c, &l->egress);
	if (how == OK) {
		channel_outputs_forget_older(&g->app.conf, mem, &c);
		l->speaker_version = c.speaker_version;
		l->version = c.version;
		l->pipeline = channel_pipeline(mem, &c);
		l->moderation = channel_moderation(mem, &c);
	} else if (how != ERR_NOT_FOUND)
		log_error("channel %s: %s", l->id, err_name(how));
	session_answer(g, e, polled);
}

/* While another language is spoken, nothing else matters. */
static const char *
error_of(const struct channel_session *channel)
{
	return channel->foreign != NULL ? channel->foreign : channel->why;
}

void
channel_row_poll(struct session *s)
{
	struct channel_session *channel = s->channel;
	const char *error = error_of(channel);
	struct channel_poll *l = THREAD_CALL(struct channel_poll);

	l->call.run = poll;
	l->session = s;
	l->id = arena_str(l->call.message.mem, s->id);
	l->event = arena_str(l->call.message.mem, s->event);
	l->runtime = channel->runtime;
	l->why = arena_str(l->call.message.mem, error);
	l->told = channel->told;
	l->bitrate = channel->bitrate;
	l->corrections.since = channel->corrected;
	l->run_us = channel->run_us;
	channel->told &= error != NULL; /* clear the error only once */
	channel->polled_us = monotonic_us();
	session_ask(s, &l->call);
}

static void
set_runtime(struct session *s, const char *runtime)
{
	if (s->channel->runtime != NULL && strcmp(s->channel->runtime, runtime) == 0)
		return;
	s->channel->runtime = runtime;
	channel_row_poll(s);
}

/* ---- changes by the task ---- */

void
channel_row_set_why(struct channel_session *channel, const char *why)
{
	if (!is_same(channel->why, why))
		channel->why = arena_str(channel->row_mem, why);
	channel->told |= why != NULL;
}

void
channel_row_runs(struct session *s, int64_t now)
{
	if (s->state != STATE_RUNNING || now > s->channel->audio_us + CHANNEL_SILENT_US)
		return;
	billing_meter(s, true, now);
	if (s->channel->runtime == NULL || strcmp(s->channel->runtime, "active") != 0) {
		s->channel->run_us = now_us() - START_US;
		s->channel->told = true; /* the row may have an old error */
	}
	set_runtime(s, "active");
}

void
channel_row_failed(struct session *s)
{
	set_runtime(s, "failed");
}

void
channel_row_pending(struct session *s)
{
	if (s->channel->runtime != NULL && strcmp(s->channel->runtime, "failed") == 0)
		set_runtime(s, "pending");
}

void
channel_row_stopped(struct session *s, const char *why)
{
	struct channel_session *channel = s->channel;

	channel->foreign = NULL;
	if (why != NULL) {
		channel->failed_us = monotonic_us();
		channel_row_set_why(channel, why);
	}
	if (s->state == STATE_RUNNING || s->state == STATE_STARTING)
		channel_row_poll(s);
	else if (why != NULL || channel->runtime != NULL) {
		/* store the lines of the channel before its end */
		transcript_flush(s->gateway);
		set_runtime(s, why != NULL ? "failed" : "stopped");
	}
}

/* Begin without an error: a new task does not know yet which language is spoken. */
static void
begin(struct session *s, const struct pipeline_config *w)
{
	(void)w;
	s->channel->told |= s->channel->foreign != NULL;
	s->channel->foreign = NULL;
}

static void
report(struct session *s, const char *why)
{
	struct channel_session *channel = s->channel;

	channel->foreign = arena_str(channel->row_mem, why);
	channel->told = true;
	channel_row_poll(s);
}

const struct sink_ops channel_row_sink = {
	.of_channels = true, .of_owner = true, .begin = begin, .report = report
};
