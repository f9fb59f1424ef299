/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Outputs of pipelines.  Texts are sent at once; audio is sent at the pace of playback.
 */
#include <string.h>

#include "base/clock.h"
#include "session/sink.h"

/* ---- freeing ---- */

static void
free_event(struct pipeline_event *s)
{
	arena_free(s->call.message.mem);
}

/* Free the chunks of a group that were not sent. */
static void
free_chunks(struct playback_group *g)
{
	struct playback_chunk *c;

	while ((c = g->first) != NULL) {
		g->first = c->next;
		free_event(c->what);
	}
}

static void
free_group(struct playback_group *g)
{
	free_chunks(g);
	free_event(g->what);
}

static void
forget(struct session *s, struct pipeline_slot *slot)
{
	struct pipeline_slot **at = &s->slots;

	while (*at != slot)
		at = &(*at)->next;
	*at = slot->next;
	for (int i = 0; i < TASK_TARGETS; i++)
		for (struct playback_group *g = slot->playbacks[i].first, *next;
		     g != NULL; g = next) {
			next = g->next;
			free_group(g);
		}
	s->gateway->tasks--;
	pipeline_free(slot->pipeline);
	arena_free(slot->mem);
	session_unref(s);
}

void
playout_drop(struct pipeline_slot *slot)
{
	if (slot->dropped)
		return;
	slot->dropped = slot->left = true;
	pipeline_leave(slot->pipeline, true);
	if (slot->session->owner->slot_dropped != NULL)
		slot->session->owner->slot_dropped(slot->session, slot);
}

/* ---- outputs of the pipeline ---- */

/* True if the event was produced before a flush. */
static bool
is_stale(const struct pipeline_slot *slot, const struct pipeline_event *event)
{
	return slot->dropped ||
	       (event->target >= 0 &&
		   event->generation !=
		       pipeline_generation(slot->pipeline, event->target));
}

static void
add_group(struct pipeline_slot *slot, struct pipeline_event *event)
{
	event->group =
	    (struct playback_group){ .what = event, .cut = is_stale(slot, event) };
	playback_open(&slot->playbacks[event->target], &event->group);
}

/* A group is freed when its last chunk has come and its end was sent. */
static void
add_chunk(struct pipeline_slot *slot, struct pipeline_event *event)
{
	struct pipeline_event *group = event->of;

	group->received = event->chunk.last;
	event->chunk.what = event;
	if (!group->ended &&
	    playback_add(&slot->playbacks[event->target], &group->group, &event->chunk))
		return;
	free_event(event);
	if (group->ended && group->received)
		free_event(group);
}

static void
end_group(struct pipeline_event *group)
{
	group->ended = true;
	free_chunks(&group->group);
	if (group->received)
		free_event(group);
}

void
playout_receive(
    struct session *s, struct pipeline_slot *slot, struct pipeline_event *event)
{
	if (event->kind == PIPELINE_GROUP) {
		add_group(slot, event);
		return;
	}
	if (event->kind == PIPELINE_CHUNK) {
		add_chunk(slot, event);
		return;
	}
	if (event->kind == PIPELINE_TEXT && !is_stale(slot, event))
		sinks_send_text(s, pipeline_task(slot->pipeline), event);
	if (event->kind == PIPELINE_PASSTHROUGH && !slot->dropped)
		sinks_play(s, &(const struct sink_audio){ pipeline_task(slot->pipeline),
				  -1, event->opus, event->chunk.last, event, NULL });
	free_event(event);
}

/* ---- audio ---- */

static const char *
code_of(const struct pipeline_slot *slot, int target)
{
	return pipeline_task(slot->pipeline)->targets[target].language.code;
}

/*
 * Returns the playback of the language in another slot, which shares the track; or
 * NULL.
 */
static struct playback *
same_track(struct pipeline_slot *slot, const char *code)
{
	for (int i = 0; i < (int)pipeline_task(slot->pipeline)->n_targets; i++)
		if (strcmp(code_of(slot, i), code) == 0)
			return &slot->playbacks[i];
	return NULL;
}

/* True if an older pipeline still has output for the same track. */
static bool
must_wait(struct pipeline_slot *slot, int target)
{
	for (struct pipeline_slot *old = slot->next; old != NULL; old = old->next) {
		const struct playback *lane = same_track(old, code_of(slot, target));

		if (lane != NULL && !old->dropped &&
		    (lane->first != NULL || !old->gone))
			return true;
	}
	return false;
}

/* Let newer pipelines continue the track after this audio. */
static void
pass_time(struct session *s, const struct pipeline_slot *slot, int target)
{
	int64_t until_us = slot->playbacks[target].until_us;

	for (struct pipeline_slot *newer = s->slots; newer != slot;
	     newer = newer->next) {
		struct playback *lane = same_track(newer, code_of(slot, target));

		if (lane != NULL && lane->until_us < until_us)
			lane->until_us = until_us;
	}
}

static void
leave_track(struct session *s, struct pipeline_slot *slot, int target,
    const struct playback_output *out)
{
	struct pipeline_event *group = out->group->what;
	const struct pipeline_event *event =
	    out->chunk != NULL ? out->chunk->what : group;

	if (group->times.sent_us == 0)
		group->times.sent_us = monotonic_us();
	if (!slot->dropped)
		sinks_play(s, &(const struct sink_audio){ pipeline_task(slot->pipeline),
				  target, event->opus, out->last, event, group });
	pass_time(s, slot, target);
	if (out->chunk != NULL)
		free_event(out->chunk->what);
	if (out->last)
		end_group(out->group->what);
}

static void
shed(struct session *s, struct pipeline_slot *slot, int target, int64_t now)
{
	const struct task *t = pipeline_task(slot->pipeline);
	bool any = false;

	while (playback_shed(&slot->playbacks[target], now,
		   t->targets[target].queue.max_ms) != NULL)
		any = true;
	if (any)
		session_warn(s, "QUEUE_OVERFLOW", "Speech was left out to catch up");
}

bool
playout_tick(struct session *s, struct pipeline_slot *slot, int64_t now)
{
	const struct task *t = pipeline_task(slot->pipeline);
	int64_t again_us;
	bool left = false;

	for (int i = 0; !slot->dropped && i < (int)t->n_targets; i++) {
		struct playback_output out;

		shed(s, slot, i, now);
		while (!must_wait(slot, i) &&
		       playback_next(&slot->playbacks[i], now, &out, &again_us))
			leave_track(s, slot, i, &out);
		pipeline_level(
		    slot->pipeline, i, playback_level_ms(&slot->playbacks[i], now));
		left |= slot->playbacks[i].first != NULL;
	}
	if (slot->gone && !left)
		forget(s, slot);
	else if (slot->left && !slot->dropped)
		left |= !slot->gone;
	return left;
}

void
playout_flush(struct pipeline_slot *slot, const char *language)
{
	struct arena *mem = arena_new();
	const struct task *t = pipeline_task(slot->pipeline);
	const struct task_target *to =
	    language != NULL ? task_target(mem, t, language) : NULL;

	arena_free(mem);
	if (language != NULL && to == NULL)
		return;
	pipeline_flush(slot->pipeline, to != NULL ? (int)(to - t->targets) : -1);
	sinks_flush(slot->session, t, to != NULL ? (int)(to - t->targets) : -1);
	for (int i = 0; i < (int)t->n_targets; i++)
		if (to == NULL || to == &t->targets[i])
			playback_flush(&slot->playbacks[i]);
}

void
playout_unpaced(struct session *s, bool on)
{
	for (struct pipeline_slot *slot = s->slots; slot != NULL; slot = slot->next)
		for (int i = 0; i < TASK_TARGETS; i++)
			slot->playbacks[i].unpaced = on;
}

int64_t
playout_until_us(const struct session *s)
{
	int64_t until_us = 0;

	for (const struct pipeline_slot *slot = s->slots; slot != NULL;
	     slot = slot->next)
		for (int i = 0; i < TASK_TARGETS; i++)
			if (slot->playbacks[i].until_us > until_us)
				until_us = slot->playbacks[i].until_us;
	return until_us;
}

bool
playout_is_empty(const struct session *s)
{
	for (const struct pipeline_slot *slot = s->slots; slot != NULL;
	     slot = slot->next)
		for (int i = 0; i < TASK_TARGETS; i++)
			if (slot->playbacks[i].first != NULL)
				return false;
	return true;
}
