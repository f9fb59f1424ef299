/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The embedded backend: our own real-time gateway. It reads the channels' rows, so it
 * needs no calls. A broadcast exists when its row says so.
 */
#include "broadcast/broadcast.h"

static const char *const inputs[] = { "webrtc_push", "srt_push", "rtmp_push",
	"hls_pull", NULL };
static const char *const outputs[] = { "webrtc_push", NULL };

static enum err
accept_broadcast(const struct conf *c, struct arena *mem, const struct broadcast *b)
{
	(void)c, (void)mem, (void)b;
	return OK;
}

static enum err
forget_broadcast(const struct conf *c, struct arena *mem, const char *name)
{
	(void)c, (void)mem, (void)name;
	return OK;
}

static bool
has_webrtc(const struct conf *c)
{
	return c->rtc_port != 0;
}

static const char *
get_url(const struct conf *c, struct arena *mem)
{
	return arena_printf(mem, "%s/streaming-api/webrtc", c->stream_public_url);
}

const struct broadcast_driver broadcast_gateway = {
	.name = "gateway",
	.inputs = inputs,
	.outputs = outputs,
	.webrtc = has_webrtc,
	.webrtc_url = get_url,
	.create = accept_broadcast,
	.change = accept_broadcast,
	.destroy = forget_broadcast,
};
