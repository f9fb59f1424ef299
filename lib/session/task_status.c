/* SPDX-License-Identifier: GPL-3.0-or-later */
/* task_status: the answers to commands of the publisher. */
#include <string.h>

#include "protocol/output.h"
#include "session/session.h"

void
task_status_send(
    struct session *s, const char *command, const char *event, const char *id)
{
	const char *status = s->state == STATE_HELD ? "paused" : state_status(s->state);
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (s->publisher != NULL &&
	    output_task_status(
		&b, &(struct output_status){ command, event, status, id }))
		connection_send_buf(s->publisher, &b);
	arena_free(mem);
}

static const char *
tree_text(struct arena *mem, const struct task *t)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	task_write(&j, t, false);
	jw_close(&j);
	return buf_text(&b);
}

/* True when the client sent the tree of the running task again. */
static bool
is_same(struct arena *mem, const struct session *s, const struct task *t)
{
	return s->now != NULL &&
	       strcmp(tree_text(mem, t),
		   tree_text(mem, pipeline_task(s->now->pipeline))) == 0;
}

void
task_status_expect(struct session *s, enum state_action action, struct arena *mem,
    const struct task *t)
{
	s->status_due = NULL;
	if (action == ACT_START || action == ACT_RESTART)
		s->status_due = "started";
	else if (action == ACT_REPLACE)
		s->status_due = is_same(mem, s, t) ? "unchanged" : "updated";
}

void
task_status_ready(struct session *s)
{
	if (s->status_due != NULL && s->state == STATE_RUNNING)
		task_status_send(s, "set_task", s->status_due, NULL);
	s->status_due = NULL;
}
