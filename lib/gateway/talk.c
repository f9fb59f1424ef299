/*
 * What a writer says to a room, and what listeners may say.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/studio.h"
#include "speech/registry.h"
#include "stream/say.h"

/* Somebody who waits blindly for his task is told little. */
static bool
is_quiet(const struct client *c, const char *code)
{
	if (c != c->room->writer ||
	    state_lets_say(&c->room->startup, code, false, monotonic_us()))
		return false;
	log_info("not told: %s", code);
	return true;
}

static void
tell_error(struct client *c, const char *code, const char *desc)
{
	if (!is_quiet(c, code))
		client_error(c, code, desc, NULL);
}

static bool
within_limit(struct client *c, enum limit_kind kind)
{
	if (limit_take(&c->limits[kind], kind, monotonic_us()))
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

/* What only a task that is taken needs. */
static void
complete(struct room *r, struct run_want *w)
{
	w->account = arena_str(w->mem, r->account);
	w->registry = registry_hold(r->gate->engines);
	for (const struct shift *s = r->shifts; s != NULL; s = s->next)
		w->instead |= run_hears(s->run);
	w->heard_us = r->heard_us;
	w->epoch_us = r->epoch_us != 0 ? r->epoch_us : now_us();
}

static void
take_task(struct room *r, struct run_want *w, const struct state_step *step)
{
	int64_t now = monotonic_us();

	complete(r, w);
	if (r->state == STATE_NONE)
		state_begins(&r->startup, now);
	if (step->next == STATE_STARTING)
		r->starting_us = now;
	r->state = step->next;
	if (step->action == ACT_RESUME) {
		life_meter(r, now);
		pace_start(&r->pace, now);
		play_unpaced(r, false);
	}
	life_supersede(r);
	book_prepare(r, w, r->asked);
}

/* tree: NULL, that of a channel.  False: it is wrong; the flaws are of its arena. */
static bool
read_task(struct room *r, const struct json *tree, struct run_want *w, struct flaws *f)
{
	const struct task_engines engines = { .arg = r->gate->engines,
		.knows = can_hear,
		.pairs = can_translate,
		.webrtc = r->gate->studio != NULL };

	*f = (struct flaws){ .mem = w->mem };
	return r->air != NULL ? onair_read(r, w->mem, tree, &engines, &w->task, f)
			      : task_read(w->mem, tree, &engines, &w->task, f);
}

static struct run_want *
new_want(void)
{
	struct arena *mem = arena_new();
	struct run_want *w = arena_alloc(mem, sizeof(*w));

	*w = (struct run_want){ .mem = mem };
	return w;
}

static void
set_task(struct client *c, const struct json *tree)
{
	struct room *r = c->room;
	struct flaws flaws;
	struct run_want *w = new_want();
	bool good = read_task(r, tree, w, &flaws);
	struct state_step step =
	    state_step(r->state, good ? EVENT_SET : EVENT_SET_WRONG);

	if (step.error == NULL && good) {
		if (r->air != NULL)
			onair_keep(r, tree);
		take_task(r, w, &step);
		return;
	}
	if (!good && step.desc == NULL)
		client_refuse(c, &flaws, false);
	else
		tell_error(c, step.error, step.desc);
	arena_free(w->mem);
}

void
talk_restart(struct room *r)
{
	struct flaws flaws;
	struct run_want *w = new_want();
	bool good = read_task(r, NULL, w, &flaws);
	struct state_step step = state_step(r->state, EVENT_SET);
	const char *why;

	if (good && step.error == NULL) {
		take_task(r, w, &step);
		return;
	}
	if (!good) {
		why = task_left_out(w->mem, &w->task);
		onair_stopped(r, why != NULL ? why : flaws_text(w->mem, &flaws));
		if (r->writer != NULL)
			client_refuse(r->writer, &flaws, false);
	}
	arena_free(w->mem);
}

void
talk_reconsider(struct room *r)
{
	size_t before = onair_left_out(r->air);
	struct flaws flaws;
	struct run_want *w = new_want();
	bool good = read_task(r, NULL, w, &flaws);
	struct state_step step = state_step(r->state, EVENT_SET);

	if (good && step.error == NULL && onair_left_out(r->air) != before)
		take_task(r, w, &step);
	else
		arena_free(w->mem);
}

static void
get_task(struct client *c, bool exclude_hidden)
{
	struct room *r = c->room;
	struct state_step step = state_step(r->state, EVENT_GET);
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (step.action != ACT_TELL || r->now == NULL)
		client_error(c, "NOT_FOUND", "No active task found", NULL);
	else if (c != r->writer) {
		if (say_languages(&b, run_task(r->now->run), state_status(r->state),
			c->visitor->hears ? studio_told(r, mem, false) : NULL))
			client_tell(c, &b);
	} else {
		if (say_current_task(&b, run_task(r->now->run), state_status(r->state),
			exclude_hidden, studio_told(r, mem, true)))
			client_tell(c, &b);
		state_told(&r->startup);
	}
	arena_free(mem);
}

/* ---- other messages ---- */

/* Moves the state on, or says why not; false: nothing is to be done. */
static bool
step_to(struct client *c, enum state_event event, enum state_action *action)
{
	struct state_step step = state_step(c->room->state, event);

	*action = step.action;
	c->room->state = step.next;
	if (step.error != NULL)
		tell_error(c, step.error, step.desc);
	return step.error == NULL && step.action != ACT_NOTHING;
}

static void
flush(struct client *c, const struct message_flush *f)
{
	struct room *r = c->room;
	const char *const *codes = f->languages.items;
	enum state_action action;

	if (!step_to(c, f->pause ? EVENT_FLUSH_PAUSE : EVENT_FLUSH, &action))
		return;
	for (struct shift *s = r->shifts; s != NULL; s = s->next) {
		if (f->global)
			play_flush(s, NULL);
		for (size_t i = 0; !f->global && i < f->languages.n; i++)
			play_flush(s, codes[i]);
	}
	life_act(r, action, monotonic_us());
}

/* What is to be spoken, while there is no task yet that could. */
struct later {
	struct letter letter;
	const char *text, *language;
	bool translate;
};

static void
speak(struct room *r, const char *text, const char *language, bool translate)
{
	struct arena *mem = arena_new();
	struct flaws flaws = { .mem = mem };
	const struct spot whole = spot_whole(NULL);
	const struct spot at = spot_member(&whole, "language");

	pace_sign(&r->pace, monotonic_us());
	r->now->sounded = true;
	if (translate || task_target(mem, run_task(r->now->run), language) != NULL)
		run_speak(r->now->run, text, language, translate);
	else if (r->writer != NULL && !is_quiet(r->writer, "VALIDATION_ERROR")) {
		flaw_add(&flaws, &at, FLAW_ENUM, "is no target of the task");
		client_refuse(r->writer, &flaws, false);
	}
	arena_free(mem);
}

static void
speak_later(struct room *r, const struct message_tts *m)
{
	struct later *l = (struct later *)letter_new(
	    sizeof(*l) + strlen(m->text) + strlen(m->language.said));
	struct letter **at = &r->later;

	l->text = arena_str(l->letter.mem, m->text);
	l->language = arena_str(l->letter.mem, m->language.said);
	l->translate = m->translate;
	while (*at != NULL)
		at = &(*at)->next;
	*at = &l->letter;
}

void
talk_later(struct room *r)
{
	for (struct letter *l = r->later; l != NULL; l = l->next) {
		const struct later *it = (const struct later *)l;

		speak(r, it->text, it->language, it->translate);
	}
	talk_forget(r);
}

void
talk_forget(struct room *r)
{
	struct letter *l;

	while ((l = r->later) != NULL) {
		r->later = l->next;
		arena_free(l->mem);
	}
}

static void
tts_task(struct client *c, const struct message_tts *m)
{
	struct room *r = c->room;
	enum state_action action;

	if (!step_to(c, EVENT_TTS, &action))
		return;
	if (action == ACT_SPEAK_LATER)
		speak_later(r, m);
	else if (r->now != NULL)
		speak(r, m->text, m->language.said, m->translate);
}

static void
end_task(struct client *c, const struct message_end *m)
{
	enum state_action action;

	if (c->room->state != STATE_ENDING) /* the first one counts */
		c->room->eos_s = m->force ? 0 : m->eos_s;
	if (step_to(c, m->force ? EVENT_END_FORCE : EVENT_END, &action))
		life_act(c->room, action, monotonic_us());
}

static void
from_writer(struct client *c, const struct message *m)
{
	enum state_action action;

	switch (m->kind) {
	case MESSAGE_SET_TASK:
		if (within_limit(c, LIMIT_SET_TASK))
			set_task(c, m->u.task);
		return;
	case MESSAGE_GET_TASK:
		if (state_asks_freely(&c->room->startup) ||
		    within_limit(c, LIMIT_GET_TASK))
			get_task(c, m->u.exclude_hidden);
		return;
	case MESSAGE_PAUSE_TASK:
		if (within_limit(c, LIMIT_PAUSE_TASK) &&
		    step_to(c, EVENT_PAUSE, &action))
			life_act(c->room, action, monotonic_us());
		return;
	case MESSAGE_FLUSH_TASK:
		if (within_limit(c, LIMIT_FLUSH_TASK))
			flush(c, &m->u.flush);
		return;
	case MESSAGE_TTS_TASK:
		if (within_limit(c, LIMIT_TTS_TASK))
			tts_task(c, &m->u.tts);
		return;
	case MESSAGE_END_TASK:
		end_task(c, &m->u.end);
		return;
	case MESSAGE_AUDIO:
		hear_audio(c, &m->u.audio);
		return;
	default:
		tell_error(
		    c, "PERMISSION_DENIED", "set_language is for those who listen");
	}
}

static void
from_listener(struct client *c, const struct message *m)
{
	if (m->kind == MESSAGE_SET_LANGUAGE)
		client_choose(c, m->u.language.code);
	else if (m->kind != MESSAGE_GET_TASK)
		client_error(
		    c, "PERMISSION_DENIED", "This token may only listen", NULL);
	else if (within_limit(c, LIMIT_GET_TASK))
		get_task(c, false);
}

static void
count_nonsense(struct client *c)
{
	if (limit_take(&c->limits[LIMIT_BAD], LIMIT_BAD, monotonic_us()))
		return;
	if (c == c->room->writer && c->room->air == NULL)
		talk_event(c->room, EVENT_GONE);
	client_end(c, 1008, "too many bad messages");
}

void
talk_message(struct client *c, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	struct flaws flaws = { .mem = mem };
	struct message m;

	if (!message_read(mem, MESSAGE_S2S, p, n, &m, &flaws)) {
		if (m.kind == MESSAGE_SET_TASK || !is_quiet(c, "VALIDATION_ERROR"))
			client_refuse(c, &flaws, false);
		if (m.kind == MESSAGE_UNKNOWN)
			count_nonsense(c);
	} else if (c == c->room->writer)
		from_writer(c, &m);
	else
		from_listener(c, &m);
	arena_free(mem);
}
