/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CAPTION_OUTPUTS_H
#define CHANNEL_CAPTION_OUTPUTS_H

#include "service/captions.h"
#include "session/sink.h"
#include "store/channel_outputs.h"
#include "store/channels.h"

/*
 * Outputs captions_push of a channel: final texts of one language each, posted to a
 * server as soon as they are there, one body at a time (service/caption_post.h).  What
 * waits for a server that is slow or away is posted later, together, until it is
 * CAPTION_LATE_US old or CAPTION_WAITING_MOST newer ones wait; then it is dropped and
 * counted.  Tries have threads of their own: they wait for foreign servers, and must
 * not hold the threads of the engines.  Those whose last try failed get half of these
 * at most.
 */
#define CAPTION_WAITING_MOST 100
#define CAPTION_LATE_US (60 * S_US)
#define CAPTION_THREADS 32
#define CAPTION_UNTRUSTED 16

/* An output as the database has it. */
struct caption_output_row {
	const char *url, *language; /* language: folded code, or "original" */
	struct channel_output is;
};

/* On the database thread: the outputs of a channel, struct caption_output_row. */
enum err caption_outputs_read(
    struct db *, struct arena *, const struct channel *, struct list *) MUST_CHECK;

/* ---- on the event loop ---- */

/* The outputs are these now; those that stay go on. */
void caption_outputs_follow(struct session *, const struct list *);
/* A text of a pipeline; others than final ones are ignored. */
void caption_outputs_take(
    struct session *, const struct task *, const struct pipeline_event *);
extern const struct sink_ops caption_sink;
/*
 * Whether a final text is a caption of that language: translations, and what was said
 * in a language that is not translated into.
 */
bool caption_is_for(
    const char *language, const struct task *, const struct pipeline_event *);
/* A final text as captions. */
void caption_split(const struct pipeline_line *,
    void (*take)(void *, const struct caption *), void *arg);
/* What waits is lost. */
void caption_outputs_free(struct session *);

#endif
