/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts a session's task: by set_task of the publisher, or by the row of a channel.
 */
#include "base/clock.h"
#include "protocol/output.h"
#include "session/session.h"
#include "session/task_engines.h"

/* Set the members that only an accepted task needs. */
static void
complete(struct session *s, struct pipeline_config *w)
{
	w->account = arena_str(w->mem, s->account);
	w->registry = registry_hold(s->gateway->engines);
	for (const struct pipeline_slot *slot = s->slots; slot != NULL;
	     slot = slot->next)
		w->instead |= pipeline_recognizes(slot->pipeline);
	if (s->speaker == NULL)
		s->speaker = speaker_voice_new(s->mem);
	w->speaker = s->speaker;
	w->audio_us = s->in.audio_us;
	w->epoch_us = s->in.epoch_us != 0 ? s->in.epoch_us : now_us();
}

static void
apply_task(struct session *s, struct pipeline_config *w, const struct state_step *step)
{
	int64_t now = monotonic_us();

	s->source = (enum task_source)w->task.source;
	if (s->partner != NULL && s->source == TASK_WS) {
		connection_end(s->partner, CLOSE_REPLACED);
		s->partner = NULL;
	}

	complete(s, w);
	if (s->state == STATE_NONE)
		state_begins(&s->startup, now);
	if (step->next == STATE_STARTING)
		s->starting_us = now;
	s->state = step->next;
	if (step->action == ACT_RESUME) {
		s->owner->runs(s, now);
		input_pacing_start(&s->in.pacing, now);
		playout_unpaced(s, false);
	}
	lifecycle_supersede(s);
	prepare_task(s, w, s->asked);
}

/*
 * Read a task; tree NULL: the task of a channel. False: invalid; the errors are in w's
 * arena.
 */
static bool
read_task(struct session *s, const struct json *tree, struct pipeline_config *w,
    struct validation_errors *f)
{
	struct task_engines engines = task_engines_of(s->gateway->engines);

	engines.webrtc = s->gateway->webrtc;
	*f = (struct validation_errors){ .mem = w->mem };
	return s->owner->read(s, w->mem, tree, &engines, &w->task, f);
}

static struct pipeline_config *
new_config(void)
{
	struct arena *mem = arena_new();
	struct pipeline_config *w = arena_alloc(mem, sizeof(*w));

	*w = (struct pipeline_config){ .mem = mem };
	return w;
}

void
task_start(struct connection *c, const struct json *tree)
{
	struct session *s = c->session;
	struct validation_errors errors;
	struct pipeline_config *w = new_config();
	bool good = read_task(s, tree, w, &errors);
	struct state_step step =
	    state_step(s->state, good ? EVENT_SET : EVENT_SET_WRONG);

	if (step.error == NULL && good) {
		s->owner->accepted(s, tree);
		task_status_expect(s, step.action, w->mem, &w->task);
		apply_task(s, w, &step);
		if (step.action == ACT_RESUME)
			task_status_send(s, "set_task", "resumed", NULL);
		return;
	}
	if (!good && step.desc == NULL)
		connection_refuse(c, &errors, false);
	else
		connection_send_error(c, step.error, step.desc);
	arena_free(w->mem);
}

void
task_start_channel(struct session *s)
{
	struct validation_errors errors;
	struct pipeline_config *w = new_config();
	bool good = read_task(s, NULL, w, &errors);
	struct state_step step = state_step(s->state, EVENT_SET);
	const char *why;

	if (good && step.error == NULL) {
		apply_task(s, w, &step);
		return;
	}
	if (!good) {
		why = task_left_out(w->mem, &w->task);
		s->owner->stopped(
		    s, why != NULL ? why : validation_errors_text(w->mem, &errors));
		if (s->publisher != NULL)
			connection_refuse(s->publisher, &errors, false);
	}
	arena_free(w->mem);
}

void
task_start_reconsider(struct session *s, size_t left_out)
{
	struct validation_errors errors;
	struct pipeline_config *w = new_config();
	bool good = read_task(s, NULL, w, &errors);
	struct state_step step = state_step(s->state, EVENT_SET);

	if (good && step.error == NULL && w->task.left_out.n != left_out)
		apply_task(s, w, &step);
	else
		arena_free(w->mem);
}
