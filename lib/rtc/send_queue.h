/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_SEND_QUEUE_H
#define RTC_SEND_QUEUE_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "rtc/transport_socket.h"

#define SEND_QUEUE 64 /* datagrams, at most */

/* Datagrams to many, sent by few calls of sendmmsg(2). */
struct send_queue {
	int n;
	struct mmsghdr heads[SEND_QUEUE];
	struct iovec parts[SEND_QUEUE];
	struct sockaddr_storage to[SEND_QUEUE];
	struct local_control from[SEND_QUEUE];
	int fds[SEND_QUEUE];
	struct datagram datagrams[SEND_QUEUE];
};

/* Room of TRANSPORT_MOST bytes for the next datagram; a full queue is sent first. */
unsigned char *send_queue_room(struct send_queue *);
/* Queue the n bytes that were written to that room, for a UDP socket. */
void send_queue_put(
    struct send_queue *, int fd, const struct transport_path *to, size_t n);
/*
 * Send the queue. Datagrams that do not fit a full socket are lost: late audio is
 * useless, all other data is retransmitted.
 */
void send_queue_flush(struct send_queue *);

#endif
