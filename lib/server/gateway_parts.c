/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outputs that sessions of this gateway have; each is a row. */
#include "server/gateway_parts.h"

#include "bridge/rtp_bridge.h"
#include "channel/audio_stream.h"
#include "channel/caption_outputs.h"
#include "channel/channel_session.h"
#include "channel/egress_outputs.h"
#include "channel/relay.h"
#include "channel/text_backlog.h"
#include "channel/transcript.h"
#include "participant/participant.h"
#include "participant/whip.h"

static const struct sink_ops *const sinks[] = {
	&fanout_sink,
	&relay_sink,
	&text_backlog_sink,
	&transcript_sink,
	&caption_sink,
	&bridge_sink,
	&translator_sink,
	&participants_sink,
	&whip_sink,
	&audio_stream_sink,
	&egress_sink,
	&channel_row_sink,
	NULL,
};

void
gateway_parts(struct gateway *g)
{
	sinks_set(g, sinks);
	g->channels = &channel_owner;
}
