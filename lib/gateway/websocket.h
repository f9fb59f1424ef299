/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_WEBSOCKET_H
#define GATEWAY_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gateway/shared_buffer.h"

/*
 * WebSockets (RFC 6455) whose HTTP head was already read and admitted.  Everything here
 * runs on the thread of event_loop_run(), except event_loop_wake() and
 * event_loop_stop().
 */
struct event_loop;
struct websocket; /* one connection */

/* Largest client message, its fragments joined; a larger one closes with 1009. */
#define WEBSOCKET_MESSAGE_BYTES (1 << 20)
/* bytes that a subscriber's connection reads at once */
#define WEBSOCKET_READER_BYTES (4 << 10)

/* The name of a connection in the log and in metrics. */
struct websocket_name {
	const char *kind;    /* s2s, stt, tts, webrtc, http; NULL: not logged */
	bool channel;        /* true for a channel, false for a session */
	const char *stream;  /* id of the channel or session */
	const char *address; /* address of the client, as limits count it */
};

/* Callbacks.  conn: result of opened(); request: argument of event_loop_adopt(). */
struct websocket_owner {
	/* The upgrade is done.  Returns conn; NULL: close at once. */
	void *(*opened)(void *arg, struct websocket *, void *request);
	/* One whole message; valid until the callback returns. */
	void (*message)(void *conn, const char *, size_t n, bool binary);
	/* The connection closed; the websocket is invalid afterwards. */
	void (*closed)(void *conn);
	/* The connection ended before opened(). */
	void (*lost)(void *arg, void *request);
	/*
	 * Soon after event_loop_wake(), and at the latest after the time that it
	 * returns, in us (INT64_MAX: no such time).  If that is more than a second,
	 * also soon after an event of a socket.  Of event_loop_open() only.
	 */
	int64_t (*turn)(void *arg);
	/*
	 * The server closes a connection that has a name, with this code; 1006: it ends
	 * without one.  reason: one of a few.  Of event_loop_open() only, or NULL.
	 */
	void (*ended)(
	    void *arg, const struct websocket_name *, int code, const char *reason);
};

/* NULL: libwebsockets failed to start. */
struct event_loop *event_loop_open(
    struct arena *, const struct websocket_owner *, void *arg);
/* Runs until event_loop_stop(). */
void event_loop_run(struct event_loop *);
void event_loop_wake(struct event_loop *); /* call from any thread */
void event_loop_stop(struct event_loop *); /* call from any thread */

/* websocket_end() for each open connection. */
void event_loop_end(struct event_loop *, int code, const char *reason);
/* True if no connection is open or being opened. */
bool event_loop_idle(const struct event_loop *);

/*
 * Take over the connection fd and upgrade it. head: the HTTP head already read from fd.
 * owner NULL: the owner given to event_loop_open().
 */
void event_loop_adopt(struct event_loop *, const struct websocket_owner *owner, int fd,
    const char *head, size_t n, void *request);

/* Set the name, which is copied. */
void websocket_name(struct websocket *, const struct websocket_name *);
/* Set the largest message from now on; default WEBSOCKET_MESSAGE_BYTES. */
void websocket_limit(struct websocket *, size_t bytes);
/* Queue a message.  group: not 0 for messages that websocket_skip() drops together. */
void websocket_send(struct websocket *, struct shared_buffer *, int64_t group);
/*
 * Drop queued messages older than before_us (monotonic), each with its whole group.
 * Kept: messages without a group, and a group that is already partly sent.
 */
void websocket_skip(struct websocket *, int64_t before_us);
/* Close after the queued messages.  Nothing is sent or received after this call. */
void websocket_end(struct websocket *, int code, const char *reason);
/* As websocket_end(), but the client does not get the reason. */
void websocket_end_for(struct websocket *, int code, const char *reason);
/* Bytes queued.  *since_us: monotonic time of the last progress. */
size_t websocket_unsent(const struct websocket *, int64_t *since_us);

#endif
