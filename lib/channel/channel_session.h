/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CHANNEL_SESSION_H
#define CHANNEL_CHANNEL_SESSION_H

#include "gateway/gateway.h"
#include "protocol/task.h"
#include "store/channels.h"

/*
 * The session of a channel. Its row defines the task. The task starts with the first
 * audio and ends a minute after the last, even if connections close. It is metered
 * while audio comes.
 */
struct channel_session;
struct connection;
struct session;
struct sink_ops;

/* ---- on the database thread ---- */

/*
 * Returns the pipeline of a channel's task as JSON, in the arena. The channel's
 * languages replace those of its translation_pipeline.
 */
const char *channel_pipeline(struct arena *, const struct channel *);
/*
 * Set the runtime of the channels of dead nodes, and with `begins` of this node, to
 * "stopped".
 */
enum err channel_row_reset(
    struct db *, struct arena *, const struct conf *, bool begins) MUST_CHECK;

/* ---- on the event loop, for sessions of channels ---- */

/* The owner of its task. */
extern const struct task_owner channel_owner;
/* The sink that writes problems of the running task to the channel's row, as its error.
 */
extern const struct sink_ops channel_row_sink;
/*
 * Use the row's current pipeline and moderation. The task restarts if its pipeline or
 * its blocked words have changed, and ends if the channel is stopped.
 */
void channel_session_follow(
    struct session *, const char *pipeline, const struct moderation *);
/* Stop the channel, or resume it, as a row of this version says. */
void channel_session_stop(struct session *, bool stopped, int64_t version);
/* Returns the moderation of a row, for connection_request and the event loop. */
struct moderation channel_moderation(struct arena *, const struct channel *);
/*
 * Report that the row has this version. It is read, unless this version was read
 * already.
 */
void channel_session_changed(struct session *, int64_t version);
/* Report that audio has arrived, which may start the task. */
void channel_session_audio_came(struct session *, int64_t now_us);
void channel_session_tick(struct session *, int64_t now_us);

#endif
