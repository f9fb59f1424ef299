/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_TEXT_BACKLOG_H
#define CHANNEL_TEXT_BACKLOG_H

#include "session/sink.h"
#include "store/transcripts.h"

/*
 * The last final texts of a session, in memory as long as the session is: a subscriber
 * whose connection was lost asks for those that it missed.
 */
#define TEXT_BACKLOG_MOST 50 /* texts of each language */

/* Keep a final text; others are ignored. */
void text_backlog_add(
    struct session *, const struct task *, const struct pipeline_event *);
/* Put the corrected message of a line in the place of its text, if that is kept. */
void text_backlog_correct(
    struct session *, const struct transcript_line *, const struct buf *message);

extern const struct sink_ops text_backlog_sink;

#endif
