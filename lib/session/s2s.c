/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions of S2S sockets: publishers, subscribers, audio of the media server, timers.
 */
#include <string.h>

#include "base/clock.h"
#include "session/sink.h"

/* ---- publishers ---- */

/* True if the same participant returns, after a full reconnect of LiveKit's client. */
static bool
is_again(const struct connection *was, const struct connection *now)
{
	const struct signal_params *a = was->request->signal, *b = now->request->signal;

	return a != NULL && b != NULL && strcmp(a->identity, b->identity) == 0;
}

/*
 * Some clients send commands by WebSocket and speak as a participant. Until a task uses
 * the audio of the socket, both stay connected: the socket is the publisher, the
 * participant its partner.
 */
static bool
become_partner(struct session *s, struct connection *c)
{
	struct connection *was = s->publisher;
	bool open = s->state == STATE_NONE || s->source == TASK_WEBRTC;

	if (s->owner->stays || was == NULL || !open ||
	    was->transport->tracks == c->transport->tracks)
		return false;
	if (s->partner != NULL)
		connection_end(s->partner, CLOSE_REPLACED);
	s->partner = c->transport->tracks ? c : was;
	s->publisher = c->transport->tracks ? was : c;
	return true;
}

/*
 * True if the task continues when the publisher is replaced: the new publisher is the
 * same client, or it commands the task of a partner that continues to speak.
 */
static bool
is_same_task(const struct session *s, const struct connection *c)
{
	return (s->publisher != NULL && is_again(s->publisher, c)) ||
	       (s->partner != NULL && s->state != STATE_NONE &&
		   s->source == TASK_WEBRTC);
}

/* A new publisher replaces the old one. A channel's task continues. */
static void
become_publisher(struct session *s, struct connection *c)
{
	struct connection *was;
	bool same_task;

	if (!c->request->writes) {
		fanout_check_language(c);
		c->waits = s->guest != NULL && c->request->since != NULL &&
			   s->guest->is_behind(s);
		if (!c->waits)
			sinks_enter(c);
		s->owner->entered(c);
		return;
	}
	if (s->owner->stays && s->state == STATE_ENDING)
		lifecycle_event(s, EVENT_SENT); /* end the previous task at once */
	if (become_partner(s, c))
		return;
	was = s->publisher;
	same_task = is_same_task(s, c);
	s->publisher = c;
	if (was != NULL)
		connection_end(was, CLOSE_REPLACED);
	s->end.left_us = 0;
	if (s->owner->stays) {
		input_align(s);
		s->owner->replaced(s);
		return;
	}
	if (same_task)
		return;
	if (was != NULL)
		lifecycle_event(s, EVENT_GONE);
	s->state = STATE_NONE;
	s->startup = (struct state_startup){ 0 };
	s->end.ended_us = 0;
}

static void
stop_publishing(struct session *s)
{
	if (s->owner->stays) {
		if (s->now != NULL)
			pipeline_cut(s->now->pipeline);
		return;
	}
	s->end.left_us = monotonic_us();
	lifecycle_event(s, EVENT_GONE);
}

static void
pass_to_commands(struct connection *c, const char *p, size_t n, bool binary)
{
	(void)binary; /* both kinds hold text */
	command_message(c, p, n);
}

/* ---- audio by packets ---- */

void
s2s_packet(struct session *s, const void *p, size_t n)
{
	if (s->guest != NULL) {
		s->guest->packet(s, p, n);
		return;
	}
	if (session_is_silenced(s))
		return;
	s->owner->audio_came(s, monotonic_us());
	input_packet(s, p, n);
}

/* ---- timers ---- */

/* Play out all pipelines, including replaced ones. True: output remains. */
static bool
playout_all(struct session *s, int64_t now)
{
	bool busy = false;

	for (struct pipeline_slot *slot = s->slots, *next; slot != NULL; slot = next) {
		next = slot->next;
		busy |= playout_tick(s, slot, now);
	}
	return busy;
}

static void
tick(struct session *s, int64_t now)
{
	bool busy = playout_all(s, now);

	s->owner->tick(s, now);
	sinks_tick(s, now);
	if (s->now != NULL) {
		input_behind(s, now);
		input_pause(s, now);
	}
	lifecycle_tick(s, busy, now);
	command_tick(s, now);
}

const struct session_ops s2s_ops = {
	.entered = become_publisher,
	.message = pass_to_commands,
	.start = slot_start,
	.tick = tick,
	.left = stop_publishing,
	.running = billing_running,
};
