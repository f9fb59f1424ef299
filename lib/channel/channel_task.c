/*
 * The task of a channel: the pipeline of its row, and the input of its publisher.
 */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "channel/channel_internal.h"

#define MEDIA_INPUT "{\"input_stream\":{\"source\":{\"type\":\"webrtc\"}}}"

size_t
channel_task_left_out(const struct channel_session *channel)
{
	return channel->left_out;
}

bool
channel_task_is_media(const struct session *s)
{
	return s->bridge != NULL || s->ingress != NULL ||
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
	with.webrtc |= media; /* audio that is there needs no WebRTC of ours */
	if (!task_read_channel(mem, tree, pipeline, &with, t, f))
		return false;
	channel->left_out = t->left_out.n;
	channel_row_set_why(channel, task_left_out(mem, t));
	return true;
}

void
channel_task_keep(struct session *s, const struct json *tree)
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
