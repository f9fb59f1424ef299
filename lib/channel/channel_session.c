/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The session of a channel: when its task starts and ends, its breaks, its row's
 * answers.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "channel/caption_outputs.h"
#include "channel/channel_drain.h"
#include "channel/channel_ingress.h"
#include "channel/channel_internal.h"
#include "channel/channel_leases.h"
#include "channel/egress_outputs.h"
#include "channel/held_queue.h"
#include "channel/relay.h"

#define POLL_US (3 * S_US)   /* time between two reads of the row */
#define LEAVE_US (15 * S_US) /* longest wait for a pause before the channel moves */
#define OVER_US (60 * S_US)  /* time without audio after which the task ends */

/* ---- the row's answers ---- */

void
channel_session_follow(
    struct session *s, const char *pipeline, const struct moderation *m)
{
	struct channel_session *channel = s->channel;

	if (m->version >= channel->moderation.version)
		channel->moderation.hold_s = m->hold_s;
	held_queue_follow(s);
	channel_session_stop(s, m->stopped, m->version);
	if (strcmp(channel->pipeline, pipeline) == 0 &&
	    strcmp(channel->moderation.blocked, m->blocked) == 0)
		return;
	arena_free(channel->row_mem);
	channel->row_mem = arena_new();
	channel->pipeline = arena_str(channel->row_mem, pipeline);
	channel->moderation.blocked = arena_str(channel->row_mem, m->blocked);
	channel->why = channel->foreign = NULL;
	channel->failed_us = -CHANNEL_AGAIN_US;
	if (s->state == STATE_STARTING || s->state == STATE_RUNNING)
		task_start_channel(s);
}

/* Send the corrections. If two reads began with the same number, ignore the second one.
 */
static void
apply_corrections(struct session *s, const struct transcript_corrections *c)
{
	if (c->since != s->channel->corrected)
		return;
	transcript_correction_send(s, c);
	s->channel->corrected = c->last;
}

/* Let go of the channel in the next pause of its speaker, and not before the last
   phrase has gone out. The other node sends the held texts. */
static void
leave_node(struct session *s)
{
	struct channel_session *channel = s->channel;
	int64_t now = monotonic_us();

	if (channel->moved_us == 0)
		channel->moved_us = now;
	channel->moved = true;
	if (now <= channel->moved_us + LEAVE_US) {
		if (!lifecycle_is_between_phrases(s)) {
			relay_stay(s);
			return;
		}
		if (!relay_may_leave(s))
			return;
	}
	channel_lease_drop(s);
	if (!relay_follow(s))
		lifecycle_move(s);
}

static void
apply_poll(struct session *s, const struct channel_poll *l)
{
	if (l->gone && !s->closed) {
		lifecycle_dismiss(s);
		lifecycle_close(s, CLOSE_SESSION_CLOSED, "The channel was deleted");
	} else if (l->moved && !s->closed) {
		leave_node(s);
	} else if (l->pipeline != NULL) {
		s->channel->version = l->version;
		channel_notices_expire(s, l->code_version, l->speaker_version);
		channel_session_follow(s, l->pipeline, &l->moderation);
		apply_corrections(s, &l->corrections);
		caption_outputs_follow(s, &l->captions);
		egress_outputs_follow(s, &l->egress);
	}
	s->channel->over = l->over && !s->channel->live;
	if (l->over && !s->channel->live && !lifecycle_finishing(s))
		lifecycle_dismiss(s);
}

/* ---- life ---- */

static struct channel_session *
open_channel(struct session *s, const struct connection_request *v)
{
	struct channel_session *channel = arena_alloc(s->mem, sizeof(*channel));

	*channel = (struct channel_session){ .row_mem = arena_new(),
		.input_mem = arena_new(),
		.input = CHANNEL_INPUT,
		.failed_us = -CHANNEL_AGAIN_US,
		.corrected = -1,
		.bitrate = NAN,
		/* the first tick reads the row */
		.polled_us = monotonic_us() - POLL_US,
		.follow = apply_poll };
	channel->pipeline = arena_str(channel->row_mem, v->pipeline);
	channel->held = held_queue_new(s->mem);
	channel->moderation = v->moderation;
	channel->moderation.blocked = arena_str(channel->row_mem,
	    v->moderation.blocked != NULL ? v->moderation.blocked : "[]");
	return channel;
}

static void
close_channel(struct session *s)
{
	relay_close(s);
	arena_free(s->channel->row_mem);
	arena_free(s->channel->input_mem);
}

/* ---- publishers ---- */

static void
replace_publisher(struct session *s)
{
	s->channel->anew = true;
}

/* The input set by the previous publisher does not apply to the new one. */
static void
begin_anew(struct session *s)
{
	struct channel_session *channel = s->channel;
	bool was =
	    s->now != NULL && pipeline_task(s->now->pipeline)->source == TASK_WEBRTC;

	channel->anew = false;
	if (strcmp(channel->input, CHANNEL_INPUT) == 0 &&
	    was == channel_task_is_media(s))
		return;
	channel->input = CHANNEL_INPUT;
	if (s->state == STATE_STARTING || s->state == STATE_RUNNING)
		task_start_channel(s);
}

/* ---- live, or a break ---- */

static void
enter(struct connection *c)
{
	const struct channel_session *channel = c->session->channel;

	listener_joins_count(c);
	/* the first turn of a new session tells all that it is stopped */
	if (!channel->moderation.stopped || channel->told_state == OUTPUT_STOPPED)
		channel_notices_state(c);
}

static bool
is_live(const struct session *s, int64_t now)
{
	const struct channel_session *channel = s->channel;

	return (s->state == STATE_STARTING || s->state == STATE_RUNNING) &&
	       (s->publisher != NULL || s->in.sources > 0) && channel->audio_us != 0 &&
	       now <= channel->audio_us + CHANNEL_SILENT_US;
}

/*
 * Send changes of the live state to subscribers; they stay connected in a break. The
 * speaker is told of a stop and of its end, too.
 */
static void
watch_state(struct session *s, int64_t now)
{
	struct channel_session *channel = s->channel;
	enum output_channel was = channel->told_state;

	channel->live = is_live(s, now);
	channel->told_state = channel->moderation.stopped ? OUTPUT_STOPPED
			      : channel->live             ? OUTPUT_LIVE
							  : OUTPUT_BREAK;
	if (channel->told_state == was)
		return;
	relay_state_changed(s);
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (!c->request->writes || was == OUTPUT_STOPPED ||
		    channel->told_state == OUTPUT_STOPPED)
			channel_notices_state(c);
}

/* ---- stopped by an organiser ---- */

static bool
is_silenced(const struct session *s)
{
	return s->channel->moderation.stopped;
}

/* The row is read in two ways: a read that is older than a stop must not end it. */
void
channel_session_stop(struct session *s, bool stopped, int64_t version)
{
	struct channel_session *channel = s->channel;
	int64_t now = monotonic_us();

	if (version < channel->moderation.version)
		return;
	channel->moderation.version = version;
	if (channel->moderation.stopped == stopped || s->closed)
		return;
	channel->moderation.stopped = stopped;
	channel->failed_us = -CHANNEL_AGAIN_US;
	if (stopped) {
		channel->audio_us = 0;
		lifecycle_silence(s, now);
		channel_row_stopped(s, NULL);
	}
	watch_state(s, now);
}

/* ---- start, stop and metering ---- */

void
channel_session_audio_came(struct session *s, int64_t now)
{
	struct channel_session *channel = s->channel;

	channel->audio_us = now;
	if (channel->anew)
		begin_anew(s);
	if (s->state == STATE_NONE && now > channel->failed_us + CHANNEL_AGAIN_US) {
		channel->begun_us = now;
		if (now > channel->polled_us + POLL_US)
			channel_row_poll(s); /* its outputs get the first text, too */
		task_start_channel(s);
	}
	channel_row_runs(s, now);
	watch_state(s, now);
}

/* True if nothing runs: then only channel_sessions_poll() needs to read the row. */
static bool
is_idle(const struct session *s)
{
	return s->in.sources > 0 && s->connections == NULL && s->state == STATE_NONE;
}

void
channel_session_changed(struct session *s, int64_t version)
{
	if (version != s->channel->version && !s->closed && !is_idle(s))
		channel_row_poll(s);
}

void
channel_session_tick(struct session *s, int64_t now)
{
	struct channel_session *channel = s->channel;
	int64_t last_us = channel->audio_us > channel->begun_us ? channel->audio_us
								: channel->begun_us;
	bool at_work;

	if (channel->moved && !s->closed)
		leave_node(s);
	at_work = s->state != STATE_NONE && s->state != STATE_CLOSED;

	if (at_work && now > channel->audio_us + CHANNEL_SILENT_US)
		billing_meter(s, false, now);
	if (at_work && s->state != STATE_ENDING && now > last_us + OVER_US) {
		lifecycle_over(s);
		channel_row_stopped(s, NULL);
	}
	watch_state(s, now);
	if (s->closed || is_idle(s) || now <= channel->polled_us + POLL_US)
		return;
	if (channel->left_out > 0 &&
	    (s->state == STATE_STARTING || s->state == STATE_RUNNING))
		task_start_reconsider(s, channel->left_out);
	channel_row_poll(s);
}

static void
tick(struct session *s, int64_t now)
{
	relay_tick(s, now);
	if (s->guest != NULL)
		return;
	channel_ingress_tick(s, now);
	held_queue_tick(s, now);
	channel_session_tick(s, now);
}

static void
turn(struct gateway *g, int64_t now)
{
	channel_leases_turn(g, now);
	channel_drain_turn(g, now);
}

const struct task_owner channel_owner = {
	.stays = true,
	.open = open_channel,
	.close = close_channel,
	.read = channel_task_read,
	.prepare = channel_task_prepare,
	.accepted = channel_task_store,
	.held = held_queue_take,
	.slot_begins = held_queue_begin,
	.slot_dropped = held_queue_drop,
	.is_silenced = is_silenced,
	.audio_came = channel_session_audio_came,
	.runs = channel_row_runs,
	.stopped = channel_row_stopped,
	.replaced = replace_publisher,
	.entered = enter,
	.tuned = listener_joins_count,
	.tick = tick,
	.turn = turn,
	.leased = relay_lead,
};
