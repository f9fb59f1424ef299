/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_EGRESS_OUTPUTS_H
#define CHANNEL_EGRESS_OUTPUTS_H

#include "session/sink.h"
#include "store/channel_outputs.h"
#include "store/channels.h"

/*
 * Outputs of a channel that are streams: hls_pull, those pushed to servers, recordings.
 * For each a child dragoman-egress while the channel's task runs
 * (egress/egress_wire.h).  It gets translations as they are played out, the original as
 * it comes, and captions; what a slow one does not take is lost.
 */
struct egress_output;

/* An output as the database has it. */
struct egress_output_row {
	const char *order, *folder; /* see service/channel_outputs.h */
	bool records, full;         /* likewise; its account may store nothing more */
	struct channel_output is;
};

/* On the database thread: the outputs of a channel, struct egress_output_row. */
enum err egress_outputs_read(const struct conf *, struct db *, struct arena *,
    const struct channel *, struct list *) MUST_CHECK;

/* ---- on the event loop ---- */

/* The outputs are these now; those that stay go on. */
void egress_outputs_follow(struct session *, const struct list *);
/*
 * The original of a stream that comes in, and the picture beside it.  time_us:
 * of the sound's begin; it may begin anew, an hour or more later.  base_us: to be added
 * to the picture's times to make them those of the sound.
 */
void egress_outputs_original(struct session *, int64_t time_us, struct opus_packets);
void egress_outputs_picture(
    struct session *, int64_t base_us, const char *message, size_t n);
void egress_outputs_free(struct session *);
extern const struct sink_ops egress_sink;

#endif
