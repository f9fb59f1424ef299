/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_TRANSPORT_H
#define RTC_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "rtc/transport_socket.h"

/*
 * Datagrams by UDP and by TCP (ICE-TCP, RFC 6544) from one port number.  Knows no
 * peers: a path names where a datagram came from, and leads back there.
 */
struct transport;

struct transport_settings {
	const char *listen; /* addresses to bind, comma-separated; "": 0.0.0.0 */
	int port;           /* 0: a free one */
	bool tcp;           /* accept TCP connections */
	int max_connections;
};

struct transport_events {
	/* Bytes may be changed in place. */
	void (*datagram)(
	    void *arg, const struct transport_path *, unsigned char *, size_t n);
	/* A TCP connection ended; its path is no longer valid. */
	void (*lost)(void *arg, const struct transport_path *);
};

/* NULL, logged: an address or port is not available. */
struct transport *transport_open(struct arena *, const struct transport_settings *,
    const struct transport_events *, void *arg);
void transport_close(struct transport *);
int transport_port(const struct transport *);
int transport_fd(const struct transport *); /* descriptor of epoll(7) */

/* True if a socket may have more datagrams. */
bool transport_receive(struct transport *, int64_t now_us);
/* Check the time limits of TCP connections; call it from transport_due_us() on. */
void transport_tick(struct transport *, int64_t now_us);
/* INT64_MAX: there are no limits now. */
int64_t transport_due_us(const struct transport *);

/*
 * Datagrams are queued until transport_flush(), or until SEND_QUEUE wait. Datagrams
 * that the system does not accept are dropped.
 */
/* Room of TRANSPORT_MOST bytes, aligned, for transport_commit(), which must be next. */
unsigned char *transport_reserve(struct transport *);
/* Queue the datagram written to that room. media: useless when late. */
void transport_commit(
    struct transport *, const struct transport_path *, size_t n, bool media);
void transport_send(
    struct transport *, const struct transport_path *, const void *, size_t n);
void transport_flush(struct transport *);

/*
 * Mark the path as used by a peer, so that its TCP connection may stay. Other
 * connections are closed soon.
 */
void transport_accept(struct transport *, const struct transport_path *, bool of_peer);
/* Closes a TCP connection, or a socket of transport_dial(), without lost(). */
void transport_drop(struct transport *, const struct transport_path *);
/* Open a path to an address, from a new socket. False: not possible. */
bool transport_dial(struct transport *, const char *address, int port, bool tcp,
    struct transport_path *) MUST_CHECK;

/* The UDP socket of a path; -1: it is a TCP connection, or closed. */
int transport_udp(struct transport *, const struct transport_path *);

uint64_t transport_received(const struct transport *); /* datagrams */
uint64_t transport_sent(const struct transport *);

#endif
