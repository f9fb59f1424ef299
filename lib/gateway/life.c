/*
 * The life of a task, by the table of stream/state.h: which run hears, and how all of
 * them end.
 */
#include "base/clock.h"
#include "gateway/room.h"
#include "stream/say.h"

#define STARTING_US (25 * S_US) /* then the engines are not there */
#define DRAIN_US S_US           /* after end_task without a timeout */
#define STOP_US (5 * S_US)      /* and when the gateway stops */
#define OVER_US (30 * S_US)     /* the longest beyond one */
#define ALONE_US (10 * S_US)    /* that listeners wait for a writer to come back */

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
	room_check_languages(r);
}

void
life_supersede(struct room *r)
{
	r->asked++;
	for (struct shift *s = r->shifts; s != NULL; s = s->next)
		if (s != r->now && !s->left)
			play_drop(s);
}

static void
stop_all(struct room *r)
{
	for (struct shift *s = r->shifts; s != NULL; s = s->next)
		play_drop(s);
	r->now = NULL;
	r->asked++; /* what was asked for comes too late */
	r->starting_us = 0;
	hear_forget(r);
	talk_forget(r);
}

void
life_meter(struct room *r, int64_t now)
{
	if (r->air != NULL)
		onair_runs(r, now);
	else
		book_meter(r, true, now);
}

static void
pause(struct room *r, int64_t now)
{
	book_meter(r, false, now);
	if (r->now == NULL)
		return;
	run_cut(r->now->run);
	play_unpaced(r, true);
}

static void
begin(struct room *r, int64_t now)
{
	r->starting_us = 0;
	change_shift(r);
	if (r->now == NULL)
		return;
	life_meter(r, now);
	pace_start(&r->pace, now);
	hear_kept(r);
	talk_later(r);
}

/* What came before the pause is discarded, but for what is to be spoken. */
static void
begin_paused(struct room *r)
{
	r->starting_us = 0;
	change_shift(r);
	hear_forget(r);
	if (r->now != NULL)
		talk_later(r);
}

/* Only one is on its way at a time. */
static void
ask_drain(struct shift *s)
{
	s->echoed = s->sounded = s->in_phrase = false;
	s->drain_again = s->draining;
	if (!s->draining)
		run_echo(s->run);
	s->draining = true;
}

void
life_drain_done(struct shift *s)
{
	s->draining = false;
	s->echoed = !s->drain_again;
	if (s->drain_again && !s->left)
		ask_drain(s);
}

bool
life_finishing(const struct room *r)
{
	for (const struct shift *s = r->shifts; s != NULL; s = s->next)
		if (s != r->now)
			return true;
	return false;
}

bool
life_drained(struct room *r)
{
	if (r->now->sounded)
		ask_drain(r->now);
	return !r->now->draining;
}

static void
end(struct room *r, int64_t now)
{
	r->ended_us = now;
	life_supersede(r);
	if (r->now == NULL)
		return;
	ask_drain(r->now);
	play_unpaced(r, true);
}

static void
tell_eos(struct client *c)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	client_end_original(c);
	if (say_eos(&b))
		client_tell(c, &b);
	arena_free(mem);
}

static void
end_originals(struct room *r)
{
	for (struct client *c = r->clients; c != NULL; c = c->next)
		client_end_original(c);
}

/* Listeners are told in any case, unless they will go on at another gateway. */
static void
end_session(struct room *r, bool eos)
{
	for (struct client *c = r->clients; c != NULL; c = c->next)
		if (c == r->writer ? eos : !r->gate->stopping)
			tell_eos(c);
	end_originals(r);
	stop_all(r);
	if (r->air != NULL)
		onair_stopped(r, NULL);
	r->ended = true;
	room_end(r, 1000, "");
}

/* As before the first task. */
static void
begin_anew(struct room *r)
{
	r->state = STATE_NONE;
	r->startup = (struct state_startup){ 0 };
	r->eos_s = r->ended_us = r->left_us = 0;
}

/* What the task that hears was told is still said; it hears no more. */
static void
let_go(struct room *r)
{
	struct shift *s = r->now;

	life_supersede(r);
	r->starting_us = 0;
	hear_forget(r);
	talk_forget(r);
	if (s == NULL)
		return;
	run_cut(s->run);
	run_leave(s->run, false);
	s->left = true;
	r->now = NULL;
}

/* The speaker leaves, the listeners wait for the next one. */
static void
end_speech(struct room *r, bool eos, bool drop)
{
	struct client *c = r->writer;

	r->writer = NULL; /* it is on its way out */
	if (c != NULL && eos)
		tell_eos(c);
	if (c != NULL)
		client_end(c, 1000, "");
	if (drop) {
		end_originals(r);
		stop_all(r);
	} else
		let_go(r);
	onair_stopped(r, NULL);
	begin_anew(r);
}

static void
finish(struct room *r, enum state_action action)
{
	bool eos = action == ACT_CLOSE && r->eos_s > 0;

	if (r->air != NULL && !r->gate->stopping)
		end_speech(r, eos, action == ACT_CLOSE_NOW);
	else
		end_session(r, eos);
}

void
life_dismiss(struct room *r)
{
	for (struct client *c = r->clients; c != NULL; c = c->next)
		if (!c->visitor->writes) {
			tell_eos(c);
			client_end(c, 1000, "");
		}
}

void
life_over(struct room *r)
{
	if (r->air == NULL)
		life_dismiss(r);
	end_originals(r);
	talk_event(r, EVENT_GONE);
	begin_anew(r);
}

void
life_act(struct room *r, enum state_action action, int64_t now)
{
	switch (action) {
	case ACT_BEGIN:
		begin(r, now);
		return;
	case ACT_BEGIN_PAUSED:
		begin_paused(r);
		return;
	case ACT_PAUSE:
	case ACT_FLUSH_PAUSE:
		pause(r, now);
		return;
	case ACT_END:
		end(r, now);
		return;
	case ACT_CLOSE:
	case ACT_CLOSE_NOW:
		book_meter(r, false, now);
		finish(r, action);
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

/* A run that begins beside one that works takes over as soon as it can. */
static void
take_step(struct room *r, enum state_event event, const char *desc)
{
	struct state_step step = state_step(r->state, event);
	const char *why = desc != NULL ? desc : step.desc;
	enum state was = r->state;

	r->state = step.next;
	if (step.error != NULL && r->writer != NULL)
		client_error(r->writer, step.error, why, NULL);
	if (step.error != NULL && r->air != NULL)
		onair_stopped(r, why);
	if (event == EVENT_READY && (was == STATE_RUNNING || was == STATE_PAUSED))
		change_shift(r);
	else
		life_act(r, step.action, monotonic_us());
}

void
talk_event(struct room *r, enum state_event event)
{
	take_step(r, event, NULL);
}

void
life_failed(struct room *r, const char *desc)
{
	take_step(r, EVENT_FAILED, desc);
}

void
life_fail(struct room *r, const char *code, const char *desc)
{
	if (r->writer != NULL)
		client_error(r->writer, code, desc, NULL);
	talk_event(r, EVENT_GONE);
}

/* ---- time ---- */

/* When it may close at the earliest: so long after the last word that was heard. */
static int64_t
due_us(const struct room *r)
{
	int64_t from_us = r->ended_us, voiced_us = 0;

	if (r->eos_s == 0)
		return from_us;
	if (r->now != NULL)
		voiced_us = run_voiced_us(r->now->run);
	return (voiced_us > from_us ? voiced_us : from_us) + r->eos_s * S_US;
}

static int64_t
longest_us(const struct room *r)
{
	if (r->eos_s > 0)
		return r->ended_us + r->eos_s * S_US + OVER_US;
	return r->ended_us + (r->gate->stopping ? STOP_US : DRAIN_US);
}

/* All is said, or the time for it is over. */
static void
turn_end(struct room *r, bool busy, int64_t now)
{
	struct shift *s = r->now;

	if (now >= longest_us(r))
		talk_event(r, EVENT_SENT);
	else if (now < due_us(r) || busy || (s != NULL && !s->echoed))
		return;
	else if (s != NULL && s->sounded && r->eos_s > 0) /* after the last echo */
		ask_drain(s);
	else
		talk_event(r, EVENT_SENT);
}

/* One that was replaced may have something left to say. */
static bool
play_all(struct room *r, int64_t now)
{
	bool busy = false;

	for (struct shift *s = r->shifts, *next; s != NULL; s = next) {
		next = s->next;
		busy |= play_turn(r, s, now);
	}
	return busy;
}

void
talk_turn(struct room *r, int64_t now)
{
	bool busy = play_all(r, now);

	play_stats(r, now);
	if (r->air != NULL)
		onair_turn(r, now);
	if (r->now != NULL) {
		run_original(r->now->run, room_wants_original(r));
		hear_behind(r, now);
		hear_pause(r, now);
	}
	if (r->left_us != 0 && now > r->left_us + ALONE_US)
		life_over(r);
	if (r->state == STATE_ENDING)
		turn_end(r, busy, now);
	if (r->state == STATE_RUNNING && r->writer != NULL && r->now != NULL)
		hear_turn(r, busy, now);
	if (r->starting_us != 0 && now > r->starting_us + STARTING_US) {
		r->starting_us = 0;
		talk_event(r, EVENT_FAILED);
	}
}
