/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The translator: the only other participant that clients see. Its tracks are the
 * targets of the task. Players by WHEP may have the original, too, as a track that
 * participants do not see.
 */
#include "participant/participant_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/lang.h"

#define NAME "translator"
#define ORIGINAL "original"
#define PLAYED_US S_US /* time for the last packets to arrive and be played */
#define LATE_US S_US   /* the original is never later than this */

/* The name of the session's room, as its tokens spell it. */
static const char *
room_name(const struct session *s)
{
	for (const struct connection *c = s->connections; c != NULL; c = c->next)
		if (c->request->signal != NULL)
			return c->request->signal->room;
	return s->id;
}

struct translator *
translator_is(const struct session *s)
{
	return *sink_state(s, &translator_sink);
}

/* ---- its tracks ---- */

static struct translator_track *
new_track(struct session *s, const char *language)
{
	struct translator_track *t = arena_alloc(s->mem, sizeof(*t));

	*t = (struct translator_track){ .language = arena_str(s->mem, language),
		.code = lang_fold(s->mem, language),
		.name = arena_printf(s->mem, "translation_%s", language),
		.media = webrtc_track_new(s->gateway) };
	sid_new(t->sid, "TR_");
	return t;
}

struct translator_track *
translator_find(const struct session *s, const char *language)
{
	struct translator_track *t =
	    translator_is(s) != NULL ? translator_is(s)->tracks : NULL;

	while (t != NULL && strcmp(t->language, language) != 0)
		t = t->next;
	return t;
}

const struct translator_track *
translator_tuned(struct session *s, const char *language)
{
	struct translator *translator = translator_is(s);
	const struct translator_track *t =
	    translator != NULL ? translator->tracks : NULL;

	if (translator != NULL && strcmp(language, ORIGINAL) == 0) {
		if (translator->original == NULL)
			translator->original = new_track(s, ORIGINAL);
		return translator->original;
	}

	while (t != NULL &&
	       (t->ending || (language[0] != '\0' && strcmp(language, t->code) != 0)))
		t = t->next;
	return t;
}

/* Remove the track of a language from the list; NULL: there is none. */
static struct translator_track *
unlink_track(struct translator_track **at, const char *language)
{
	struct translator_track *t;

	while ((t = *at) != NULL && strcmp(t->language, language) != 0)
		at = &t->next;
	if (t != NULL)
		*at = t->next;
	return t;
}

/* A track keeps its sid while the tasks have its language. */
void
translator_change(struct session *s, const struct task *task)
{
	struct translator *translator = translator_is(s);
	struct translator_track *old = translator->tracks;
	struct translator_track **at = &translator->tracks;

	for (size_t i = 0; i < task->n_targets; i++) {
		const char *language = task->targets[i].language.said;
		struct translator_track *t = unlink_track(&old, language);

		if (t == NULL) {
			t = new_track(s, language);
			translator->version++;
		}
		t->ending = false;
		*at = t;
		at = &t->next;
	}
	*at = old;
	for (; old != NULL; old = old->next)
		old->ending = true;
}

/* True if a pipeline may still produce speech in this language. */
static bool
is_spoken(const struct session *s, const char *language)
{
	for (const struct pipeline_slot *slot = s->slots; slot != NULL;
	     slot = slot->next) {
		const struct task *t = pipeline_task(slot->pipeline);

		for (size_t i = 0; !slot->dropped && i < t->n_targets; i++)
			if (strcmp(t->targets[i].language.said, language) == 0)
				return true;
	}
	return false;
}

struct translator_track *
translator_ended(struct session *s, int64_t now)
{
	struct translator_track **at = &translator_is(s)->tracks, *ended = NULL, *t;

	while ((t = *at) != NULL)
		if (!t->ending || now < t->played_us + PLAYED_US ||
		    is_spoken(s, t->language))
			at = &t->next;
		else {
			*at = t->next;
			t->next = ended;
			ended = t;
			translator_is(s)->version++;
		}
	return ended;
}

/* ---- for sessions ---- */

/* Returns the task that runs or starts; NULL: none. */
static const struct task *
latest_task(const struct session *s)
{
	for (const struct pipeline_slot *slot = s->slots; slot != NULL;
	     slot = slot->next)
		if (slot->number == s->asked && slot->pipeline != NULL)
			return pipeline_task(slot->pipeline);
	return session_task(s);
}

struct translator *
translator_of(struct session *s)
{
	struct translator *t = translator_is(s);
	const struct task *task;
	uint32_t random;

	if (t != NULL)
		return t;
	*sink_state(s, &translator_sink) = t = arena_alloc(s->mem, sizeof(*t));
	sid_new(t->sid, "PA_");
	sid_new(t->room_sid, "RM_");
	random_bytes(&random, sizeof(random));
	t->identity = arena_printf(
	    s->mem, "%s%08x", s->gateway->conf->rtc_bot_prefix, (unsigned)random);
	t->room = arena_str(s->mem, room_name(s));
	t->made_ms = now_us() / 1000;
	if ((task = latest_task(s)) != NULL)
		translator_change(s, task);
	return t;
}

static struct translator_track *
track_of(const struct session *s, const struct sink_audio *a)
{
	if (a->target >= 0)
		return translator_find(s, a->task->targets[a->target].language.said);
	return translator_is(s) != NULL ? translator_is(s)->original : NULL;
}

/* The original comes as fast as it is spoken, or faster after a stall. */
static void
catch_up(struct translator_track *t, int64_t now)
{
	if (t->played_us > now + LATE_US) {
		webrtc_track_flush(t->media);
		t->played_us = 0;
	}
}

static void
play(struct session *s, const struct sink_audio *a)
{
	struct translator_track *t = track_of(s, a);
	int64_t now = monotonic_us();

	if (t == NULL)
		return;
	if (a->target < 0)
		catch_up(t, now);
	webrtc_track_play(t->media, a->packets, a->last);
	if (t->played_us < now)
		t->played_us = now;
	t->played_us += (int64_t)opus_packets_count(a->packets) * RTP_FRAME_MS * 1000;
}

static void
flush(struct session *s, const struct task *task, int target)
{
	const char *language = target >= 0 ? task->targets[target].language.said : NULL;
	struct translator_track *t =
	    translator_is(s) != NULL ? translator_is(s)->tracks : NULL;

	for (; t != NULL; t = t->next)
		if (language == NULL || strcmp(t->language, language) == 0) {
			webrtc_track_flush(t->media);
			t->played_us = 0;
		}
}

static void
forget(struct session *s)
{
	struct translator *translator = translator_is(s);
	struct translator_track *t;

	while (translator != NULL && (t = translator->tracks) != NULL) {
		translator->tracks = t->next;
		webrtc_track_end(t->media);
	}
	if (translator != NULL && translator->original != NULL)
		webrtc_track_end(translator->original->media);
	*sink_state(s, &translator_sink) = NULL;
}

const struct sink_ops translator_sink = {
	.play = play, .flush = flush, .forget = forget
};

/* ---- as clients see it ---- */

struct signal_participant
translator_info(const struct session *s, struct arena *mem)
{
	const struct translator *t = translator_is(s);
	struct signal_participant p = { .sid = t->sid,
		.identity = t->identity,
		.name = NAME,
		.active = true,
		.joined_ms = t->made_ms,
		.version = t->version + 1,
		.can_publish = true,
		.can_publish_data = true,
		.is_publisher = true };
	struct signal_track *tracks =
	    arena_alloc(mem, PARTICIPANT_SECTIONS * sizeof(*tracks));

	for (const struct translator_track *one = t->tracks;
	     one != NULL && p.n_tracks < PARTICIPANT_SECTIONS; one = one->next)
		tracks[p.n_tracks++] = (struct signal_track){ .sid = one->sid,
			.name = one->name,
			.source = SIGNAL_SOURCE_MICROPHONE };
	p.tracks = tracks;
	return p;
}
