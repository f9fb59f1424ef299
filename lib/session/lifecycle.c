/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State of a session's task, by the table of protocol/state.h: which pipeline receives
 * input, and how pipelines end.
 */
#include "base/clock.h"
#include "protocol/output.h"
#include "session/session.h"

#define STARTING_US (25 * S_US) /* time after which a start has failed */
#define STOP_US (5 * S_US)      /* most time for output when the gateway stops */
/* time after end_task and its timeout until the task is over */
#define OVER_US (30 * S_US)
/* time from the turn of a packet until it is audible */
#define PLAYER_US (300 * 1000)
#define ALONE_US (10 * S_US) /* time for the publisher to reconnect */
/* a pause of twice this time lies between two phrases */
#define PHRASE_US (S_US / 4)

/* Switch the input to the latest pipeline. The previous one ends its segment. */
static void
change_slot(struct session *s)
{
	struct pipeline_slot *old = s->now, *slot = s->slots;

	while (slot != NULL && slot->number != s->asked)
		slot = slot->next;
	if (slot == NULL || slot == old)
		return;
	s->now = slot;
	listeners_changed(s);
	fanout_demand(s);
	if (old != NULL && !old->dropped) {
		pipeline_cut(old->pipeline);
		pipeline_leave(old->pipeline, false);
		old->left = true;
	}
	fanout_check_all(s);
}

void
lifecycle_supersede(struct session *s)
{
	s->asked++;
	for (struct pipeline_slot *slot = s->slots; slot != NULL; slot = slot->next)
		if (slot != s->now && !slot->left)
			playout_drop(slot);
}

static void
stop_all(struct session *s)
{
	for (struct pipeline_slot *slot = s->slots; slot != NULL; slot = slot->next)
		playout_drop(slot);
	s->now = NULL;
	s->asked++; /* drops a task being prepared */
	s->starting_us = 0;
	input_forget(s);
	speech_input_forget(s);
}

static void
pause(struct session *s, int64_t now)
{
	billing_meter(s, false, now);
	if (s->now == NULL)
		return;
	pipeline_cut(s->now->pipeline);
	playout_unpaced(s, true);
}

static void
begin(struct session *s, int64_t now)
{
	s->starting_us = 0;
	change_slot(s);
	if (s->now == NULL)
		return;
	s->owner->runs(s, now);
	input_pacing_start(&s->in.pacing, now);
	input_feed_deferred(s);
	speech_input_deferred(s);
}

/* Discard deferred audio, but synthesize deferred texts. */
static void
begin_paused(struct session *s)
{
	s->starting_us = 0;
	change_slot(s);
	input_forget(s);
	if (s->now != NULL)
		speech_input_deferred(s);
}

/* Request a drain; if one is in progress, another one follows. */
static void
ask_drain(struct pipeline_slot *slot)
{
	slot->asked_us = monotonic_us();
	slot->drained = slot->sounded = slot->in_segment = false;
	slot->drain_again = slot->draining;
	if (!slot->draining)
		pipeline_drain(slot->pipeline);
	slot->draining = true;
}

void
lifecycle_drain_done(struct pipeline_slot *slot)
{
	slot->draining = false;
	slot->drained = !slot->drain_again;
	if (slot->drain_again && !slot->left)
		ask_drain(slot);
}

bool
lifecycle_finishing(const struct session *s)
{
	for (const struct pipeline_slot *slot = s->slots; slot != NULL;
	     slot = slot->next)
		if (slot != s->now)
			return true;
	return false;
}

/* True if all input so far has been output. Requests a drain if needed. */
static bool
is_drained(struct session *s)
{
	if (s->now->sounded)
		ask_drain(s->now);
	return !s->now->draining;
}

/* Silence may go on, as from a microphone that is open. */
bool
lifecycle_is_between_phrases(struct session *s)
{
	struct pipeline_slot *slot = s->now;
	int64_t voiced_us;

	if (slot == NULL)
		return playout_is_empty(s);
	voiced_us = pipeline_voiced_us(slot->pipeline);
	if (pipeline_backlog_us(slot->pipeline) > PHRASE_US ||
	    monotonic_us() < voiced_us + 2 * PHRASE_US)
		return false;
	if (slot->asked_us <= voiced_us)
		ask_drain(slot);
	return !slot->draining && playout_is_empty(s);
}

static void
end(struct session *s, int64_t now)
{
	s->end.ended_us = now;
	s->end.over = false;
	lifecycle_supersede(s);
	if (s->now == NULL)
		return;
	ask_drain(s->now);
	playout_unpaced(s, s->source == TASK_WS);
}

static void
send_eos(struct connection *c)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	fanout_end_original(c);
	if (connection_publishes(c) && output_end_of_stream(&b))
		connection_send_buf(c, &b);
	b.len = 0;
	if (output_eos(&b))
		connection_send_buf(c, &b);
	arena_free(mem);
}

static void
end_originals(struct session *s)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		fanout_end_original(c);
}

/*
 * eos: for the publisher.  Subscribers always get eos, except when the gateway stops:
 * they reconnect to another one.
 */
static void
end_session(struct session *s, bool eos)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (connection_publishes(c) ? eos : !s->gateway->stopping)
			send_eos(c);
	end_originals(s);
	stop_all(s);
	s->owner->stopped(s, NULL);
	s->ended = true;
	session_end(s, CLOSE_DONE);
}

/* Reset to the state before the first task. */
static void
begin_anew(struct session *s)
{
	s->state = STATE_NONE;
	s->startup = (struct state_startup){ 0 };
	s->end = (struct task_end){ 0 };
}

/* End the input of the current pipeline, which still outputs all that it has received.
 */
static void
let_go(struct session *s)
{
	struct pipeline_slot *slot = s->now;

	lifecycle_supersede(s);
	s->starting_us = 0;
	input_forget(s);
	speech_input_forget(s);
	if (slot == NULL)
		return;
	pipeline_cut(slot->pipeline);
	pipeline_leave(slot->pipeline, false);
	slot->left = true;
	s->now = NULL;
}

/* Close the publisher of a channel.  Its subscribers wait for the next one. */
static void
end_speech(struct session *s, bool eos, bool drop)
{
	struct connection *c = s->publisher;

	if (c != NULL && eos)
		send_eos(c);
	s->publisher = NULL; /* closed below */
	if (c != NULL)
		connection_end(c, CLOSE_DONE);
	if (drop) {
		end_originals(s);
		stop_all(s);
	} else
		let_go(s);
	s->owner->stopped(s, NULL);
	begin_anew(s);
}

static void
finish(struct session *s, enum state_action action)
{
	bool eos = !s->gateway->stopping;

	if (s->owner->stays && !s->gateway->stopping)
		end_speech(s, eos, action == ACT_CLOSE_NOW);
	else
		end_session(s, eos);
}

void
lifecycle_dismiss(struct session *s)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (!c->request->writes) {
			send_eos(c);
			connection_end(c, CLOSE_DONE);
		}
}

void
lifecycle_over(struct session *s)
{
	if (!s->owner->stays)
		lifecycle_dismiss(s);
	end_originals(s);
	lifecycle_event(s, EVENT_GONE);
	begin_anew(s);
}

void
lifecycle_silence(struct session *s, int64_t now)
{
	for (struct pipeline_slot *slot = s->slots, *next; slot != NULL; slot = next) {
		next = slot->next;
		playout_flush(slot, NULL);
		playout_tick(s, slot, now); /* the ends of its groups */
	}
	lifecycle_over(s);
}

void
lifecycle_act(struct session *s, enum state_action action, int64_t now)
{
	switch (action) {
	case ACT_BEGIN:
		begin(s, now);
		return;
	case ACT_BEGIN_PAUSED:
		begin_paused(s);
		return;
	case ACT_PAUSE:
	case ACT_FLUSH_PAUSE:
		pause(s, now);
		return;
	case ACT_END:
		end(s, now);
		return;
	case ACT_CLOSE:
	case ACT_CLOSE_NOW:
		billing_meter(s, false, now);
		finish(s, action);
		return;
	case ACT_STOP:
	case ACT_LEAVE:
		billing_meter(s, false, now);
		stop_all(s);
		return;
	default:
		return;
	}
}

/* EVENT_READY while another pipeline runs only switches the input. */
static void
apply_step(struct session *s, enum state_event event, const char *desc)
{
	struct state_step step = state_step(s->state, event);
	const char *why = desc != NULL ? desc : step.desc;
	enum state was = s->state;

	s->state = step.next;
	if (step.error != NULL && s->publisher != NULL)
		connection_error(s->publisher, step.error, why, NULL);
	if (step.error != NULL)
		s->owner->stopped(s, why);
	if (event == EVENT_READY && (was == STATE_RUNNING || was == STATE_PAUSED))
		change_slot(s);
	else
		lifecycle_act(s, step.action, monotonic_us());
	if (event == EVENT_READY)
		task_status_ready(s);
}

void
lifecycle_event(struct session *s, enum state_event event)
{
	apply_step(s, event, NULL);
}

void
lifecycle_failed(struct session *s, const char *desc)
{
	apply_step(s, EVENT_FAILED, desc);
}

void
lifecycle_expel(struct connection *c, enum close_why why)
{
	struct session *s = c->session;

	if (c == s->publisher && !s->owner->stays)
		lifecycle_event(s, EVENT_GONE);
	connection_end(c, why);
}

void
lifecycle_close(struct session *s, enum close_why why, const char *desc)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		connection_error(c, close_kinds[why].reason, desc, NULL);
	lifecycle_event(s, EVENT_GONE);
	s->owner->stopped(s, desc);
	session_end(s, why);
}

/* The other node owns the row now, so do not change it. */
void
lifecycle_move(struct session *s)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		connection_error(
		    c, "SESSION_CLOSED", "Another node serves the channel now", NULL);
	lifecycle_event(s, EVENT_GONE);
	session_end(s, CLOSE_OTHER_NODE);
}

/* ---- time ---- */

/* The earliest time to close: the timeout of end_task after the last speech. */
static int64_t
due_us(const struct session *s)
{
	int64_t from_us = s->end.ended_us, voiced_us = 0;

	if (s->end.eos_s == 0)
		return from_us;
	if (s->now != NULL)
		voiced_us = pipeline_voiced_us(s->now->pipeline);
	return (voiced_us > from_us ? voiced_us : from_us) + s->end.eos_s * S_US;
}

static int64_t
longest_us(const struct session *s)
{
	if (s->gateway->stopping && s->end.eos_s == 0)
		return s->end.ended_us + STOP_US;
	return s->end.ended_us + s->end.eos_s * S_US + OVER_US;
}

/*
 * Returns when all sound has been played. With WebRTC, close only then, so that the end
 * does not overtake the sound.
 */
static int64_t
played_until_us(const struct session *s)
{
	return s->source == TASK_WS ? 0 : playout_until_us(s) + PLAYER_US;
}

/* STATE_ENDING: close when all is sent, or when the time is over. */
static void
turn_end(struct session *s, bool busy, int64_t now)
{
	struct pipeline_slot *slot = s->now;

	s->end.over = s->end.over || now >= due_us(s);
	if (now >= longest_us(s))
		lifecycle_event(s, EVENT_SENT);
	else if (!s->end.over || busy || now < played_until_us(s) ||
		 (slot != NULL && !slot->drained))
		return;
	else if (slot != NULL && slot->sounded && s->end.eos_s > 0) /* new input */
		ask_drain(slot);
	else
		lifecycle_event(s, EVENT_SENT);
}

void
lifecycle_tick(struct session *s, bool busy, int64_t now)
{
	if (s->end.left_us != 0 && now > s->end.left_us + ALONE_US)
		lifecycle_over(s);
	if (s->state == STATE_ENDING)
		turn_end(s, busy, now);
	if (s->state == STATE_RUNNING && s->publisher != NULL && s->now != NULL &&
	    !input_tick(s, now) && is_drained(s) && !busy) {
		connection_error(s->publisher, "SERVICE_TIMEOUT",
		    "No input audio received for 10s. Use the pause_task command for"
		    " intentional pauses.",
		    NULL);
		lifecycle_expel(s->publisher, CLOSE_TIMEOUT);
	}
	if (s->starting_us != 0 && now > s->starting_us + STARTING_US) {
		s->starting_us = 0;
		lifecycle_event(s, EVENT_FAILED);
	}
}
