/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The task of a channel: the pipeline of its row, and the input of its publisher.
 */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "channel/channel_internal.h"
#include "service/agenda_words.h"
#include "store/channels.h"

#define MEDIA_INPUT "{\"input_stream\":{\"source\":{\"type\":\"webrtc\"}}}"

bool
channel_task_is_media(const struct session *s)
{
	return s->in.sources > 0 ||
	       (s->publisher != NULL && s->publisher->transport->tracks);
}

bool
channel_task_read(struct session *s, struct arena *mem, const struct json *tree,
    const struct task_engines *engines, struct task *t, struct validation_errors *f)
{
	struct channel_session *channel = s->channel;
	bool media = channel_task_is_media(s);
	const char *input = media ? MEDIA_INPUT : channel->input, *why;
	struct task_engines with = *engines;
	const struct json *pipeline =
	    json_read(mem, channel->pipeline, strlen(channel->pipeline), &why);

	if (tree == NULL || media)
		tree = json_read(mem, input, strlen(input), &why);
	/* audio through a media server does not need our own WebRTC */
	with.webrtc |= media;
	if (!task_read_channel(mem, tree, pipeline, &with, t, f))
		return false;
	t->blocked = texts_read(mem, channel->moderation.blocked);
	channel->left_out = t->left_out.n;
	channel_row_set_why(channel, task_left_out(mem, t));
	return true;
}

void
channel_task_store(struct session *s, const struct json *tree)
{
	struct channel_session *channel = s->channel;
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	jw_json(&(struct json_writer){ .out = &b }, NULL, tree);
	arena_free(channel->input_mem);
	channel->input_mem = mem;
	channel->input = buf_text(&b);
	channel->begun_us = monotonic_us();
	channel->anew = false;
}

enum err
channel_task_prepare(
    struct gateway *g, const struct session *s, struct pipeline_config *w)
{
	struct channel_topic t;
	enum err e = channel_topic(g->app.db, w->mem, s->id, &t);

	w->title = t.title;
	agenda_words(w->mem, t.agenda, t.stage, now_us(), &w->speakers, &w->sessions);
	return e == ERR_NOT_FOUND ? OK : e;
}
