#ifndef SERVER_WEBSOCKET_H
#define SERVER_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * WebSockets (RFC 6455) whose head was read and answered for by somebody else.
 * All of this happens on one thread, the one of event_loop_run(), but for
 * event_loop_wake() and event_loop_stop().
 */
struct event_loop;
struct websocket; /* one connection */

/* That a message of a client may have, its fragments joined; else close 1009. */
#define WEBSOCKET_MESSAGE_BYTES (1 << 20)
#define WEBSOCKET_READER_BYTES (4 << 10) /* of a client that may not write */

/* Text that is sent, to one or many; it dies when the last has got it. */
struct shared_buffer;
struct shared_buffer *shared_buffer_new(const char *, size_t n);
void shared_buffer_drop(
    struct shared_buffer *); /* of who made it, when he has handed it out */

/* What is told of connections; conn is what opened() answered. */
struct websocket_owner {
	/* The upgrade is done.  NULL: it is closed at once. */
	void *(*opened)(void *arg, struct websocket *, void *visitor);
	/* One whole message; it lives until this returns. */
	void (*message)(void *conn, const char *, size_t n, bool binary);
	/* It is gone; the socket is not to be used any more. */
	void (*closed)(void *conn);
	/* It came to nothing before it was opened. */
	void (*lost)(void *arg, void *visitor);
	/* Every 50 ms, and soon after event_loop_wake(). */
	void (*turn)(void *arg);
};

/* NULL: it cannot be made. */
struct event_loop *event_loop_open(
    struct arena *, const struct websocket_owner *, void *arg);
/* Until event_loop_stop(). */
void event_loop_run(struct event_loop *);
void event_loop_wake(struct event_loop *); /* from any thread */
void event_loop_stop(struct event_loop *); /* likewise */

/* websocket_end() for each that is open. */
void event_loop_end(struct event_loop *, int code, const char *reason);
/* Nothing is open, nor being opened. */
bool event_loop_idle(const struct event_loop *);

/* Take a connection over, of which this head was read; it is upgraded. */
void event_loop_adopt(
    struct event_loop *, int fd, const char *head, size_t n, void *visitor);

/* What a message may have from now on; before: WEBSOCKET_MESSAGE_BYTES. */
void websocket_limit(struct websocket *, size_t bytes);
/* Not 0: one of several that belong together, for websocket_skip(). */
void websocket_send(struct websocket *, struct shared_buffer *, int64_t group);
/*
 * What waits since before then (monotonic_us()) is left out, group by group, but for
 * that of which some was sent, and what has no group.
 */
void websocket_skip(struct websocket *, int64_t before_us);
/* After all that was sent before; nothing is sent or told after it. */
void websocket_end(struct websocket *, int code, const char *reason);
/* Bytes that are not sent yet, and since when (monotonic_us()) nothing moves. */
size_t websocket_unsent(const struct websocket *, int64_t *since_us);

#endif
