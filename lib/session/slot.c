/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pipelines of a session: each has a slot, from its start until its last output is
 * sent.
 */
#include "session/sink.h"

static struct pipeline_slot *
slot_of(struct session *s, const struct pipeline *pipeline)
{
	struct pipeline_slot *slot = s->slots;

	while (slot->pipeline != pipeline)
		slot = slot->next;
	return slot;
}

void
slot_ready(struct session *s)
{
	struct pipeline_slot *slot = s->slots;

	while (slot != NULL && slot->number != s->asked)
		slot = slot->next;
	if (slot != NULL && slot->ready && sinks_are_ready(s))
		lifecycle_event(s, EVENT_READY);
}

void
slot_release(struct session *s, struct pipeline_slot *slot,
    struct pipeline_event *event, const char *said)
{
	pipeline_release(event, said);
	playout_receive(s, slot, event);
}

void
slot_report(struct gateway *g, struct thread_call *e)
{
	struct pipeline_event *event = (struct pipeline_event *)e;
	struct session *s = event->session;
	struct pipeline_slot *slot = slot_of(s, event->pipeline);

	(void)g;
	switch (event->kind) {
	case PIPELINE_READY:
		slot->ready = true;
		slot_ready(s);
		break;
	case PIPELINE_FAILED:
		if (slot->number == s->asked)
			lifecycle_failed(s, event->text);
		break;
	case PIPELINE_LANGUAGE:
		sinks_report(s, event->text);
		break;
	case PIPELINE_DRAINED:
		lifecycle_drain_done(slot);
		break;
	case PIPELINE_HELD:
		s->owner->held(s, slot, event);
		return;
	case PIPELINE_GONE:
		slot->gone = true; /* waiting chunks will still be played */
		break;
	default:
		playout_receive(s, slot, event);
		return;
	}
	arena_free(e->message.mem);
}

void
slot_start(struct session *s, struct pipeline_config *w, int number)
{
	struct arena *mem = arena_new();
	struct pipeline_slot *slot = arena_alloc(mem, sizeof(*slot));

	*slot = (struct pipeline_slot){
		.next = s->slots, .mem = mem, .session = s, .number = number
	};
	s->slots = slot;
	sinks_begin(s, w);
	slot->pipeline = session_start_pipeline(s, w, slot_report);
	fanout_demand(s);
	if (s->owner->slot_begins != NULL)
		s->owner->slot_begins(s, slot);
}
