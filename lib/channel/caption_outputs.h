/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CAPTION_OUTPUTS_H
#define CHANNEL_CAPTION_OUTPUTS_H

#include "service/captions.h"
#include "session/sink.h"
#include "store/channel_outputs.h"
#include "store/channels.h"

/*
 * Outputs of protocol captions_push. Each posts the final texts of one language to a
 * server at once, one body at a time (service/caption_post.h). Captions for a slow or
 * unreachable server wait and are posted later, together. A caption is dropped and
 * counted when it is CAPTION_LATE_US old or CAPTION_WAITING_MOST newer ones wait. Tries
 * have their own threads, so that foreign servers do not block the threads of the
 * engines. Outputs whose last try failed use at most half of them.
 */
#define CAPTION_WAITING_MOST 100
#define CAPTION_LATE_US (60 * S_US)
#define CAPTION_THREADS 32
#define CAPTION_UNTRUSTED 16

/* An output as it is stored. */
struct caption_output_row {
	const char *url, *language; /* language: folded code, or "original" */
	struct channel_output is;
};

/* Read the outputs of a channel, struct caption_output_row. Runs on the database
   thread. */
enum err caption_outputs_read(
    struct db *, struct arena *, const struct channel *, struct list *) MUST_CHECK;

/* ---- on the event loop ---- */

/* Update the outputs to this list; unchanged ones continue. */
void caption_outputs_follow(struct session *, const struct list *);
/* Add a text of a pipeline; only final ones are used. */
void caption_outputs_add(
    struct session *, const struct task *, const struct pipeline_event *);
extern const struct sink_ops caption_sink;
/*
 * True if a final text is a caption of that language: it is a translation, or speech in
 * a language that is no target.
 */
bool caption_is_for(
    const char *language, const struct task *, const struct pipeline_event *);
/* Split a final text into captions. */
void caption_split(const struct pipeline_line *,
    void (*take)(void *, const struct caption *), void *arg);
/* Waiting captions are lost. */
void caption_outputs_free(struct session *);

#endif
