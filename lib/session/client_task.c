/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The task of a client's session: its publisher sets it. */
#include "session/session.h"

static bool
read(struct session *s, struct arena *mem, const struct json *tree,
    const struct task_engines *engines, struct task *t, struct validation_errors *f)
{
	if (!task_read(mem, tree, engines, t, f))
		return false;
	/* some clients copy the task of a socket */
	if (s->publisher->transport->tracks) {
		t->source = TASK_WEBRTC;
		t->in = TASK_OPUS;
	}
	return true;
}

static enum err
prepare_nothing(struct gateway *g, const struct session *s, struct pipeline_config *w)
{
	(void)g, (void)s, (void)w;
	return OK;
}

static void
meter(struct session *s, int64_t now)
{
	billing_meter(s, true, now);
}

static void
ignore_tree(struct session *s, const struct json *tree)
{
	(void)s, (void)tree;
}

static void
ignore_time(struct session *s, int64_t now)
{
	(void)s, (void)now;
}

static void
ignore_reason(struct session *s, const char *why)
{
	(void)s, (void)why;
}

static void
ignore(struct session *s)
{
	(void)s;
}

static void
ignore_connection(struct connection *c)
{
	(void)c;
}

const struct task_owner client_owner = {
	.close = ignore,
	.read = read,
	.prepare = prepare_nothing,
	.accepted = ignore_tree,
	.audio_came = ignore_time,
	.runs = meter,
	.stopped = ignore_reason,
	.replaced = ignore,
	.entered = ignore_connection,
	.tuned = ignore_connection,
	.tick = ignore_time,
};
