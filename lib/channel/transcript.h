/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_TRANSCRIPT_H
#define CHANNEL_TRANSCRIPT_H

#include "session/sink.h"

/*
 * Final texts of channels for the database, which keeps those of channels that have a
 * transcript.  They are written in batches, one at a time, a second after the first
 * text of a batch.  What the database does not take stays in memory and is tried again;
 * texts beyond TRANSCRIPT_BYTES are lost.  Nothing here waits for the database.
 */
#define TRANSCRIPT_BYTES                                                               \
	(8 << 20) /* of the batch to be written; as much may be on its way */

/* Keep the text of an event; others than final ones are ignored. */
void transcript_take(
    struct session *, const struct task *, const struct pipeline_event *);
extern const struct sink_ops transcript_sink;
/* The gateway ends: send it now. */
void transcript_flush(struct gateway *);

#endif
