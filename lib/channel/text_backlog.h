/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_TEXT_BACKLOG_H
#define CHANNEL_TEXT_BACKLOG_H

#include "session/sink.h"
#include "store/transcripts.h"

/*
 * The last final texts of a session, stored in memory while the session exists. A
 * subscriber that lost its connection can request those that it missed.
 */
#define TEXT_BACKLOG_MOST 50 /* texts of each language */

/* Store a final text; other texts are ignored. */
void text_backlog_add(
    struct session *, const struct task *, const struct pipeline_event *);
/* Replace a stored text by the corrected message of its line. */
void text_backlog_correct(
    struct session *, const struct transcript_line *, const struct buf *message);

extern const struct sink_ops text_backlog_sink;

#endif
