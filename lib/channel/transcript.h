/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_TRANSCRIPT_H
#define CHANNEL_TRANSCRIPT_H

#include "session/sink.h"

/*
 * Sends final texts of channels to the database, which stores them for channels that
 * have a transcript. They are written in batches, one at a time, a second after the
 * first text of a batch. If a write fails, the batch stays in memory and is tried
 * again; texts beyond TRANSCRIPT_BYTES are lost. Nothing here waits for the database.
 */
/* bytes of the next batch; another batch of this size may be in progress */
#define TRANSCRIPT_BYTES (8 << 20)

/* Store the text of an event if it is final. */
void transcript_queue(
    struct session *, const struct task *, const struct pipeline_event *);
extern const struct sink_ops transcript_sink;
/* Send the batch now, because the gateway ends. */
void transcript_flush(struct gateway *);

#endif
