/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Notices to a channel's connections: its state, and the end of their tokens.
 */
#include "channel/channel_internal.h"
#include "protocol/output.h"

void
channel_notices_state(struct connection *c)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (output_channel_state(&b, c->session->channel->told_state))
		connection_send_buf(c, &b);
	arena_free(mem);
}

void
channel_notices_states(struct session *s)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (!c->request->writes)
			channel_notices_state(c);
}

/* Returns why the token of a connection is void, or NULL. */
static const char *
why_void(const struct connection_request *v, int64_t code, int64_t speaker)
{
	if (v->writes)
		return v->speaker_version != speaker
			   ? "A newer token to speak was issued"
			   : NULL;
	return v->listener != NULL && v->code_version != code
		   ? "The event has another access code"
		   : NULL;
}

void
channel_notices_expire(struct session *s, int64_t code, int64_t speaker)
{
	const char *why;

	s->channel->code_version = code;
	s->channel->speaker_version = speaker;
	for (struct connection *c = s->connections; c != NULL; c = c->next) {
		if ((why = why_void(c->request, code, speaker)) == NULL)
			continue;
		connection_error(c, "SESSION_CLOSED", why, NULL);
		connection_end(c, CLOSE_SESSION_CLOSED);
	}
}
