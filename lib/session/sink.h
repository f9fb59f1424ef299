/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_SINK_H
#define SESSION_SINK_H

#include "session/session.h"

/*
 * What takes the output of S2S sessions: connections, a media server, tracks of
 * participants, streams, texts for later.  Each is a row of gateway.sinks, and sessions
 * call the rows in their order; they know none by name.  A function that a row does not
 * have is not called.  All run on the event loop, except prepare().
 */

/* Audio that is played out. */
struct sink_audio {
	const struct task *task;
	int target;                         /* index in the task; -1: the original */
	struct opus_packets packets;        /* may be none */
	bool last;                          /* of its segment */
	const struct pipeline_event *event; /* the chunk */
	const struct pipeline_event *group; /* its segment; NULL: the original */
};

struct sink_ops {
	bool of_channels; /* sessions of clients do not have it */
	/* On the database thread: read what it needs for a task that will start. */
	enum err (*prepare)(
	    struct gateway *, const struct session *, struct pipeline_config *);
	/* A task starts, beside those that run. */
	void (*begin)(struct session *, const struct pipeline_config *);
	/* False: the task that starts must wait until slot_ready() is called. */
	bool (*is_ready)(const struct session *);
	/* A text, partial or final. */
	void (*take)(
	    struct session *, const struct task *, const struct pipeline_event *);
	void (*play)(struct session *, const struct sink_audio *);
	/* Discard what waits of a target; -1: of all. */
	void (*flush)(struct session *, const struct task *, int target);
	/* A subscriber has connected. */
	void (*enter)(struct connection *);
	/* The last connection has left. */
	void (*leave)(struct session *);
	void (*tick)(struct session *, int64_t now_us);
	/* Once a turn of the event loop, after all sessions. */
	void (*turn)(struct gateway *, int64_t now_us);
	/* The WebRTC part of current_task, JSON, for a publisher or a subscriber; NULL:
	   none. */
	const char *(*describe)(const struct session *, struct arena *, bool speaks);
	/* The session is freed. */
	void (*forget)(struct session *);
};

/* What a row keeps in a session; NULL at first. */
void **sink_state(const struct session *, const struct sink_ops *);

/* The same functions of all rows that the session has. */
enum err sinks_prepare(
    struct gateway *, const struct session *, struct pipeline_config *) MUST_CHECK;
void sinks_begin(struct session *, const struct pipeline_config *);
bool sinks_are_ready(const struct session *);
void sinks_take(struct session *, const struct task *, const struct pipeline_event *);
void sinks_play(struct session *, const struct sink_audio *);
void sinks_flush(struct session *, const struct task *, int target);
void sinks_enter(struct connection *);
void sinks_leave(struct session *);
void sinks_tick(struct session *, int64_t now_us);
void sinks_turn(struct gateway *, int64_t now_us);
/* Of the first that has one. */
const char *sinks_describe(const struct session *, struct arena *, bool speaks);
void sinks_forget(struct session *);

/* Before the first session uses sink_state(). */
void sinks_open(struct session *);

#endif
