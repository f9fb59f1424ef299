/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_TRANSCRIPT_CORRECTION_H
#define CHANNEL_TRANSCRIPT_CORRECTION_H

#include "session/session.h"
#include "store/transcripts.h"

/*
 * Corrected lines of a channel's transcript. The node that serves the channel reads
 * them with its row and sends them to the connections that received the old text.
 */
/* corrections of one read; the next read gets the others */
#define TRANSCRIPT_CORRECTIONS_MOST 50

struct transcript_corrections {
	int64_t since;     /* number of the last known one; -1: unknown */
	int64_t last;      /* result: number of the last one read */
	struct list lines; /* result: struct transcript_line, after `since` */
};

/* Read the corrections. Runs on the database thread. The first read only finds the
   current number. */
enum err transcript_correction_read(struct db *, struct arena *, const char *channel,
    struct transcript_corrections *) MUST_CHECK;
/* Send the corrections. Runs on the event loop; sends nothing while no task runs. */
void transcript_correction_send(
    struct session *, const struct transcript_corrections *);

/* Send a correction, made by the node that owns the channel, to the connections here.
 */
void transcript_correction_tell(struct session *, int target, int starred,
    const struct transcript_line *, const struct buf *message);

#endif
