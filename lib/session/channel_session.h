#ifndef SESSION_CHANNEL_SESSION_H
#define SESSION_CHANNEL_SESSION_H

#include "protocol/task.h"
#include "server/gateway.h"
#include "store/channels.h"

/*
 * A channel on the air.  Its task is what its row says, begins with the first sound
 * and ends a minute after the last, whoever comes and goes meanwhile; it is metered
 * while sound comes.
 */
struct channel_session;
struct connection;
struct session;

/* ---- of the database thread ---- */

/*
 * JSON, a pipeline as in a task: the channel's languages, over its
 * translation_pipeline.
 */
const char *channel_session_pipeline(struct arena *, const struct channel *);
/*
 * Channels are not active any more: those of nodes that are dead; those of this node,
 * too, if its gateway begins.
 */
enum err channel_session_reset(
    struct db *, struct arena *, const char *node, bool begins) MUST_CHECK;

/* ---- of the event loop, for sessions of channels ---- */

/* NULL: it is a session's. */
struct channel_session *channel_session_open(
    struct session *, const struct connection_request *);
void channel_session_close(struct session *);
/*
 * The task: of a set_task's tree only input_stream counts; NULL: what was set last, or
 * 24 kHz mono; where its sound is at a media server, that.
 */
bool channel_session_read(struct session *, struct arena *, const struct json *tree,
    const struct task_engines *, struct task *, struct validation_errors *) MUST_CHECK;
/* How many of its languages the task that was read last leaves out. */
size_t channel_session_left_out(const struct channel_session *);
/* Its pipeline is this now. */
void channel_session_follow(struct session *, const char *pipeline);
/* A tree that was taken. */
void channel_session_keep(struct session *, const struct json *tree);
/* Sound comes; it may begin the task. */
void channel_session_heard(struct session *, int64_t now_us);
/* The task runs: from now on it is metered, if sound comes. */
void channel_session_runs(struct session *, int64_t now_us);
void channel_session_tick(struct session *, int64_t now_us);
/*
 * It is over for now; why: a sentence, it failed, or what it was to be now is no task
 * and it goes on as it was.
 */
void channel_session_stopped(struct session *, const char *why);
/* Somebody else speaks: as he says, or as is usual. */
void channel_session_replaced(struct session *);
/* A listener has come, and is told whether the channel is live. */
void channel_session_entered(struct connection *);
/* A listener's new language is one that he has joined with. */
void channel_session_joined(struct connection *);
/* NULL, or what its use is counted of. */
const char *channel_session_event(const struct channel_session *);

#endif
