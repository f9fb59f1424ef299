/*
 * What a run says: texts are sent on, sound leaves at the pace at which it is
 * played.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/room.h"

static struct shift *
shift_of(struct room *r, const struct run *run)
{
	struct shift *s = r->shifts;

	while (s->run != run)
		s = s->next;
	return s;
}

void
play_start(struct room *r, struct run_want *w, int number)
{
	struct arena *mem = arena_new();
	struct shift *s = arena_alloc(mem, sizeof(*s));

	*s = (struct shift){ .next = r->shifts, .mem = mem, .number = number };
	r->shifts = s;
	r->owed++;
	r->gate->tasks++;
	s->run = run_start(r->gate, r, w, play_said);
}

/* ---- its end ---- */

static void
free_said(struct said *s)
{
	arena_free(s->errand.letter.mem);
}

/* Chunks that wait, and then the group itself. */
static void
free_group(struct play_group *g)
{
	struct play_chunk *c, *next;

	for (c = g->first; c != NULL; c = next) {
		next = c->next;
		free_said(c->what);
	}
	free_said(g->what);
}

static void
forget(struct room *r, struct shift *s)
{
	struct shift **at = &r->shifts;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	for (int i = 0; i < TASK_TARGETS; i++)
		for (struct play_group *g = s->lanes[i].first, *next; g != NULL;
		     g = next) {
			next = g->next;
			free_group(g);
		}
	r->gate->tasks--;
	run_free(s->run);
	arena_free(s->mem);
	room_paid(r);
}

void
play_drop(struct shift *s)
{
	if (s->dropped)
		return;
	s->dropped = true;
	if (s->left)
		run_flush(s->run, -1);
	else
		run_leave(s->run, true);
	s->left = true;
}

/* ---- what it says ---- */

static void
add_group(struct shift *s, struct said *said)
{
	said->group = (struct play_group){ .what = said };
	playback_open(&s->lanes[said->target], &said->group);
}

/* A group stays until its last chunk has come, told or not. */
static void
add_chunk(struct shift *s, struct said *said)
{
	struct said *group = said->of;

	group->came = said->chunk.last;
	said->chunk.what = said;
	if (!group->told &&
	    playback_add(&s->lanes[said->target], &group->group, &said->chunk))
		return;
	free_said(said);
	if (group->told && group->came)
		free_said(group);
}

static void
end_group(struct said *group)
{
	group->told = true;
	if (group->came)
		free_said(group);
}

static void
take(struct room *r, struct shift *s, struct said *said)
{
	switch (said->kind) {
	case SAID_READY:
		if (s->number == r->asked)
			talk_event(r, EVENT_READY);
		free_said(said);
		return;
	case SAID_FAILED:
		if (s->number == r->asked)
			talk_event(r, EVENT_FAILED);
		free_said(said);
		return;
	case SAID_TEXT:
		if (!s->dropped)
			room_say(
			    r, s, said->target, said->starred, said->text, said->n);
		free_said(said);
		return;
	case SAID_GROUP:
		add_group(s, said);
		return;
	case SAID_CHUNK:
		add_chunk(s, said);
		return;
	case SAID_ECHO:
		s->echoed = true;
		free_said(said);
		return;
	case SAID_GONE:
		free_said(said);
		forget(r, s);
		return;
	}
}

void
play_said(struct gate *g, struct errand *e)
{
	struct said *said = (struct said *)e;

	(void)g;
	take(said->room, shift_of(said->room, said->run), said);
}

/* ---- sound ---- */

static void
leave_lane(struct room *r, struct shift *s, int target, const struct play_out *out)
{
	const struct said *said =
	    out->chunk != NULL ? out->chunk->what : out->group->what;

	if (!s->dropped)
		room_say(r, s, target, -1, said->text, said->n);
	if (out->chunk != NULL)
		free_said(out->chunk->what);
	if (out->last)
		end_group(out->group->what);
}

static void
shed(struct room *r, struct shift *s, int target, int64_t now)
{
	const struct task *t = run_task(s->run);
	bool any = false;

	while (playback_shed(&s->lanes[target], now, t->targets[target].queue.max_ms) !=
	       NULL)
		any = true;
	if (any)
		room_warn(r, "QUEUE_OVERFLOW", "Speech was left out to catch up");
}

bool
play_turn(struct room *r, struct shift *s, int64_t now)
{
	const struct task *t = run_task(s->run);
	int64_t again_us;
	bool left = false;

	for (int i = 0; i < (int)t->n_targets; i++) {
		struct play_out out;

		while (playback_next(&s->lanes[i], now, &out, &again_us))
			leave_lane(r, s, i, &out);
		shed(r, s, i, now);
		run_level(s->run, i, playback_level_ms(&s->lanes[i], now));
		left |= s->lanes[i].first != NULL;
	}
	return left;
}

void
play_flush(struct shift *s, int target)
{
	run_flush(s->run, target);
	for (int i = 0; i < TASK_TARGETS; i++)
		if (target < 0 || i == target)
			playback_flush(&s->lanes[i]);
}

void
play_unpaced(struct shift *s, bool on)
{
	for (int i = 0; i < TASK_TARGETS; i++)
		s->lanes[i].unpaced = on;
}
