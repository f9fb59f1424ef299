/*
 * Messages of the publisher and of subscribers.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "bridge/rtp_bridge.h"
#include "protocol/output.h"
#include "speech/registry.h"

/* Whether an error is only logged, see state_lets_say(). */
static bool
is_quiet(const struct connection *c, const char *code)
{
	if (c != c->session->publisher ||
	    state_lets_say(&c->session->startup, code, false, monotonic_us()))
		return false;
	log_info("not told: %s", code);
	return true;
}

static void
tell_error(struct connection *c, const char *code, const char *desc)
{
	if (!is_quiet(c, code))
		connection_error(c, code, desc, NULL);
}

static bool
within_limit(struct connection *c, enum message_kind m)
{
	enum limit_kind kind = message_types[m].limit;

	if (kind == LIMIT_KINDS || limit_take(&c->limits[kind], kind, monotonic_us()))
		return true;
	tell_error(c, "RATE_LIMIT_EXCEEDED", limit_text(kind));
	return false;
}

/* ---- tasks ---- */

static bool
can_hear(void *registry, const char *lang)
{
	return registry_hears(registry, lang);
}

static bool
can_translate(void *registry, const char *from, const char *to)
{
	return registry_pairs(registry, from, to);
}

/* Set what only an accepted task needs. */
static void
complete(struct session *s, struct pipeline_config *w)
{
	w->account = arena_str(w->mem, s->account);
	w->registry = registry_hold(s->gateway->engines);
	for (const struct pipeline_slot *slot = s->slots; slot != NULL;
	     slot = slot->next)
		w->instead |= pipeline_recognizes(slot->pipeline);
	w->heard_us = s->heard_us;
	w->epoch_us = s->epoch_us != 0 ? s->epoch_us : now_us();
}

static void
take_task(struct session *s, struct pipeline_config *w, const struct state_step *step)
{
	int64_t now = monotonic_us();

	complete(s, w);
	if (s->state == STATE_NONE)
		state_begins(&s->startup, now);
	if (step->next == STATE_STARTING)
		s->starting_us = now;
	s->state = step->next;
	if (step->action == ACT_RESUME) {
		lifecycle_meter(s, now);
		input_pacing_start(&s->pacing, now);
		playout_unpaced(s, false);
	}
	lifecycle_supersede(s);
	billing_prepare(s, w, s->asked);
}

/* tree NULL: the task of a channel.  False: invalid; the errors are in w's arena. */
static bool
read_task(struct session *s, const struct json *tree, struct pipeline_config *w,
    struct validation_errors *f)
{
	const struct task_engines engines = { .arg = s->gateway->engines,
		.knows = can_hear,
		.pairs = can_translate,
		.webrtc = s->gateway->bridge != NULL };

	*f = (struct validation_errors){ .mem = w->mem };
	return s->channel != NULL
		   ? channel_session_read(s, w->mem, tree, &engines, &w->task, f)
		   : task_read(w->mem, tree, &engines, &w->task, f);
}

static struct pipeline_config *
new_want(void)
{
	struct arena *mem = arena_new();
	struct pipeline_config *w = arena_alloc(mem, sizeof(*w));

	*w = (struct pipeline_config){ .mem = mem };
	return w;
}

static void
set_task(struct connection *c, const struct json *tree)
{
	struct session *s = c->session;
	struct validation_errors errors;
	struct pipeline_config *w = new_want();
	bool good = read_task(s, tree, w, &errors);
	struct state_step step =
	    state_step(s->state, good ? EVENT_SET : EVENT_SET_WRONG);

	if (step.error == NULL && good) {
		if (s->channel != NULL)
			channel_session_keep(s, tree);
		take_task(s, w, &step);
		return;
	}
	if (!good && step.desc == NULL)
		connection_refuse(c, &errors, false);
	else
		tell_error(c, step.error, step.desc);
	arena_free(w->mem);
}

void
command_restart(struct session *s)
{
	struct validation_errors errors;
	struct pipeline_config *w = new_want();
	bool good = read_task(s, NULL, w, &errors);
	struct state_step step = state_step(s->state, EVENT_SET);
	const char *why;

	if (good && step.error == NULL) {
		take_task(s, w, &step);
		return;
	}
	if (!good) {
		why = task_left_out(w->mem, &w->task);
		channel_session_stopped(
		    s, why != NULL ? why : validation_errors_text(w->mem, &errors));
		if (s->publisher != NULL)
			connection_refuse(s->publisher, &errors, false);
	}
	arena_free(w->mem);
}

void
command_reconsider(struct session *s)
{
	size_t before = channel_session_left_out(s->channel);
	struct validation_errors errors;
	struct pipeline_config *w = new_want();
	bool good = read_task(s, NULL, w, &errors);
	struct state_step step = state_step(s->state, EVENT_SET);

	if (good && step.error == NULL &&
	    channel_session_left_out(s->channel) != before)
		take_task(s, w, &step);
	else
		arena_free(w->mem);
}

static void
get_task(struct connection *c, bool exclude_hidden)
{
	struct session *s = c->session;
	struct state_step step = state_step(s->state, EVENT_GET);
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (step.action != ACT_NOTIFY || s->now == NULL)
		connection_error(c, "NOT_FOUND", "No active task found", NULL);
	else if (c != s->publisher) {
		if (output_languages(&b, pipeline_task(s->now->pipeline),
			state_status(s->state),
			c->request->listens ? bridge_describe(s, mem, false) : NULL))
			connection_send_buf(c, &b);
	} else {
		if (output_current_task(&b, pipeline_task(s->now->pipeline),
			state_status(s->state), exclude_hidden,
			bridge_describe(s, mem, true)))
			connection_send_buf(c, &b);
		state_reported(&s->startup);
	}
	arena_free(mem);
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
		tell_error(c, step.error, step.desc);
	return step.error == NULL && step.action != ACT_NOTHING;
}

static void
flush(struct connection *c, const struct message_flush *f)
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
}

/* A tts_task that waits until the task runs. */
struct deferred_message {
	struct actor_message message;
	const char *text, *language;
	bool translate;
};

static void
speak(struct session *s, const char *text, const char *language, bool translate)
{
	struct arena *mem = arena_new();
	struct validation_errors errors = { .mem = mem };
	const struct json_path whole = json_path_whole(NULL);
	const struct json_path at = json_path_member(&whole, "language");

	input_pacing_sign(&s->pacing, monotonic_us());
	s->now->sounded = true;
	if (translate ||
	    task_target(mem, pipeline_task(s->now->pipeline), language) != NULL)
		pipeline_speak(s->now->pipeline, text, language, translate);
	else if (s->publisher != NULL && !is_quiet(s->publisher, "VALIDATION_ERROR")) {
		validation_error_add(
		    &errors, &at, VALIDATION_ENUM, "is no target of the task");
		connection_refuse(s->publisher, &errors, false);
	}
	arena_free(mem);
}

static void
speak_later(struct session *s, const struct message_tts *m)
{
	struct deferred_message *l = (struct deferred_message *)actor_message_new(
	    sizeof(*l) + strlen(m->text) + strlen(m->language.said));
	struct actor_message **at = &s->deferred;

	l->text = arena_str(l->message.mem, m->text);
	l->language = arena_str(l->message.mem, m->language.said);
	l->translate = m->translate;
	while (*at != NULL)
		at = &(*at)->next;
	*at = &l->message;
}

void
command_deferred(struct session *s)
{
	for (struct actor_message *l = s->deferred; l != NULL; l = l->next) {
		const struct deferred_message *it = (const struct deferred_message *)l;

		speak(s, it->text, it->language, it->translate);
	}
	command_forget(s);
}

void
command_forget(struct session *s)
{
	struct actor_message *l;

	while ((l = s->deferred) != NULL) {
		s->deferred = l->next;
		arena_free(l->mem);
	}
}

static void
tts_task(struct connection *c, const struct message_tts *m)
{
	struct session *s = c->session;
	enum state_action action;

	if (!step_to(c, EVENT_TTS, &action))
		return;
	if (action == ACT_SPEAK_LATER)
		speak_later(s, m);
	else if (s->now != NULL)
		speak(s, m->text, m->language.said, m->translate);
}

static void
end_task(struct connection *c, const struct message_end *m)
{
	enum state_action action;

	if (c->session->state != STATE_ENDING) /* the first one counts */
		c->session->eos_s = m->force ? 0 : m->eos_s;
	if (step_to(c, m->force ? EVENT_END_FORCE : EVENT_END, &action))
		lifecycle_act(c->session, action, monotonic_us());
}

static void
from_publisher(struct connection *c, const struct message *m)
{
	enum state_action action;

	if (m->kind == MESSAGE_AUDIO) { /* counts its own limit, with a warning */
		ingest_audio(c, &m->u.audio);
		return;
	}
	if (!(m->kind == MESSAGE_GET_TASK && state_asks_freely(&c->session->startup)) &&
	    !within_limit(c, m->kind))
		return;
	switch (m->kind) {
	case MESSAGE_SET_TASK:
		set_task(c, m->u.task);
		break;
	case MESSAGE_GET_TASK:
		get_task(c, m->u.exclude_hidden);
		break;
	case MESSAGE_PAUSE_TASK:
		if (step_to(c, EVENT_PAUSE, &action))
			lifecycle_act(c->session, action, monotonic_us());
		break;
	case MESSAGE_FLUSH_TASK:
		flush(c, &m->u.flush);
		break;
	case MESSAGE_TTS_TASK:
		tts_task(c, &m->u.tts);
		break;
	case MESSAGE_END_TASK:
		end_task(c, &m->u.end);
		break;
	case MESSAGE_SET_LANGUAGE:
		tell_error(
		    c, "PERMISSION_DENIED", "set_language is for those who listen");
		break;
	case MESSAGE_AUDIO:
	case MESSAGE_UNKNOWN: /* these are no messages of this socket */
	case MESSAGE_FINALIZE:
	case MESSAGE_INIT:
	case MESSAGE_TEXT:
	case MESSAGE_CANCEL:
	case MESSAGE_KINDS:
		break;
	}
}

static void
from_listener(struct connection *c, const struct message *m)
{
	if (m->kind == MESSAGE_SET_LANGUAGE)
		fanout_choose(c, m->u.language.code);
	else if (m->kind != MESSAGE_GET_TASK)
		connection_error(
		    c, "PERMISSION_DENIED", "This token may only listen", NULL);
	else if (within_limit(c, MESSAGE_GET_TASK))
		get_task(c, false);
}

static void
count_nonsense(struct connection *c)
{
	if (limit_take(&c->limits[LIMIT_BAD], LIMIT_BAD, monotonic_us()))
		return;
	if (c == c->session->publisher && c->session->channel == NULL)
		lifecycle_event(c->session, EVENT_GONE);
	connection_end(c, 1008, "too many bad messages");
}

void
command_message(struct connection *c, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	struct validation_errors errors = { .mem = mem };
	struct message m;

	if (!message_read(mem, MESSAGE_S2S, p, n, &m, &errors)) {
		if (m.kind == MESSAGE_SET_TASK || !is_quiet(c, "VALIDATION_ERROR"))
			connection_refuse(c, &errors, false);
		if (m.kind == MESSAGE_UNKNOWN)
			count_nonsense(c);
	} else if (c == c->session->publisher)
		from_publisher(c, &m);
	else
		from_listener(c, &m);
	arena_free(mem);
}
