/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_HANDSHAKE_QUEUE_H
#define RTC_HANDSHAKE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "rtc/transport_socket.h"

/*
 * Datagrams of DTLS handshakes that wait. A handshake takes a millisecond, so a crowd
 * that joins must not be served before the packets of connected peers, and a
 * handshake that has begun is finished before another begins.
 */
struct rtc_peer;
struct handshake_datagram;

/* In struct rtc_peer. Zero-initialise. */
struct handshake {
	TAILQ_ENTRY(rtc_peer) list;
	STAILQ_HEAD(handshake_datagrams, handshake_datagram) datagrams;
	int n;     /* datagrams */
	bool late; /* in the list of those that have begun */
};

struct handshake_queue {
	/* begun: the peer has a struct dtls */
	TAILQ_HEAD(handshake_peers, rtc_peer) begun, fresh;
	int n; /* datagrams of all */
};

/* A datagram of a peer, valid until the callback returns. */
typedef void handshake_handler(
    struct rtc_peer *, const struct transport_path *, const unsigned char *, size_t n);

void handshake_queue_start(struct handshake_queue *);
/* Copy a datagram. It is dropped, to be sent again, when too many wait. */
void handshake_queue_put(struct handshake_queue *, struct rtc_peer *,
    const struct transport_path *, const unsigned char *, size_t n);
bool handshake_queue_is_empty(const struct handshake_queue *);
/* Handle the datagram that is next. */
void handshake_queue_run(struct handshake_queue *, handshake_handler *);
/* The peer is closed. */
void handshake_queue_forget(struct handshake_queue *, struct rtc_peer *);

#endif
