#ifndef GATEWAY_ONAIR_H
#define GATEWAY_ONAIR_H

#include "gateway/gate.h"
#include "store/channels.h"
#include "stream/task.h"

/*
 * A channel on the air.  Its task is what its row says, begins with the first sound
 * and ends a minute after the last, whoever comes and goes meanwhile; it is metered
 * while sound comes.
 */
struct onair;
struct client;
struct room;

/* ---- of the desk ---- */

/*
 * JSON, a pipeline as in a task: the channel's languages, over its
 * translation_pipeline.
 */
const char *onair_pipeline(struct arena *, const struct channel *);
/*
 * Channels are not active any more: those of nodes that are dead; those of this node,
 * too, if its gateway begins.
 */
enum err onair_reset(
    struct db *, struct arena *, const char *node, bool begins) MUST_CHECK;

/* ---- of the sockets' thread, for rooms of channels ---- */

/* NULL: it is a session's. */
struct onair *onair_open(struct room *, const struct visitor *);
void onair_close(struct room *);
/*
 * The task: of a set_task's tree only input_stream counts; NULL: what was set last, or
 * 24 kHz mono; where its sound is at a media server, that.
 */
bool onair_read(struct room *, struct arena *, const struct json *tree,
    const struct task_engines *, struct task *, struct flaws *) MUST_CHECK;
/* How many of its languages the task that was read last leaves out. */
size_t onair_left_out(const struct onair *);
/* Its pipeline is this now. */
void onair_follow(struct room *, const char *pipeline);
/* A tree that was taken. */
void onair_keep(struct room *, const struct json *tree);
/* Sound comes; it may begin the task. */
void onair_heard(struct room *, int64_t now_us);
/* The task runs: from now on it is metered, if sound comes. */
void onair_runs(struct room *, int64_t now_us);
void onair_turn(struct room *, int64_t now_us);
/*
 * It is over for now; why: a sentence, it failed, or what it was to be now is no task
 * and it goes on as it was.
 */
void onair_stopped(struct room *, const char *why);
/* Somebody else speaks: as he says, or as is usual. */
void onair_replaced(struct room *);
/* A listener has come, and is told whether the channel is live. */
void onair_entered(struct client *);
/* A listener's new language is one that he has joined with. */
void onair_joined(struct client *);
/* NULL, or what its use is counted of. */
const char *onair_event(const struct onair *);

#endif
