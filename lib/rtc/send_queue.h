#ifndef RTC_SEND_QUEUE_H
#define RTC_SEND_QUEUE_H

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

#include "rtc/transport_socket.h"

/* Datagrams to many, sent by few calls of sendmmsg(2).  Zero-initialise. */
#define SEND_QUEUE 64

struct send_queue {
	int n;
	struct mmsghdr heads[SEND_QUEUE];
	struct iovec parts[SEND_QUEUE];
	struct sockaddr_storage to[SEND_QUEUE];
	struct local_control from[SEND_QUEUE];
	int fds[SEND_QUEUE];
	struct datagram datagrams[SEND_QUEUE];
};

/* Room of TRANSPORT_MOST bytes for the next datagram; sends the others if it is full.
 */
unsigned char *send_queue_room(struct send_queue *);
/* What is in that room, n bytes, is to be sent. */
void send_queue_put(
    struct send_queue *, int fd, const struct transport_path *, size_t n);
/* What the system does not take is dropped. */
void send_queue_flush(struct send_queue *);

#endif
