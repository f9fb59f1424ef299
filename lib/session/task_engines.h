/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_TASK_ENGINES_H
#define SESSION_TASK_ENGINES_H

#include "protocol/task.h"
#include "speech/registry.h"

static inline bool
task_engines_know(void *registry, const char *lang)
{
	return registry_recognizes(registry, lang);
}

static inline bool
task_engines_pair(void *registry, const char *from, const char *to)
{
	return registry_pairs(registry, from, to);
}

/* Answers from the engines to the questions of task_read(). */
static inline struct task_engines
task_engines_of(struct registry *registry)
{
	return (struct task_engines){
		.arg = registry, .knows = task_engines_know, .pairs = task_engines_pair
	};
}

#endif
