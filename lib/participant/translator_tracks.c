/*
 * The translator: the one participant that clients see besides themselves.  Its tracks
 * are the targets of the task.
 */
#include "participant/participant_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/lang.h"

#define NAME "translator"
#define PLAYED_US                                                                      \
	S_US /* for the last packets to reach clients, and be played there             \
	      */

/* The session's name for its participants, as its tokens spell it. */
static const char *
room_name(const struct session *s)
{
	for (const struct connection *c = s->connections; c != NULL; c = c->next)
		if (c->request->signal != NULL)
			return c->request->signal->room;
	return s->id;
}

/* ---- its tracks ---- */

static struct translator_track *
new_track(struct session *s, const char *language)
{
	struct translator_track *t = arena_alloc(s->mem, sizeof(*t));

	*t = (struct translator_track){ .language = arena_str(s->mem, language),
		.code = lang_fold(s->mem, language),
		.name = arena_printf(s->mem, "translation_%s", language),
		.media = media_track_new(s->gateway) };
	sid_new(t->sid, "TR_");
	return t;
}

struct translator_track *
translator_find(const struct session *s, const char *language)
{
	struct translator_track *t =
	    s->translator != NULL ? s->translator->tracks : NULL;

	while (t != NULL && strcmp(t->language, language) != 0)
		t = t->next;
	return t;
}

/* Take a track out of the list; NULL: there is none. */
static struct translator_track *
take_out(struct translator_track **at, const char *language)
{
	struct translator_track *t;

	while ((t = *at) != NULL && strcmp(t->language, language) != 0)
		at = &t->next;
	if (t != NULL)
		*at = t->next;
	return t;
}

/* A track keeps its sid as long as its language stays. */
void
translator_change(struct session *s, const struct task *task)
{
	struct translator *translator = s->translator;
	struct translator_track *old = translator->tracks;
	struct translator_track **at = &translator->tracks;

	for (size_t i = 0; i < task->n_targets; i++) {
		const char *language = task->targets[i].language.said;
		struct translator_track *t = take_out(&old, language);

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

/* Whether a pipeline may still have speech of this language. */
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
	struct translator_track **at = &s->translator->tracks, *ended = NULL, *t;

	while ((t = *at) != NULL)
		if (!t->ending || now < t->played_us + PLAYED_US ||
		    is_spoken(s, t->language))
			at = &t->next;
		else {
			*at = t->next;
			t->next = ended;
			ended = t;
			s->translator->version++;
		}
	return ended;
}

/* ---- for sessions ---- */

/* The task that runs or is starting; NULL: none. */
static const struct task *
latest_task(const struct session *s)
{
	for (const struct pipeline_slot *slot = s->slots; slot != NULL;
	     slot = slot->next)
		if (slot->number == s->asked && slot->pipeline != NULL)
			return pipeline_task(slot->pipeline);
	return s->now != NULL ? pipeline_task(s->now->pipeline) : NULL;
}

struct translator *
translator_of(struct session *s)
{
	struct translator *t = s->translator;
	const struct task *task;
	uint32_t random;

	if (t != NULL)
		return t;
	s->translator = t = arena_alloc(s->mem, sizeof(*t));
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

void
participants_play(
    struct session *s, const char *language, struct opus_packets packets, bool last)
{
	struct translator_track *t = translator_find(s, language);
	int64_t now = monotonic_us();

	if (t == NULL)
		return;
	media_track_play(t->media, packets, last);
	if (t->played_us < now)
		t->played_us = now;
	t->played_us += (int64_t)opus_packets_count(packets) * RTP_FRAME_MS * 1000;
}

void
participants_flush(struct session *s, const char *language)
{
	struct translator_track *t =
	    s->translator != NULL ? s->translator->tracks : NULL;

	for (; t != NULL; t = t->next)
		if (language == NULL || strcmp(t->language, language) == 0) {
			media_track_flush(t->media);
			t->played_us = 0;
		}
}

void
participants_forget(struct session *s)
{
	struct translator_track *t;

	while (s->translator != NULL && (t = s->translator->tracks) != NULL) {
		s->translator->tracks = t->next;
		media_track_end(t->media);
	}
	s->translator = NULL;
}

/* ---- as clients see it ---- */

struct signal_participant
translator_info(const struct session *s, struct arena *mem)
{
	const struct translator *t = s->translator;
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
