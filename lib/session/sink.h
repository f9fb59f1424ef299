/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_SINK_H
#define SESSION_SINK_H

#include "session/session.h"

/*
 * Receivers of the output of S2S sessions: connections, a media server, tracks of
 * participants, streams, and stores of texts. Each is a row of gateway.sinks. Sessions
 * call the rows in their order and know none by name. Functions that a row does not
 * have are not called. All run on the event loop, except start() and stop().
 */

/* Audio that is being played out. */
struct sink_audio {
	const struct task *task;
	int target;                         /* index in the task; -1: the original */
	struct opus_packets packets;        /* may be none */
	bool last;                          /* last packet of its segment */
	const struct pipeline_event *event; /* the chunk */
	/* event of its segment; NULL: the original */
	const struct pipeline_event *group;
};

struct sink_ops {
	bool of_channels; /* for channels only, not for sessions of clients */
	bool of_owner;    /* not for guests: it must be done once */
	/* Called before the gateway's threads start. False: the gateway must not run;
	   logged. */
	bool (*start)(struct gateway *);
	/* Called after the event loop has ended. False: the gateway exits with a
	   failure. */
	bool (*stop)(struct gateway *);
	/*
	 * A channel's speakers are in this broadcast of the backend, which has these
	 * languages (const char *). NULL: they are in no broadcast, or this node no
	 * longer serves it.
	 */
	void (*follow)(
	    struct session *, const char *broadcast, const struct list *languages);
	/* A task starts beside the running ones. */
	void (*begin)(struct session *, const struct pipeline_config *);
	/* False: the task that starts must wait until slot_ready() is called. */
	bool (*is_ready)(const struct session *);
	/* A text, partial or final. */
	void (*send_text)(
	    struct session *, const struct task *, const struct pipeline_event *);
	void (*play)(struct session *, const struct sink_audio *);
	/* Discard waiting output of a target; -1: of all targets. */
	void (*flush)(struct session *, const struct task *, int target);
	/* A fault of the running task that organisers see; NULL: the fault is over. */
	void (*report)(struct session *, const char *why);
	/* A subscriber has connected. */
	void (*enter)(struct connection *);
	/* The last connection has left. */
	void (*leave)(struct session *);
	void (*tick)(struct session *, int64_t now_us);
	/* Called once in each turn of the event loop, after all sessions. */
	void (*turn)(struct gateway *, int64_t now_us);
	/* The WebRTC part of current_task, JSON, for a publisher or a subscriber; NULL:
	   none. */
	const char *(*describe)(const struct session *, struct arena *, bool speaks);
	/* The session is freed. */
	void (*forget)(struct session *);
};

/* The row's own data in a session, and in the gateway; NULL at first. */
void **sink_state(const struct session *, const struct sink_ops *);
void **sink_shared(const struct gateway *, const struct sink_ops *);

/* Call the function of each row that the session has. */
bool sinks_start(struct gateway *) MUST_CHECK;
bool sinks_stop(struct gateway *) MUST_CHECK;
void sinks_follow(
    struct session *, const char *broadcast, const struct list *languages);
void sinks_begin(struct session *, const struct pipeline_config *);
bool sinks_are_ready(const struct session *);
void sinks_send_text(
    struct session *, const struct task *, const struct pipeline_event *);
void sinks_play(struct session *, const struct sink_audio *);
void sinks_flush(struct session *, const struct task *, int target);
void sinks_report(struct session *, const char *why);
void sinks_enter(struct connection *);
void sinks_leave(struct session *);
void sinks_tick(struct session *, int64_t now_us);
void sinks_turn(struct gateway *, int64_t now_us);
/* The result of the first row that has this function. */
const char *sinks_describe(const struct session *, struct arena *, bool speaks);
void sinks_forget(struct session *);

/* Call it before the first sink_state() of a session. */
void sinks_open(struct session *);
/* Set the gateway's rows, which end with NULL. */
void sinks_set(struct gateway *, const struct sink_ops *const *);

#endif
