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
/* True if the text is stored. */
bool text_backlog_has(
    const struct session *, const struct task *, const struct pipeline_event *);
/* Store a text that is older than those of this session, and newer than other restored
   ones. */
void text_backlog_restore(
    struct session *, const struct task *, const struct pipeline_event *);
/* Pass the stored texts of the running task's languages, the oldest first. */
void text_backlog_each(const struct session *,
    void (*)(void *arg, const struct pipeline_event *), void *arg);
/* Replace a stored text by the corrected message of its line. */
void text_backlog_correct(
    struct session *, const struct transcript_line *, const struct buf *message);

extern const struct sink_ops text_backlog_sink;

#endif
