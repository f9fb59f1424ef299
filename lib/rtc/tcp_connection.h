/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_TCP_CONNECTION_H
#define RTC_TCP_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/* Datagrams over a TCP connection: two bytes of length before each (RFC 4571). */
#define TCP_FRAME_MOST 1500 /* bytes of a datagram */
/* unsent bytes above which the connection is broken */
#define TCP_UNSENT_MOST (256U << 10)
#define TCP_UNSENT_MEDIA (64U << 10) /* unsent bytes above which audio is dropped */
#define TCP_BUFFER_BYTES (4U << 10)  /* read at once */

struct tcp_connection {
	struct arena *mem;
	int fd;
	bool broken; /* the connection must be closed */
	size_t in_n; /* bytes in in[] */
	unsigned char in[TCP_BUFFER_BYTES];
	unsigned char *out; /* unsent bytes; NULL: none so far */
	size_t out_at, out_n;
};

/* Zero-initialise, then set mem and fd, which stay the caller's. */

/*
 * Read, and deliver each datagram, which may be changed in place.  A connection that
 * ended or has a frame over TCP_FRAME_MOST is then broken.
 */
void tcp_connection_read(struct tcp_connection *,
    void (*datagram)(void *arg, unsigned char *, size_t n), void *arg);
/*
 * media: dropped when late.  Other data waits; if too much waits, the connection is
 * broken.
 */
void tcp_connection_send(struct tcp_connection *, const void *, size_t n, bool media);
/* Send waiting data.  True if all is sent. */
bool tcp_connection_flush(struct tcp_connection *);

#endif
