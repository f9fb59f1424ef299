#ifndef GATEWAY_SOCKET_H
#define GATEWAY_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * WebSockets (RFC 6455) whose head was read and answered for by somebody else.
 * All of this happens on one thread, the one of sockets_run(), but for
 * sockets_wake() and sockets_stop().
 */
struct sockets;
struct socket; /* one connection */

/* That a message of a client may have, its fragments joined; else close 1009. */
#define SOCKET_MESSAGE_BYTES (1 << 20)
#define SOCKET_READER_BYTES (4 << 10) /* of a client that may not write */

/* Text that is sent, to one or many; it dies when the last has got it. */
struct parcel;
struct parcel *parcel_new(const char *, size_t n);
void parcel_drop(struct parcel *); /* of who made it, when he has handed it out */

/* What is told of connections; conn is what opened() answered. */
struct socket_owner {
	/* The upgrade is done.  NULL: it is closed at once. */
	void *(*opened)(void *arg, struct socket *, void *visitor);
	/* One whole message; it lives until this returns. */
	void (*message)(void *conn, const char *, size_t n, bool binary);
	/* It is gone; the socket is not to be used any more. */
	void (*closed)(void *conn);
	/* It came to nothing before it was opened. */
	void (*lost)(void *arg, void *visitor);
	/* Every 50 ms, and soon after sockets_wake(). */
	void (*turn)(void *arg);
};

/* NULL: it cannot be made. */
struct sockets *sockets_open(struct arena *, const struct socket_owner *, void *arg);
/* Until sockets_stop(). */
void sockets_run(struct sockets *);
void sockets_wake(struct sockets *); /* from any thread */
void sockets_stop(struct sockets *); /* likewise */

/* socket_end() for each that is open. */
void sockets_end(struct sockets *, int code, const char *reason);
/* Nothing is open, nor being opened. */
bool sockets_idle(const struct sockets *);

/* Take a connection over, of which this head was read; it is upgraded. */
void sockets_adopt(struct sockets *, int fd, const char *head, size_t n, void *visitor);

/* What a message may have from now on; before: SOCKET_MESSAGE_BYTES. */
void socket_limit(struct socket *, size_t bytes);
/* Not 0: one of several that belong together, for socket_skip(). */
void socket_send(struct socket *, struct parcel *, int64_t group);
/*
 * What waits since before then (monotonic_us()) is left out, group by group, but for
 * that of which some was sent, and what has no group.
 */
void socket_skip(struct socket *, int64_t before_us);
/* After all that was sent before; nothing is sent or told after it. */
void socket_end(struct socket *, int code, const char *reason);
/* Bytes that are not sent yet, and since when (monotonic_us()) nothing moves. */
size_t socket_unsent(const struct socket *, int64_t *since_us);

#endif
