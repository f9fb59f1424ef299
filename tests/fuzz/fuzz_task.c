/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Task objects of sessions, and of channels (in "pipeline"). The session has WebRTC if
 * the input has odd length. An accepted task can be written, and the result is accepted
 * and written the same; a refusal has a reason.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/message.h"
#include "protocol/output.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static bool
knows(void *arg, const char *code)
{
	(void)arg;
	return code[0] != 'j';
}

static bool
pairs(void *arg, const char *from, const char *to)
{
	(void)arg;
	return from[0] != 'd' && to[0] != 'f';
}

static struct task_engines engines = { NULL, knows, pairs, true };

/* Writes the data of a current_task, without members that clients do not set. */
static const char *
tell(struct arena *mem, const struct task *t)
{
	struct buf out = { .mem = mem };
	const char *why;

	if (!output_current_task(&out, t, "running", false, "{}", NULL) ||
	    json_read(mem, out.p, out.len, &why) == NULL)
		abort();
	return buf_text(&out);
}

static void
take_again(struct arena *mem, const char *told)
{
	const char *why;
	const struct json *v = json_read(mem, told, strlen(told), &why);
	struct validation_errors f;
	struct task t;

	if (!task_read(mem, json_get(v, "data"), &engines, &t, &f) ||
	    strcmp(tell(mem, &t), told) != 0)
		abort();
}

static void
refuse(struct arena *mem, const struct validation_errors *f)
{
	struct buf out = { .mem = mem };
	const char *why;

	if (f->n == 0 || f->n > VALIDATION_ERRORS_MAX ||
	    !output_validation_errors(&out, f) ||
	    json_read(mem, out.p, out.len, &why) == NULL)
		abort();
}

/* Each target is found by its own code, spelled in any way. */
static void
use(struct arena *mem, const struct task *t)
{
	struct buf out = { .mem = mem };
	const char *why;

	if (t->n_targets > TASK_TARGETS ||
	    !output_languages(&out, t, "running", NULL) ||
	    json_read(mem, out.p, out.len, &why) == NULL)
		abort();
	for (size_t i = 0; i < t->n_targets; i++) {
		if (task_target(mem, t, t->targets[i].language.said) != &t->targets[i])
			abort();
		task_translates(t, &t->targets[i], t->language.code);
	}
}

static void
read_channel(struct arena *mem, const struct json *v)
{
	const struct json *pipeline = json_get(v, "pipeline");
	struct validation_errors f;
	struct task t;

	if (pipeline == NULL || pipeline->type != JSON_OBJ || v->type != JSON_OBJ)
		return;
	if (task_read_channel(mem, v, pipeline, &engines, &t, &f))
		use(mem, &t);
	else
		refuse(mem, &f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *why;
	const struct json *v = json_read_last(mem, (const char *)data, size, 15, &why);
	struct validation_errors f;
	struct task t;

	engines.webrtc = size % 2 == 1;
	if (v != NULL && task_read(mem, v, &engines, &t, &f)) {
		use(mem, &t);
		take_again(mem, tell(mem, &t));
	} else if (v != NULL)
		refuse(mem, &f);
	read_channel(mem, v);
	arena_free(mem);
	return 0;
}
