/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages of the publisher and of subscribers.
 */
#include <string.h>

#include "base/clock.h"
#include "protocol/output.h"
#include "session/sink.h"

static bool
within_limit(struct connection *c, enum message_kind m)
{
	enum limit_kind kind = message_types[m].limit;

	if (kind == LIMIT_KINDS || limit_admit(&c->limits[kind], kind, monotonic_us()))
		return true;
	connection_send_error(c, "RATE_LIMIT_EXCEEDED", limit_text(kind));
	return false;
}

#define HELD_US (400 * 1000) /* time to wait for a start to end, before NOT_FOUND */

static bool
is_starting(const struct session *s)
{
	return s->state == STATE_STARTING || s->state == STATE_HELD;
}

static void
report_task(struct connection *c, bool exclude_hidden)
{
	struct session *s = c->session;
	enum state state = s->guest != NULL ? s->guest_state : s->state;
	const struct task *t = session_task(s);
	struct state_step step = state_step(state, EVENT_GET);
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (step.action != ACT_NOTIFY || t == NULL)
		connection_error(c, "NOT_FOUND", "No active task found", NULL);
	else if (c != s->publisher) {
		if (output_languages(&b, t, state_status(state),
			c->request->listens ? sinks_describe(s, mem, false) : NULL))
			connection_send_buf(c, &b);
	} else {
		if (output_current_task(&b, t, state_status(state), exclude_hidden,
			sinks_describe(s, mem, true),
			exclude_hidden ? NULL : listeners_describe(mem, s)))
			connection_send_buf(c, &b);
		state_reported(&s->startup);
	}
	arena_free(mem);
}

/* Clients that ask once every two seconds begin sooner if they get no NOT_FOUND. */
static void
get_task(struct connection *c, bool exclude_hidden)
{
	struct session *s = c->session;

	if (c == s->publisher && is_starting(s) && c->n_held < HELD_MOST)
		c->held[c->n_held++] =
		    (struct held_question){ monotonic_us() + HELD_US, exclude_hidden };
	else
		report_task(c, exclude_hidden);
}

void
command_tick(struct session *s, int64_t now)
{
	struct connection *c = s->publisher;

	while (c != NULL && c->n_held > 0 &&
	       (!is_starting(s) || now >= c->held[0].until_us)) {
		bool exclude_hidden = c->held[0].exclude_hidden;

		memmove(c->held, c->held + 1, (size_t)--c->n_held * sizeof(*c->held));
		report_task(c, exclude_hidden);
	}
}

/* ---- other messages ---- */

/* Apply an event to the state, or send its error.  False: nothing to do. */
static bool
step_to(struct connection *c, enum state_event event, enum state_action *action)
{
	struct state_step step = state_step(c->session->state, event);

	*action = step.action;
	c->session->state = step.next;
	if (step.error != NULL)
		connection_send_error(c, step.error, step.desc);
	return step.error == NULL && step.action != ACT_NOTHING;
}

static void
flush(struct connection *c, const struct message_flush *f, const char *command)
{
	struct session *s = c->session;
	const char *const *codes = f->languages.items;
	enum state_action action;

	if (!step_to(c, f->pause ? EVENT_FLUSH_PAUSE : EVENT_FLUSH, &action))
		return;
	for (struct pipeline_slot *slot = s->slots; slot != NULL; slot = slot->next) {
		if (f->global)
			playout_flush(slot, NULL);
		for (size_t i = 0; !f->global && i < f->languages.n; i++)
			playout_flush(slot, codes[i]);
	}
	lifecycle_act(s, action, monotonic_us());
	task_status_send(s, command, "interrupted", NULL);
}

static void
pause(struct connection *c)
{
	enum state_action action;

	if (step_to(c, EVENT_PAUSE, &action))
		lifecycle_act(c->session, action, monotonic_us());
	if (c->session->state == STATE_PAUSED || c->session->state == STATE_HELD)
		task_status_send(c->session, "pause_task", "paused", NULL);
}

static void
tts_task(struct connection *c, const struct message_tts *m)
{
	struct session *s = c->session;
	enum state_action action;

	if (session_is_silenced(s)) {
		connection_send_error(c, "PERMISSION_DENIED", "The channel is stopped");
		return;
	}
	if (!step_to(c, EVENT_TTS, &action))
		return;
	if (action == ACT_SPEAK_LATER)
		speech_input_later(s, m);
	else if (s->now != NULL)
		speech_input_receive(s, m);
}

static void
end_task(struct connection *c, const struct message_end *m)
{
	enum state_action action;

	/* if there are several, the first one counts */
	if (c->session->state != STATE_ENDING)
		c->session->end.eos_s = m->force ? 0 : m->eos_s;
	if (step_to(c, m->force ? EVENT_END_FORCE : EVENT_END, &action))
		lifecycle_act(c->session, action, monotonic_us());
}

/* Audio counts its own limit, with a warning. */
static void
receive_audio(struct connection *c, const struct message_audio *a)
{
	if (c->transport->tracks) {
		connection_error(c, "VALIDATION_ERROR",
		    "Audio comes by the published track", "message_type");
		return;
	}
	if (session_is_silenced(c->session))
		return;
	c->session->owner->audio_came(c->session, monotonic_us());
	input_audio(c, a);
}

static void
from_publisher(struct connection *c, const struct message *m)
{
	if (m->kind == MESSAGE_AUDIO) {
		receive_audio(c, &m->u.audio);
		return;
	}
	if (!(m->kind == MESSAGE_GET_TASK && state_asks_freely(&c->session->startup)) &&
	    !within_limit(c, m->kind))
		return;
	switch (m->kind) {
	case MESSAGE_SET_TASK:
		task_start(c, m->u.task);
		break;
	case MESSAGE_GET_TASK:
		get_task(c, m->u.exclude_hidden);
		break;
	case MESSAGE_PAUSE_TASK:
		pause(c);
		break;
	case MESSAGE_FLUSH_TASK:
	case MESSAGE_INTERRUPT_TASK:
		flush(c, &m->u.flush, message_types[m->kind].name);
		break;
	case MESSAGE_TTS_TASK:
		tts_task(c, &m->u.tts);
		break;
	case MESSAGE_END_TASK:
		end_task(c, &m->u.end);
		break;
	case MESSAGE_SET_LANGUAGE:
		connection_send_error(
		    c, "PERMISSION_DENIED", "set_language is for listeners");
		break;
	case MESSAGE_AUDIO:
	case MESSAGE_UNKNOWN: /* types of messages that this socket does not have */
	case MESSAGE_FINALIZE:
	case MESSAGE_INIT:
	case MESSAGE_TEXT:
	case MESSAGE_CANCEL:
	case MESSAGE_RESET_CONTEXT:
	case MESSAGE_KINDS:
		break;
	}
}

static void
from_listener(struct connection *c, const struct message *m)
{
	if ((message_types[m->kind].from & MESSAGE_FROM_LISTENER) == 0)
		connection_error(
		    c, "PERMISSION_DENIED", "This token may only listen", NULL);
	else if (m->kind == MESSAGE_SET_LANGUAGE)
		fanout_choose(c, m->u.language.code);
	else if (within_limit(c, MESSAGE_GET_TASK))
		get_task(c, false);
}

static void
count_nonsense(struct connection *c)
{
	if (limit_admit(&c->limits[LIMIT_BAD], LIMIT_BAD, monotonic_us()))
		return;
	lifecycle_expel(c, CLOSE_BAD_MESSAGES);
}

void
command_message(struct connection *c, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	struct validation_errors errors = { .mem = mem };
	struct message m;

	if (!message_read(mem, MESSAGE_S2S, p, n, &m, &errors)) {
		if (m.kind == MESSAGE_SET_TASK ||
		    !connection_is_quiet(c, "VALIDATION_ERROR"))
			connection_refuse(c, &errors, false);
		if (m.kind == MESSAGE_UNKNOWN)
			count_nonsense(c);
	} else if (c == c->session->partner && m.kind == MESSAGE_SET_TASK) {
		session_promote(c->session);
		from_publisher(c, &m);
	} else if (c == c->session->publisher)
		from_publisher(c, &m);
	else
		from_listener(c, &m);
	arena_free(mem);
}
