/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts of the publisher for synthesis: tts_task, including those that wait until the
 * task runs.
 */
#include <string.h>

#include "base/clock.h"
#include "session/session.h"

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

	input_pacing_sign(&s->in.pacing, monotonic_us());
	s->now->sounded = true;
	if (translate ||
	    task_target(mem, pipeline_task(s->now->pipeline), language) != NULL)
		task_status_send(s, "tts_task", "queued",
		    pipeline_speak(s->now->pipeline, mem, text, language, translate));
	else if (s->publisher != NULL &&
		 !connection_is_quiet(s->publisher, "VALIDATION_ERROR")) {
		validation_error_add(
		    &errors, &at, VALIDATION_ENUM, "is no target of the task");
		connection_refuse(s->publisher, &errors, false);
	}
	arena_free(mem);
}

void
speech_input_receive(struct session *s, const struct message_tts *m)
{
	speak(s, m->text, m->language.said, m->translate);
}

void
speech_input_later(struct session *s, const struct message_tts *m)
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
speech_input_deferred(struct session *s)
{
	for (struct actor_message *l = s->deferred; l != NULL; l = l->next) {
		const struct deferred_message *it = (const struct deferred_message *)l;

		speak(s, it->text, it->language, it->translate);
	}
	speech_input_forget(s);
}

void
speech_input_forget(struct session *s)
{
	struct actor_message *l;

	while ((l = s->deferred) != NULL) {
		s->deferred = l->next;
		arena_free(l->mem);
	}
}
