/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_TRANSCRIPT_CORRECTION_H
#define CHANNEL_TRANSCRIPT_CORRECTION_H

#include "session/session.h"
#include "store/transcripts.h"

/*
 * Lines of a channel's transcript that were corrected: the node that serves the channel
 * reads them with its row, and sends them to those that were sent the text before.
 */
#define TRANSCRIPT_CORRECTIONS_MOST                                                    \
	50 /* at a time; the others come with the next read */

struct transcript_corrections {
	int64_t since;     /* number of the last one known; -1: that is not known */
	int64_t last;      /* result: of the last one read */
	struct list lines; /* result: struct transcript_line, those behind `since` */
};

/* On the database thread.  The first read of all tells only how far they are. */
enum err transcript_correction_read(struct db *, struct arena *, const char *channel,
    struct transcript_corrections *) MUST_CHECK;
/* On the event loop.  Nothing is sent while no task runs. */
void transcript_correction_send(
    struct session *, const struct transcript_corrections *);

#endif
