/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_EGRESS_OUTPUTS_H
#define CHANNEL_EGRESS_OUTPUTS_H

#include "session/sink.h"
#include "store/channel_outputs.h"
#include "store/channels.h"

/*
 * Outputs of a channel that are streams or recordings: hls_pull, streams pushed to
 * servers, and recordings. Each has a child dragoman-egress while the channel's task
 * runs (egress/egress_wire.h). The child receives translations as they are played out,
 * the original as it arrives, and captions. If it is too slow, messages are lost.
 */
struct egress_output;

/* An output as it is stored. */
struct egress_output_row {
	const char *order, *folder; /* see service/channel_outputs.h */
	/* records: a recording; full: the account has used up its storage */
	bool records, full;
	struct channel_output is;
};

/* Read the outputs of a channel, struct egress_output_row. Runs on the database thread.
 */
enum err egress_outputs_read(const struct conf *, struct db *, struct arena *,
    const struct channel *, struct list *) MUST_CHECK;

/* ---- on the event loop ---- */

/* Update the outputs to this list; unchanged ones continue. */
void egress_outputs_follow(struct session *, const struct list *);
/*
 * Send the original of an incoming stream and its picture to the outputs. time_us: when
 * the sound begins; it may jump forward by an hour or more. base_us: added to the
 * picture's times, so that they match the sound's.
 */
void egress_outputs_original(struct session *, int64_t time_us, struct opus_packets);
void egress_outputs_picture(
    struct session *, int64_t base_us, const char *message, size_t n);
void egress_outputs_free(struct session *);
extern const struct sink_ops egress_sink;

#endif
