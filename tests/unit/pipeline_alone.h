/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_PIPELINE_ALONE_H
#define TESTS_UNIT_PIPELINE_ALONE_H

/* A pipeline without a session: the test receives its events. */
#include "protocol/validation_error.h"
#include "tests/unit/gateway_fixture.h"

static inline void
take_events(void)
{
	struct actor_message *next;

	for (struct actor_message *m = mailbox_drain(gateway.to_event_loop); m != NULL;
	     m = next) {
		struct thread_call *call = (struct thread_call *)m;

		next = m->next;
		call->run(&gateway, call);
	}
	usleep(1000);
}

static inline bool
any_language(void *arg, const char *lang)
{
	(void)arg, (void)lang;
	return true;
}

static inline bool
any_pair(void *arg, const char *from, const char *to)
{
	(void)arg, (void)from, (void)to;
	return true;
}

/* Opens the pipeline of a task in JSON; speech: wanted for all its targets. */
static inline struct pipeline *
pipeline_alone(
    const char *text, bool speech, void take(struct gateway *, struct thread_call *))
{
	struct arena *its = arena_new();
	struct pipeline_config *w = arena_alloc(its, sizeof(*w));
	struct validation_errors errors = { .mem = its };
	const struct task_engines any = {
		.knows = any_language, .pairs = any_pair, .webrtc = true
	};
	const char *why;

	ck_assert(task_read(
	    its, json_read(its, text, strlen(text), &why), &any, &w->task, &errors));
	w->mem = its;
	w->registry = registry_hold(gateway.engines);
	for (size_t i = 0; i < w->task.n_targets; i++)
		w->task.targets[i].speech = speech;
	return pipeline_start(&(struct pipeline_host){ gateway.conf, gateway.pool,
				  gateway.to_event_loop, take },
	    NULL, w);
}

#endif
