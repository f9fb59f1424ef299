/*
 * What a run says: texts are sent on, sound leaves at the pace at which it is
 * played.
 */
#include <string.h>

#include "base/clock.h"
#include "gateway/studio.h"
#include "stream/say.h"

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

	*s = (struct shift){
		.next = r->shifts, .mem = mem, .room = r, .number = number
	};
	r->shifts = s;
	r->owed++;
	r->gate->tasks++;
	studio_take(r, w->media, &w->task);
	s->run = run_start(r->gate, r, w, play_said);
}

/* ---- its end ---- */

static void
free_said(struct said *s)
{
	arena_free(s->errand.letter.mem);
}

/* Those that wait; of a mute group they do so in vain. */
static void
free_chunks(struct play_group *g)
{
	struct play_chunk *c;

	while ((c = g->first) != NULL) {
		g->first = c->next;
		free_said(c->what);
	}
}

static void
free_group(struct play_group *g)
{
	free_chunks(g);
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
	s->dropped = s->left = true;
	run_leave(s->run, true);
}

/* ---- what it says ---- */

/* It was flushed while this was on its way. */
static bool
is_stale(const struct shift *s, const struct said *said)
{
	return s->dropped ||
	       (said->target >= 0 && said->epoch != run_epoch(s->run, said->target));
}

static void
add_group(struct shift *s, struct said *said)
{
	said->group = (struct play_group){ .what = said, .mute = is_stale(s, said) };
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
	free_chunks(&group->group);
	if (group->came)
		free_said(group);
}

void
play_ready(struct room *r)
{
	struct shift *s = r->shifts;

	while (s != NULL && s->number != r->asked)
		s = s->next;
	if (s != NULL && s->ready && studio_ready(r))
		talk_event(r, EVENT_READY);
}

static void
take(struct room *r, struct shift *s, struct said *said)
{
	switch (said->kind) {
	case SAID_READY:
		s->ready = true;
		play_ready(r);
		free_said(said);
		return;
	case SAID_FAILED:
		if (s->number == r->asked)
			life_failed(r, said->text);
		free_said(said);
		return;
	case SAID_TEXT:
		if (!is_stale(s, said))
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
	case SAID_ORIGINAL:
		if (!s->dropped)
			room_say_original(
			    r, said->times.id, said->chunk.last, said->text, said->n);
		free_said(said);
		return;
	case SAID_ECHO:
		life_drain_done(s);
		free_said(said);
		return;
	case SAID_GONE:
		free_said(said);
		s->gone = true; /* what waits is still played, see play_turn() */
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

static const char *
code_of(const struct shift *s, int target)
{
	return run_task(s->run)->targets[target].language.code;
}

/* Who hears both takes them for one. */
static struct playback *
same_lane(struct shift *s, const char *code)
{
	for (int i = 0; i < (int)run_task(s->run)->n_targets; i++)
		if (strcmp(code_of(s, i), code) == 0)
			return &s->lanes[i];
	return NULL;
}

/* A run that was replaced has its say first. */
static bool
must_wait(struct shift *s, int target)
{
	for (struct shift *old = s->next; old != NULL; old = old->next) {
		const struct playback *lane = same_lane(old, code_of(s, target));

		if (lane != NULL && !old->dropped &&
		    (lane->first != NULL || !old->gone))
			return true;
	}
	return false;
}

/* The player of those that come after it is still playing this. */
static void
pass_time(struct room *r, const struct shift *s, int target)
{
	int64_t until_us = s->lanes[target].until_us;

	for (struct shift *newer = r->shifts; newer != s; newer = newer->next) {
		struct playback *lane = same_lane(newer, code_of(s, target));

		if (lane != NULL && lane->until_us < until_us)
			lane->until_us = until_us;
	}
}

static void
tell_times(struct room *r, const struct shift *s, int target, const struct said *group)
{
	const struct said_times *t = &group->times;
	const struct say_timings from_end = {
		.validated_us = t->validated_us - t->voiced_us,
		.translated_us = t->translated_us - t->voiced_us,
		.tts_us = t->spoken_us - t->voiced_us,
		.sent_us = t->sent_us - t->voiced_us,
		.total_us = monotonic_us() - t->voiced_us,
	};
	struct arena *mem;
	struct buf b;

	if (t->id == NULL || !task_says(run_task(s->run), SAY_TIMINGS))
		return;
	mem = arena_new();
	b = (struct buf){ .mem = mem };
	if (say_timings(&b, t->id, &from_end))
		room_say(r, s, target, SAY_TIMINGS, b.p, b.len);
	arena_free(mem);
}

static void
leave_lane(struct room *r, struct shift *s, int target, const struct play_out *out)
{
	struct said *group = out->group->what;
	const struct said *said = out->chunk != NULL ? out->chunk->what : group;

	if (group->times.sent_us == 0)
		group->times.sent_us = monotonic_us();
	if (!s->dropped) {
		room_play(r, s, target, group->times.sent_us, said->text, said->n);
		studio_play(r, run_task(s->run)->targets[target].language.said,
		    out->chunk != NULL ? said->pcm : NULL,
		    out->chunk != NULL ? said->npcm : 0, out->last);
	}
	if (!s->dropped && out->last)
		tell_times(r, s, target, group);
	pass_time(r, s, target);
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

	for (int i = 0; !s->dropped && i < (int)t->n_targets; i++) {
		struct play_out out;

		while (!must_wait(s, i) &&
		       playback_next(&s->lanes[i], now, &out, &again_us))
			leave_lane(r, s, i, &out);
		shed(r, s, i, now);
		run_level(s->run, i, playback_level_ms(&s->lanes[i], now));
		left |= s->lanes[i].first != NULL;
	}
	if (s->gone && !left)
		forget(r, s);
	else if (s->left && !s->dropped)
		left |= !s->gone;
	return left;
}

void
play_flush(struct shift *s, const char *language)
{
	struct arena *mem = arena_new();
	const struct task *t = run_task(s->run);
	const struct task_target *to =
	    language != NULL ? task_target(mem, t, language) : NULL;

	arena_free(mem);
	if (language != NULL && to == NULL)
		return;
	run_flush(s->run, to != NULL ? (int)(to - t->targets) : -1);
	studio_flush(s->room, to != NULL ? to->language.said : NULL);
	for (int i = 0; i < (int)t->n_targets; i++)
		if (to == NULL || to == &t->targets[i])
			playback_flush(&s->lanes[i]);
}

void
play_unpaced(struct room *r, bool on)
{
	for (struct shift *s = r->shifts; s != NULL; s = s->next)
		for (int i = 0; i < TASK_TARGETS; i++)
			s->lanes[i].unpaced = on;
}

/* ---- what is in the queues ---- */

void
play_stats(struct room *r, int64_t now)
{
	struct say_queue q[TASK_TARGETS];
	const struct task *t = r->now != NULL ? run_task(r->now->run) : NULL;
	struct arena *mem;
	struct buf b;
	int64_t any = 0;

	if (t == NULL || now < r->stats_us + S_US || !task_says(t, SAY_BUFFER_STATS))
		return;
	for (size_t i = 0; i < t->n_targets; i++) {
		q[i] = (struct say_queue){ t->targets[i].language.said,
			playback_level_ms(&r->now->lanes[i], now),
			t->targets[i].queue.max_ms };
		any |= q[i].level_ms;
	}
	if (any == 0)
		return;
	r->stats_us = now;
	mem = arena_new();
	b = (struct buf){ .mem = mem };
	if (say_buffer_stats(&b, now_us(), q, t->n_targets))
		room_say(r, r->now, -1, SAY_BUFFER_STATS, b.p, b.len);
	arena_free(mem);
}
