/*
 * What a writer says to a room, and what listeners may say.
 */
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"
#include "gateway/room.h"
#include "speech/registry.h"
#include "stream/say.h"

#define STARTING_US (25 * S_US) /* then the engines are not there */
#define DRAIN_US S_US           /* after end_task without a timeout */
#define OVER_US (30 * S_US)     /* the longest beyond one */

static void
tell_flaws(struct client *c, const struct flaws *f)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (say_flaws(&b, f))
		client_tell(c, &b);
	arena_free(mem);
}

static bool
within_limit(struct client *c, enum limit_kind kind)
{
	if (limit_take(&c->limits[kind], kind, monotonic_us()))
		return true;
	client_error(c, "RATE_LIMIT_EXCEEDED", limit_text(kind), NULL);
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
		book_meter(r, true, now);
		pace_start(&r->pace, now);
		if (r->now != NULL)
			play_unpaced(r->now, false);
	}
	book_prepare(r, w, ++r->asked);
}

static void
set_task(struct client *c, const struct json *tree)
{
	struct arena *mem = arena_new();
	struct run_want *w = arena_alloc(mem, sizeof(*w));
	const struct task_engines engines = {
		.arg = c->room->gate->engines, .knows = can_hear, .pairs = can_translate
	};
	struct flaws flaws = { .mem = mem };
	bool good = task_read(mem, tree, &engines, &w->task, &flaws);
	struct state_step step =
	    state_step(c->room->state, good ? EVENT_SET : EVENT_SET_WRONG);

	w->mem = mem;
	if (step.error == NULL && good) {
		take_task(c->room, w, &step);
		return;
	}
	if (!good && step.desc == NULL)
		tell_flaws(c, &flaws);
	else
		client_error(c, step.error, step.desc, NULL);
	arena_free(mem);
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
		if (say_languages(&b, run_task(r->now->run), state_status(r->state)))
			client_tell(c, &b);
	} else {
		if (say_current_task(&b, run_task(r->now->run), state_status(r->state),
			exclude_hidden, NULL))
			client_tell(c, &b);
		state_told(&r->startup);
	}
	arena_free(mem);
}

/* ---- the task's life ---- */

/* The newest shift hears from now on; the one before ends its phrase. */
static void
change_shift(struct room *r)
{
	struct shift *old = r->now, *s = r->shifts;

	while (s != NULL && s->number != r->asked)
		s = s->next;
	if (s == NULL || s == old)
		return;
	r->now = s;
	if (old != NULL && !old->dropped) {
		run_cut(old->run);
		run_leave(old->run, false);
		old->left = true;
	}
}

static void
stop_all(struct room *r)
{
	for (struct shift *s = r->shifts; s != NULL; s = s->next)
		play_drop(s);
	r->now = NULL;
	r->asked++; /* what was asked for comes too late */
}

static void
pause(struct room *r, int64_t now)
{
	book_meter(r, false, now);
	if (r->now == NULL)
		return;
	run_cut(r->now->run);
	play_unpaced(r->now, true);
}

static void
begin(struct room *r, int64_t now)
{
	r->starting_us = 0;
	change_shift(r);
	if (r->now == NULL)
		return;
	book_meter(r, true, now);
	pace_start(&r->pace, now);
	hear_kept(r);
}

static void
end(struct room *r, int64_t now)
{
	book_meter(r, false, now);
	r->ended_us = now;
	r->drained = false;
	if (r->now == NULL)
		return;
	r->now->echoed = false;
	run_echo(r->now->run);
	play_unpaced(r->now, true);
}

static void
finish(struct room *r, bool eos)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (eos && say_eos(&b))
		for (struct client *c = r->clients; c != NULL; c = c->next)
			client_tell(c, &b);
	arena_free(mem);
	stop_all(r);
	room_end(r, 1000, "");
}

static void
act(struct room *r, enum state_action action, int64_t now)
{
	switch (action) {
	case ACT_BEGIN:
		begin(r, now);
		return;
	case ACT_BEGIN_PAUSED:
		r->starting_us = 0;
		change_shift(r);
		return;
	case ACT_REPLACE:
		change_shift(r);
		return;
	case ACT_PAUSE:
		pause(r, now);
		return;
	case ACT_END:
		end(r, now);
		return;
	case ACT_CLOSE:
		finish(r, r->eos_s > 0);
		return;
	case ACT_CLOSE_NOW:
		book_meter(r, false, now);
		finish(r, false);
		return;
	case ACT_STOP:
	case ACT_LEAVE:
		book_meter(r, false, now);
		stop_all(r);
		return;
	default:
		return;
	}
}

void
talk_event(struct room *r, enum state_event event)
{
	struct state_step step = state_step(r->state, event);
	enum state was = r->state;

	r->state = step.next;
	if (step.error != NULL && r->writer != NULL)
		client_error(r->writer, step.error, step.desc, NULL);
	if (event == EVENT_READY && was != STATE_STARTING && was != STATE_HELD)
		change_shift(r);
	else
		act(r, step.action, monotonic_us());
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
		client_error(c, step.error, step.desc, NULL);
	return step.error == NULL && step.action != ACT_NOTHING;
}

static void
flush(struct client *c, const struct message_flush *f)
{
	struct room *r = c->room;
	const char *const *codes = f->languages.items;
	enum state_action action;
	struct arena *mem;

	if (!step_to(c, f->pause ? EVENT_FLUSH_PAUSE : EVENT_FLUSH, &action) ||
	    r->now == NULL)
		return;
	mem = arena_new();
	if (f->global)
		play_flush(r->now, -1);
	for (size_t i = 0; !f->global && i < f->languages.n; i++) {
		const struct task *t = run_task(r->now->run);
		const struct task_target *to = task_target(mem, t, codes[i]);

		if (to != NULL)
			play_flush(r->now, (int)(to - t->targets));
	}
	arena_free(mem);
	if (action == ACT_FLUSH_PAUSE)
		pause(r, monotonic_us());
}

static void
speak(struct client *c, const struct message_tts *m)
{
	struct room *r = c->room;
	struct arena *mem = arena_new();
	struct flaws flaws = { .mem = mem };
	enum state_action action;

	if (step_to(c, EVENT_TTS, &action) && r->now != NULL) {
		const struct task *t = run_task(r->now->run);
		const struct spot whole = spot_whole(NULL);
		const struct spot at = spot_member(&whole, "language");

		pace_sign(&r->pace, monotonic_us());
		if (m->translate || task_target(mem, t, m->language.said) != NULL)
			run_speak(r->now->run, m->text, m->language.said, m->translate);
		else {
			flaw_add(&flaws, &at, FLAW_ENUM, "is no target of the task");
			tell_flaws(c, &flaws);
		}
	}
	arena_free(mem);
}

static void
end_task(struct client *c, const struct message_end *m)
{
	enum state_action action;

	c->room->eos_s = m->force ? 0 : m->eos_s;
	if (step_to(c, m->force ? EVENT_END_FORCE : EVENT_END, &action))
		act(c->room, action, monotonic_us());
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
			act(c->room, action, monotonic_us());
		return;
	case MESSAGE_FLUSH_TASK:
		if (within_limit(c, LIMIT_FLUSH_TASK))
			flush(c, &m->u.flush);
		return;
	case MESSAGE_TTS_TASK:
		if (within_limit(c, LIMIT_TTS_TASK))
			speak(c, &m->u.tts);
		return;
	case MESSAGE_END_TASK:
		end_task(c, &m->u.end);
		return;
	case MESSAGE_AUDIO:
		hear_audio(c, &m->u.audio);
		return;
	default:
		client_error(c, "PERMISSION_DENIED",
		    "set_language is for those who listen", NULL);
	}
}

static void
from_listener(struct client *c, const struct message *m)
{
	if (m->kind == MESSAGE_GET_TASK)
		get_task(c, false);
	else if (m->kind == MESSAGE_SET_LANGUAGE)
		c->visitor->language =
		    arena_str(c->visitor->errand.letter.mem, m->u.language.code);
	else
		client_error(
		    c, "PERMISSION_DENIED", "This token may only listen", NULL);
}

void
talk_message(struct client *c, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	struct flaws flaws = { .mem = mem };
	struct message m;

	if (!message_read(mem, MESSAGE_S2S, p, n, &m, &flaws)) {
		tell_flaws(c, &flaws);
		if (m.kind == MESSAGE_UNKNOWN &&
		    !limit_take(&c->limits[LIMIT_BAD], LIMIT_BAD, monotonic_us()))
			client_end(c, 1008, "too many bad messages");
	} else if (c == c->room->writer)
		from_writer(c, &m);
	else
		from_listener(c, &m);
	arena_free(mem);
}

/* ---- time ---- */

/* All is said, or the time for it is over. */
static void
turn_end(struct room *r, bool busy, int64_t now)
{
	int64_t grace = r->eos_s > 0 ? r->eos_s * S_US : 0;
	int64_t longest = r->eos_s > 0 ? grace + OVER_US : DRAIN_US;
	bool said = r->now == NULL || (r->now->echoed && !busy);

	if ((said && now >= r->ended_us + grace) || now >= r->ended_us + longest)
		talk_event(r, EVENT_SENT);
}

void
talk_turn(struct room *r, int64_t now)
{
	bool busy = false;

	for (struct shift *s = r->shifts; s != NULL; s = s->next)
		busy |= play_turn(r, s, now);
	if (r->state == STATE_ENDING)
		turn_end(r, busy, now);
	if (r->state == STATE_RUNNING && r->writer != NULL && r->now != NULL)
		hear_turn(r, now);
	if (r->starting_us != 0 && now > r->starting_us + STARTING_US) {
		r->starting_us = 0;
		talk_event(r, EVENT_FAILED);
	}
}
