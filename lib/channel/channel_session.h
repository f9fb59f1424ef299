#ifndef CHANNEL_CHANNEL_SESSION_H
#define CHANNEL_CHANNEL_SESSION_H

#include "gateway/gateway.h"
#include "protocol/task.h"
#include "store/channels.h"

/*
 * The session of a channel.  Its row defines the task.  The task starts with the first
 * audio and ends a minute after the last, whatever connections come and go.  It is
 * metered while audio comes.
 */
struct channel_session;
struct connection;
struct session;

/* ---- on the database thread ---- */

/*
 * The pipeline of a channel's task as JSON: the channel's languages replace those of
 * its translation_pipeline.  Lives in the arena.
 */
const char *channel_pipeline(struct arena *, const struct channel *);
/*
 * Set the runtime of channels to "stopped": those of dead nodes, and with `begins`
 * those of this node.
 */
enum err channel_row_reset(
    struct db *, struct arena *, const struct conf *, bool begins) MUST_CHECK;

/* ---- on the event loop, for sessions of channels ---- */

/* NULL: the request is not for a channel. */
struct channel_session *channel_session_open(
    struct session *, const struct connection_request *);
void channel_session_close(struct session *);
/*
 * Read the task.  Of a set_task tree only input_stream counts.  NULL: the input set
 * last, or 24 kHz mono.  With a media server the input is always that server.
 * False: the task is invalid; the errors say why.
 */
bool channel_task_read(struct session *, struct arena *, const struct json *tree,
    const struct task_engines *, struct task *, struct validation_errors *) MUST_CHECK;
/* Number of languages without an engine in the task read last. */
size_t channel_task_left_out(const struct channel_session *);
/* Take the row's current pipeline; restarts the task if it has changed. */
void channel_session_follow(struct session *, const char *pipeline);
/* The row has this version: it is read, unless it was read already. */
void channel_session_changed(struct session *, int64_t version);
/* Does the audio come as a track, of a media server or of a participant? */
bool channel_task_is_media(const struct session *);
/* Store the tree of an accepted set_task. */
void channel_task_keep(struct session *, const struct json *tree);
/* Audio has come; may start the task. */
void channel_session_heard(struct session *, int64_t now_us);
/* The task runs: start metering if audio comes. */
void channel_row_runs(struct session *, int64_t now_us);
void channel_session_tick(struct session *, int64_t now_us);
/*
 * The task has stopped.  With `why`, a sentence: the task failed, or a new task is
 * invalid and the old one goes on.
 */
void channel_row_stopped(struct session *, const char *why);
/* The publisher has changed: its audio has the default input until set_task. */
void channel_session_replaced(struct session *);
/* A subscriber has connected: send whether the channel is live. */
void channel_session_entered(struct connection *);

#endif
